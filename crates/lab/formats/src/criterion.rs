//! What criterion leaves: the directory `target/criterion`, and the messages of cargo-criterion.
//!
//! A benchmark executable measures all samples of a benchmark in one process, so a baseline in the
//! directory, or a file of messages, is one run; a sample there is a sample here. Its value is the
//! time of an iteration: the time of the sample over its iterations.

mod directory;
mod iteration;
mod messages;

pub(crate) use directory::SAMPLES;
pub use directory::read as read_directory;
pub use messages::read as read_messages;
