//! Recorded outputs of real tools, given to their drivers.

use std::path::{Path, PathBuf};

use perflab_drivers::{Driver, Output, ReadError, Usage};
use perflab_experiment::Sample;

/// The recordings of one version of a tool.
pub struct Recorded {
    driver: &'static dyn Driver,
    directory: PathBuf,
}

impl Recorded {
    /// Those in `tests/fixtures/TOOL/VERSION`.
    pub fn new(driver: &'static dyn Driver, version: &str) -> Self {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures")
            .join(driver.name())
            .join(version);
        Self { driver, directory }
    }

    pub fn bytes(&self, file: &str) -> Vec<u8> {
        std::fs::read(self.directory.join(file)).expect(file)
    }

    pub fn text(&self, file: &str) -> String {
        String::from_utf8(self.bytes(file)).expect(file)
    }

    /// Reads a recording of standard output, with the standard error recorded beside it, if any.
    pub fn read(&self, file: &str, exit_code: i32) -> Result<Vec<Sample>, ReadError> {
        let stderr = self.directory.join(file).with_extension("stderr");
        let stderr = std::fs::read(stderr).unwrap_or_default();
        self.read_bytes(&self.bytes(file), &stderr, exit_code)
    }

    pub fn read_bytes(
        &self,
        stdout: &[u8],
        stderr: &[u8],
        exit_code: i32,
    ) -> Result<Vec<Sample>, ReadError> {
        let usage = Usage {
            exit_code,
            ..Usage::default()
        };
        self.driver.read(&Output {
            stdout,
            stderr,
            usage,
        })
    }

    /// An output that says something else in one place is refused, with these words.
    #[track_caller]
    pub fn refuses(&self, whole: &str, broken: &str, words: &str) {
        assert_ne!(broken, whole, "{words}");
        let error = self.read_bytes(broken.as_bytes(), b"", 0);
        let error = error.expect_err(words).to_string();
        assert!(error.contains(words), "`{words}` is not in: {error}");
    }

    /// A recording yields these metrics with these values, in this order, and no benchmarks.
    #[track_caller]
    pub fn yields(&self, file: &str, printed: &[(&str, f64)]) {
        let samples = self.read(file, 0).expect(file);
        let expected: Vec<_> = printed
            .iter()
            .map(|&(name, value)| (None, name, value))
            .collect();
        assert_eq!(values(&samples), expected, "{file}");
    }

    /// However many bytes of an output got lost at its end, or lines at its beginning, what is read
    /// of the rest was in the whole.
    ///
    /// Gives the number of cut outputs that were read at all.
    pub fn cut(&self, file: &str) -> usize {
        let whole = self.bytes(file);
        let all = self.read_bytes(&whole, b"", 0).expect(file);
        let ends = (0..whole.len()).map(|end| &whole[..end]);
        let starts = (1..whole.len())
            .filter(|&start| whole[start - 1] == b'\n')
            .map(|start| &whole[start..]);
        ends.chain(starts)
            .filter_map(|rest| Some((rest.len(), self.read_bytes(rest, b"", 0).ok()?)))
            .inspect(|(length, samples)| {
                assert!(
                    samples.iter().all(|sample| all.contains(sample)),
                    "{file}, {length} bytes"
                );
            })
            .count()
    }
}

/// The only sample of a benchmark and metric.
#[track_caller]
pub fn value(samples: &[Sample], benchmark: Option<&str>, metric: &str) -> f64 {
    let found: Vec<_> = samples
        .iter()
        .filter(|s| s.benchmark.as_deref() == benchmark && s.metric.name == metric)
        .collect();
    assert_eq!(found.len(), 1, "{benchmark:?} {metric}");
    found[0].value
}

/// The benchmarks, in their order.
pub fn benchmarks(samples: &[Sample]) -> Vec<Option<&str>> {
    let mut benchmarks: Vec<_> = samples.iter().map(|s| s.benchmark.as_deref()).collect();
    benchmarks.dedup();
    benchmarks
}

/// Benchmark, name and value of each sample.
pub fn values(samples: &[Sample]) -> Vec<(Option<&str>, &str, f64)> {
    samples
        .iter()
        .map(|s| (s.benchmark.as_deref(), s.metric.name.as_str(), s.value))
        .collect()
}
