//! Processes that are recorded while they run: those that run already, and those that are started for it.

mod agentless;
mod attached;
mod connection;
mod problem;
mod recording;
mod refusals;
mod started;
mod summary;

pub use agentless::{AGENT, children};
pub use problem::Problem;
pub use recording::{LiveRecording, PAUSE, open_more_files};
pub use refusals::Refusal;
pub use started::{StartOptions, sizes};
pub use summary::Summary;
