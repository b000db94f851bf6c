//! A history as pages for a browser.
//!
//! ```text
//! index.html               its changes, each metric over the revisions, the newest revisions
//! metric-N.html            one metric over all revisions
//! revisions.html, revisions-N.html   all revisions, the newest first
//! revision-NAME.html       one revision: its values, its build, what changed with it
//! campaigns.html           all campaigns, the newest first
//! campaigns/N/index.html   the pages of a campaign's result
//! tests.html               the tests of each revision, the worst first
//! changes.atom, badge.svg  the changes that nobody dismissed
//! data/                    what the pages show, as CSV and JSON
//! ```

mod address;
mod campaigns;
mod data;
mod feed;
mod first;
mod folder;
mod metric;
mod revision;
mod revisions;
mod site;
mod tests_table;

pub(crate) use address::HistoryAddress;
pub use folder::write_history;
pub use site::HistorySite;
