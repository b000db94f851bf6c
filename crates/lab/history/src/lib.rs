//! Revisions of a program, measured in campaigns: since when is it slower, and since when does it fail?
//!
//! A [`HistoryFile`] says where revisions come from, which of them are measured, how one is built and which experiment
//! measures it. A campaign is an ordinary result: its variants are revisions, and one of them, the control, is in all
//! campaigns.

mod builds;
mod built_series;
mod campaign;
mod changes;
mod date;
mod details;
mod detection;
mod directory;
mod every;
mod file;
mod find;
mod git;
mod journal;
mod listed;
mod marks;
mod next_step;
mod order;
mod outcomes;
mod outline;
mod parallel;
mod parse;
mod pattern;
mod points;
mod quirk;
mod reading;
mod revision;
mod run_failure;
mod search_range;
mod selection;
mod series;
mod stamps;
mod summary;
mod test_runs;
mod timeline;
mod trail;
mod view;

pub use builds::{
    BuildError, BuildFacts, BuildKey, Builder, Built, ProgramFacts, StepFacts, Symbol,
    SymbolChange, SymbolChanges, Wanted, command_argv, symbol_changes, symbols,
};
pub use campaign::{
    CampaignError, CampaignFacts, Ends, Purpose, Ready, campaign_experiment, is_of_tree,
};
pub use changes::{
    ALARM_EVERY, Change, Changes, ChangesView, Confirmation, Confirmed, LEVEL, SuspectedChange,
};
pub use details::{Details, DetailsError, Files};
pub use detection::{ChangePoint, Detection};
pub use directory::{DirectoryError, Held, HistoryDir, is_history};
pub use every::{Every, Word};
pub use file::{BuildTable, HistoryFile, Measure, Quirk, Revisions, SourceTable, TestsTable};
pub use find::find_histories;
pub use git::{GitError, Repository, local_path, read_log};
pub use journal::{Journal, JournalError};
pub use listed::{ListError, in_order, versions};
pub use marks::{ChangeState, Mark, MarkedChange, Said};
pub use next_step::{Step, next_step};
pub use order::order;
pub use outcomes::{TestCell, TestSeries, TestState};
pub use outline::{Outline, OutlineQuirk, SeenQuirk};
pub use pattern::Pattern;
pub use points::{Point, SubjectPoints, subject_name};
pub use quirk::{DatedQuirk, commands_at};
pub use revision::Revision;
pub use run_failure::{ControlFailure, RunFailure, Unmeasured};
pub use search_range::{SearchRange, SearchRangeError};
pub use selection::{Named, Place, SelectionError, select};
pub use series::{Seen, Series, Value};
pub use stamps::HistoryStamps;
pub use summary::Summary;
pub use test_runs::{TestFacts, TestRunFacts};
pub use timeline::{Asked, Source, Timeline, TimelineError, file_versions};
pub use trail::{Trail, value_of};
pub use view::View;
