//! Files of other tools, read and written.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod any_input;
mod foreign;
mod hyperfine;
mod installed_runners;
mod round_trips;
mod test_reports;
