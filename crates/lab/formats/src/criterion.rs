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

/// Time of an iteration for each sample. `names` are those of both lists.
///
/// # Errors
/// Lists of different lengths or without values, and samples without iterations.
fn per_iteration(times: &[f64], iterations: &[f64], names: [&str; 2]) -> Result<Vec<f64>, String> {
    let [of_times, of_iterations] = names;
    if times.len() != iterations.len() || times.is_empty() {
        return Err(format!(
            "expected as many `{of_times}` as `{of_iterations}` and at least one, found {} and {}",
            times.len(),
            iterations.len()
        ));
    }
    let samples = (1..).zip(times.iter().zip(iterations));
    samples
        .map(|(number, (time, iterations))| {
            Some(time / iterations)
                .filter(|value| *iterations > 0.0 && value.is_finite())
                .ok_or_else(|| {
                    format!(
                        "expected iterations in value {number} of `{of_iterations}`, found {iterations}; measure that \
                         again, or remove the sample"
                    )
                })
        })
        .collect()
}
