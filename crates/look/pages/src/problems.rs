//! What is missing of a result, or cannot be trusted.

use maud::{Markup, html};

use crate::result::SalvagedResult;
use crate::text::say;

/// The first problems as a warning; nothing where there are none.
pub(crate) fn problems(result: &SalvagedResult) -> Markup {
    html! {
        @if !result.problems.is_empty() {
            section.warnings.severe aria-label="Problems" {
                h2 { "This result is damaged" }
                p { "What is shown below is what can still be trusted." }
                ul { @for problem in result.problems.iter().take(50) { li { (say(problem)) } } }
                @if result.problems.len() > 50 { p { (result.problems.len() - 50) " more." } }
            }
        }
    }
}
