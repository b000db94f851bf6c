//! What a report has to show, as plots.

mod axis_unit;
mod chart;
mod distribution;
mod forest;
mod points;
mod quantiles;
mod row_mark;
mod runs;
mod series;
mod shift;
mod sides;
mod slices;
mod sweep;

pub use chart::chart;
pub use distribution::distribution;
pub use forest::forest;
pub use points::Link;
pub use quantiles::quantiles;
pub use runs::runs;
pub use series::series;
pub use shift::shift;
pub use sides::{Sided, sided};
pub use slices::slices;
pub use sweep::{Sweep, sweep, sweeps};
