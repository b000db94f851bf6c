//! A result as pages for a browser: static, in one folder that needs no server and no network.
//!
//! A history has pages too, in which those of its results are: see [`HistorySite`].
//!
//! [`Site`] knows which pages a result has and makes each when it is asked for, so that the same pages can be written
//! into a folder ([`write()`]) or served one by one.
//!
//! ```text
//! index.html              the question, the answer, the differences, what to beware of
//! metric-N.html           one metric: all its comparisons
//! charts.html             metrics over the numbers in the names of benchmarks
//! comparison-N-M.html     one comparison: every run, the distributions, quantiles and deciles
//! runs.html, runs-N.html  all runs
//! run-N.html              one run: what was executed, how it ended, what it said
//! method.html             how all this was measured
//! method-NAME.html        a method: its question, formula and source
//! data/                   what the pages show, as CSV and JSON
//! raw/N/                  what run N said, as it was
//! ```

mod address;
mod answer;
mod assets;
mod charts;
mod comparison;
mod content;
mod data;
mod document;
mod documents;
mod figure;
mod folder;
mod history;
mod indexed_comparison;
mod list;
mod method;
mod metric;
mod page;
mod pair;
mod problems;
mod progress;
mod result;
mod run;
mod run_files;
mod runs;
mod shell;
mod site;
mod tables;
mod text;

pub use assets::asset;
pub use content::{Content, Kind};
pub use folder::{Progress, Step, WriteError, write};
pub use history::{HistorySite, write_history};
pub use list::{Entry, HistoryEntry, list};
pub use pair::pair;
pub use perflab_history::{HistoryStamps, find_histories};
pub use site::Site;
