//! Results as text, tables, CSV, Markdown and JSON

mod analysis;
mod csv;
mod detail;
mod difference;
mod headline;
mod json;
mod markdown;
mod model;
mod number;
mod sections;
mod stopping;
mod subjects;
mod table;
mod terminal;
mod text;
mod words;

pub use self::csv::csv;
pub use analysis::{AnalysisError, Claims, Group, Selection, Subject, analyse};
pub use detail::detail;
pub use difference::{interval, percent};
pub use json::{json, schema};
pub use markdown::markdown;
pub use model::{Answer, Design, Report, Row, SCHEMA, Side, Slow, UntilDecided, Verdict};
pub use number::{probability, share, value, value_with_unit};
pub use stopping::{ending, is_decided};
pub use subjects::{Filter, plain_report, result_report};
pub use terminal::TextOptions;
pub use text::text;
