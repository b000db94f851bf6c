//! What criterion leaves: the directory `target/criterion`, and the messages of cargo-criterion.
//!
//! A benchmark executable measures all samples of a benchmark in one process, so a baseline in the
//! directory, or a file of messages, is one run; a sample there is a sample here. Its value is the
//! time of an iteration: the time of the sample over its iterations.

mod directory;
mod messages;

pub use directory::read as read_directory;
pub use messages::read as read_messages;

/// The file that makes a directory one of criterion's.
pub(crate) const SAMPLES: &str = "sample.json";

/// Time of an iteration for each sample. Samples without iterations are none.
fn per_iteration<'a>(times: &'a [f64], iterations: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    times
        .iter()
        .zip(iterations)
        .map(|(time, iterations)| time / iterations)
        .filter(|value| value.is_finite())
}
