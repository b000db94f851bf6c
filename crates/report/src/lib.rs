//! Results as text, tables, CSV, Markdown and JSON

mod aligned;
mod analysis;
mod cautions;
mod costs;
mod csv;
mod deciles;
mod detail;
mod difference;
mod drift;
mod filter;
mod headline;
mod imported;
mod json;
mod judge;
mod latencies;
mod latency_cells;
mod latency_table;
mod levels;
mod markdown;
mod model;
mod number;
mod plain;
mod planning;
mod pool;
mod recorded;
mod saturation;
mod sections;
mod selection;
mod steady;
mod steps;
mod stopping;
mod subjects;
mod table;
mod tail;
mod terminal;
mod text;
mod wander;
mod words;

pub use self::csv::csv;
pub use analysis::{AnalysisError, Group, Subject, analyse};
pub use costs::Costs;
pub use deciles::add_deciles;
pub use detail::detail;
pub use difference::{interval, percent};
pub use drift::{Drift, Trend, drift_markdown, drift_text, settle_drift};
pub use filter::Filter;
pub use json::{json, schema};
pub use latencies::add_latencies;
pub use markdown::markdown;
pub use model::{
    Answer, Decile, Design, Latency, Level, Levels, Report, Row, SCHEMA, Side, Slow, UntilDecided,
    Verdict,
};
pub use number::{probability, share, value, value_with_unit};
pub use plain::plain_report;
pub use planning::{Goal, PlanReport, known_plan, pilot_plan, plan_schema, plan_text};
pub use recorded::result_report;
pub use saturation::add_saturation;
pub use selection::{Claims, Selection};
pub use steady::{SteadyReport, steady_report, steady_schema, steady_text};
pub use stopping::{ending, is_decided};
pub use subjects::result_subjects;
pub use terminal::TextOptions;
pub use text::text;
