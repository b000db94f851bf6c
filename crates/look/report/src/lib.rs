//! Comparisons as text, tables, CSV, Markdown and JSON.

mod aligned;
mod answer;
mod changes;
mod charts;
mod command;
mod csv;
mod deciles;
mod detail;
mod difference;
mod drift;
mod headline;
mod history;
mod json;
mod latency_cells;
mod latency_table;
mod levels;
mod markdown;
mod markup;
mod named;
mod number;
mod planning;
pub mod plots;
mod revision;
mod row_warning;
pub mod sections;
pub mod sentences;
mod steady;
mod stopping;
mod table;
mod terminal;
mod tests_table;
mod text;
mod verdict;
mod warning;

pub use self::csv::csv;
pub use answer::{Sentence, answers};
pub use changes::{change_sentences, changes_text, suspected_sentences};
pub use charts::{Chart, ChartLine, ChartValue, Charts, chart_tables, find_charts, has_charts};
pub use command::{command, command_of_run, operand};
pub use detail::{detail, facts};
pub use difference::{Differences, Estimate, interval, percent, percent_within};
pub use drift::{drift_markdown, drift_text};
pub use headline::headline;
pub use history::{
    OFF_BRANCH, control_failure_sentences, history_text, unmeasured, value_differences,
    why_of_control,
};
pub use json::{SCHEMA, json, schema};
pub use markdown::markdown;
pub use markup::escape as markdown_escape;
pub use number::{probability, quotient, rough, share, value, value_with_unit};
pub use planning::plan_text;
pub use revision::revision_text;
pub use row_warning::{no_deciles, row_warnings};
pub use steady::steady_text;
pub use stopping::ending;
pub use terminal::TextOptions;
pub use tests_table::{letter as test_letter, tests_text};
pub use text::text;
pub use verdict::InWords;
pub use warning::{left_out, not_measured, report_warnings};
