//! Recorded outputs, read by their driver.

use std::path::Path;

use perflab_drivers::{Driver, Output, ReadError, Usage};
use perflab_experiment::Sample;

/// The bytes of a recording under `tests/fixtures`.
pub fn fixture(path: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(path);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What a driver makes of an output.
pub fn read(
    driver: &dyn Driver,
    stdout: &[u8],
    stderr: &[u8],
    exit_code: i32,
) -> Result<Vec<Sample>, ReadError> {
    let usage = Usage {
        exit_code,
        ..Usage::default()
    };
    driver.read(&Output {
        stdout,
        stderr,
        usage,
    })
}

/// Part, name and value of each sample.
pub fn values(samples: &[Sample]) -> Vec<(Option<&str>, &str, f64)> {
    samples
        .iter()
        .map(|s| (s.part.as_deref(), s.metric.name.as_str(), s.value))
        .collect()
}

/// However much of the end of a recording got lost, no value that is read differs from those of the
/// whole.
pub fn cuts_yield_no_other_value(driver: &dyn Driver, path: &str) {
    let whole = fixture(path);
    let all = read(driver, &whole, b"", 0).expect("a good recording");
    for end in 0..whole.len() {
        if let Ok(samples) = read(driver, &whole[..end], b"", 0) {
            assert_eq!(samples, all[..samples.len()], "cut at {end}");
        }
    }
}
