//! From the runs of a result to verdicts: grouped by what may be compared, judged, pooled and planned.
//!
//! Everything here is a value. What a [`Comparison`] is called in words, and how it is drawn, is not decided here.

mod analyse;
mod apart;
mod autocorrelation;
mod calibration;
mod comparable;
mod comparison;
mod configuration;
mod costs;
mod deciles;
mod drift;
mod error;
mod family;
mod grid;
mod import_warnings;
mod input;
mod latencies;
mod levels;
mod limits;
mod measured;
mod observation;
mod one_sided;
mod origins;
mod outcome;
mod places;
mod plain;
mod planning;
mod pool;
mod reference;
mod repeats;
mod resolution;
mod result;
mod result_report;
mod row;
mod row_warning;
mod run_warnings;
mod sample_index;
mod sample_selection;
mod saturation;
mod selection;
mod steadiness;
mod steps;
mod stopping;
mod subject;
mod subjects;
mod tail;
mod trend;
mod turns;
mod verdict;
mod warning;
mod workers;

pub use analyse::analyse;
pub use apart::compare_apart;
pub use calibration::add_calibration;
pub use comparison::{Calibration, Comparison, Design, Share, Slices, UntilDecided};
pub use costs::Costs;
pub use deciles::{add_deciles, deciles};
pub use drift::settle_drift;
pub use error::AnalysisError;
pub use input::{Half, ResultInput};
pub use latencies::{add_latencies, is_any_throughput};
pub use limits::add_limits;
pub use origins::{Measured, Origins};
pub use outcome::{AskedQuestion, Outcome};
pub use plain::{plain_report, plain_subject};
pub use planning::{Goal, PlanReport, deviation_plan, pilot_plan, plan_schema};
pub use resolution::{percent_decimals, step};
pub use result::{calibrate, compare_result};
pub use result_report::result_report;
pub use row::{
    Answer, Decile, Latency, Level, Levels, Limits, MainMode, Row, Sameness, Side, Slow,
};
pub use row_warning::{NoDeciles, RowWarning};
pub use sample_index::SampleIndex;
pub use sample_selection::SampleSelection;
pub use saturation::add_saturation;
pub use selection::{Questions, Selection};
pub use steadiness::{Behaviour, Process, Segment, SteadyReport, steady_report, steady_schema};
pub use stopping::{is_decided, note_stop};
pub use subject::{Group, Steps, Subject, SubjectKey};
pub use subjects::result_subjects;
pub use tail::tail_name;
pub use trend::{Drift, Trend};
pub use verdict::Verdict;
pub use warning::{
    CpuLimit, FewProcesses, LoadShare, NoReference, NotTogether, ReferenceDifference, Warning,
};
