//! A plot on a page.

use maud::{Markup, PreEscaped, html};
use perflab_plot::{Plot, svg};

use crate::text::say;

/// The drawing and its title. `id` must be no other's on the page.
pub(crate) fn figure(plot: &Plot, id: &str) -> Markup {
    html! {
        figure.plot {
            figcaption { (say(&plot.title)) }
            div.drawing tabindex="0" role="group" aria-label=(say(&plot.title)) { (PreEscaped(svg(plot, id))) }
        }
    }
}
