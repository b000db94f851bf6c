//! What both kinds of files have of a benchmark: times, and iterations.

/// Time of an iteration for each sample. `names` are those of both lists.
///
/// # Errors
/// Lists of different lengths or without values, and samples without iterations.
pub(super) fn per_iteration(
    times: &[f64],
    iterations: &[f64],
    names: [&str; 2],
) -> Result<Vec<f64>, String> {
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
