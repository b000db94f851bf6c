//! A result as pages for a browser: static, in one folder that needs no server and no network.
//!
//! [`Site`] knows which pages a result has and makes each when it is asked for, so that the same pages can be written
//! into a folder ([`write()`]) or served one by one.
//!
//! ```text
//! index.html              the question, the answer, the differences, what to beware of
//! metric-N.html           one metric: all its comparisons
//! comparison-N-M.html     one comparison: every run, the distributions, quantiles and deciles
//! runs.html, runs-N.html  all runs
//! run-N.html              one run: what was executed, how it ended, what it said
//! method.html             how all this was measured
//! method-NAME.html        a method: its question, formula and source
//! data/                   what the pages show, as CSV and JSON
//! figures/                what the plots show, for the script
//! raw/N/                  what run N said, as it was
//! ```

mod address;
mod assets;
mod comparison;
mod content;
mod data;
mod documents;
mod first;
mod known;
mod list;
mod live;
mod method;
mod metric;
mod page;
mod pair;
mod raw;
mod reported;
mod run;
mod runs;
mod site;
mod tables;
mod written;

pub use content::{Content, Kind};
pub use list::{Entry, list};
pub use pair::pair;
pub use site::{Site, asset};
pub use written::{Progress, Step, WriteError, write};
