//! A plot as SVG, to be part of a page: it needs no script, follows the page's colours, and is described in words.
//!
//! A script can let people zoom into it, as the drawing says where everything is. In paths of marks a command with a
//! capital letter is a place on the axes, and one with a small letter is a shape that keeps its size.

mod axes;
mod drawing;
mod frame;
mod legend;
mod letters;
mod markup;
mod outline;
mod shapes;

pub use drawing::svg;
pub use markup::escaped;
