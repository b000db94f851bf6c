//! What both kinds of files have of a benchmark: times, and iterations.

/// Time of an iteration for each sample. Samples without iterations are none.
pub(super) fn per_iteration<'a>(
    times: &'a [f64],
    iterations: &'a [f64],
) -> impl Iterator<Item = f64> + 'a {
    times
        .iter()
        .zip(iterations)
        .map(|(time, iterations)| time / iterations)
        .filter(|value| value.is_finite())
}
