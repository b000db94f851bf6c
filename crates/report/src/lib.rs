//! Results as text, tables, CSV, Markdown and JSON

mod aligned;
mod analysis;
mod costs;
mod csv;
mod deciles;
mod detail;
mod difference;
mod headline;
mod imported;
mod json;
mod levels;
mod markdown;
mod model;
mod number;
mod planning;
mod saturation;
mod sections;
mod steady;
mod stopping;
mod subjects;
mod table;
mod tail;
mod terminal;
mod text;
mod wander;
mod words;

pub use self::csv::csv;
pub use analysis::{AnalysisError, Claims, Group, Selection, Subject, analyse};
pub use costs::Costs;
pub use deciles::add_deciles;
pub use detail::detail;
pub use difference::{interval, percent};
pub use json::{json, schema};
pub use markdown::markdown;
pub use model::{
    Answer, Decile, Design, Level, Levels, Report, Row, SCHEMA, Side, Slow, UntilDecided, Verdict,
};
pub use number::{probability, share, value, value_with_unit};
pub use planning::{Goal, PlanReport, known_plan, pilot_plan, plan_schema, plan_text};
pub use steady::{SteadyReport, steady_report, steady_schema, steady_text};
pub use stopping::{ending, is_decided};
pub use subjects::{Filter, plain_report, result_report, result_subjects};
pub use terminal::TextOptions;
pub use text::text;
