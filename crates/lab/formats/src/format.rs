//! The formats by name, and what is read and written in each.

use perflab_experiment::Sample;

use crate::fault::{Fault, WriteFault};
use crate::run::{Contents, File, Run, without_marks};
use crate::{
    asv, bmf, columns, criterion, github_action, go_bench, google_benchmark, hyperfine, jmh,
    open_metrics, pyperf, regress_all, table,
};

/// A format that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// hyperfine's JSON.
    Hyperfine,
    /// The text of Go benchmarks.
    GoBench,
    /// pyperf's JSON, plain or in gzip.
    Pyperf,
    /// Google Benchmark's JSON.
    GoogleBenchmark,
    /// criterion's directory.
    Criterion,
    /// The messages of cargo-criterion.
    CargoCriterion,
    /// JMH's JSON.
    Jmh,
    /// asv's results.
    Asv,
    /// regress-all's `test.result`.
    RegressAll,
    /// A column of numbers.
    Columns,
}

impl Format {
    /// All of them, sorted by name.
    pub const ALL: [Self; 10] = [
        Self::Asv,
        Self::CargoCriterion,
        Self::Columns,
        Self::Criterion,
        Self::GoBench,
        Self::GoogleBenchmark,
        Self::Hyperfine,
        Self::Jmh,
        Self::Pyperf,
        Self::RegressAll,
    ];

    /// The name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hyperfine => "hyperfine",
            Self::GoBench => "go-bench",
            Self::Pyperf => "pyperf",
            Self::GoogleBenchmark => "google-benchmark",
            Self::Criterion => "criterion",
            Self::CargoCriterion => "cargo-criterion",
            Self::Jmh => "jmh",
            Self::Asv => "asv",
            Self::RegressAll => "regress-all",
            Self::Columns => "columns",
        }
    }

    /// The format of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The runs in a file, or in the files of a directory.
    ///
    /// # Errors
    /// Whatever is not of the format, with file and line.
    pub fn read(self, files: &[File]) -> Result<Contents, Fault> {
        let files = &without_marks(files);
        let one = || {
            files
                .first()
                .ok_or_else(|| Fault::new("", "expected a file, found none"))
        };
        let contents = match self {
            Self::Hyperfine => hyperfine::read_runs(one()?),
            Self::GoBench => go_bench::read(one()?),
            Self::Pyperf => pyperf::read(one()?),
            Self::GoogleBenchmark => google_benchmark::read(one()?),
            Self::Criterion => criterion::read_directory(files),
            Self::CargoCriterion => criterion::read_messages(one()?),
            Self::Jmh => jmh::read(one()?),
            Self::Asv => asv::read(files),
            Self::RegressAll => regress_all::read(files),
            Self::Columns => columns::read_runs(one()?),
        }?;
        comparable(contents, files)
    }
}

/// A number can be too large to be compared, or a quotient no number.
fn comparable(contents: Contents, files: &[File]) -> Result<Contents, Fault> {
    for run in &contents.runs {
        if let Some(sample) = run.samples.iter().find(|s| !Sample::is_comparable(s.value)) {
            let path = files.first().map_or("", |file| file.path.as_str());
            return Err(Fault::new(
                path,
                format!(
                    "{}: expected 0 or a size from 1e-75 to 1e75 for {}, found {:e}; choose another unit",
                    run.at, sample.metric.name, sample.value
                ),
            ));
        }
    }
    Ok(contents)
}

/// A format that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// hyperfine's JSON.
    Hyperfine,
    /// The text of Go benchmarks, for `benchstat`.
    GoBench,
    /// pyperf's JSON.
    Pyperf,
    /// Every sample, for spreadsheets and R.
    Csv,
    /// A table of summaries.
    Markdown,
    /// Bencher Metric Format.
    Bmf,
    /// github-action-benchmark: what is better lower.
    SmallerIsBetter,
    /// github-action-benchmark: what is better higher.
    BiggerIsBetter,
    /// OpenMetrics text.
    OpenMetrics,
}

impl Target {
    /// All of them, sorted by name.
    pub const ALL: [Self; 9] = [
        Self::BiggerIsBetter,
        Self::Bmf,
        Self::Csv,
        Self::GoBench,
        Self::Hyperfine,
        Self::Markdown,
        Self::OpenMetrics,
        Self::Pyperf,
        Self::SmallerIsBetter,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hyperfine => "hyperfine",
            Self::GoBench => "go-bench",
            Self::Pyperf => "pyperf",
            Self::Csv => "csv",
            Self::Markdown => "markdown",
            Self::Bmf => "bmf",
            Self::SmallerIsBetter => "github-smaller-is-better",
            Self::BiggerIsBetter => "github-bigger-is-better",
            Self::OpenMetrics => "openmetrics",
        }
    }

    /// The format of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name() == name)
    }

    /// The runs in this format. `markdown` frees a text of what looks like markup in a Markdown table.
    ///
    /// # Errors
    /// When the format cannot hold any of it, or names would become one.
    pub fn write(
        self,
        runs: &[Run],
        markdown: impl Fn(&str) -> String,
    ) -> Result<String, WriteFault> {
        match self {
            Self::Hyperfine => hyperfine::write_runs(runs),
            Self::GoBench => go_bench::write(runs),
            Self::Pyperf => pyperf::write(runs),
            Self::Csv => table::write_csv(runs),
            Self::Markdown => table::write_markdown(runs, markdown),
            Self::Bmf => bmf::write(runs),
            Self::SmallerIsBetter => github_action::write(runs, perflab_experiment::Better::Lower),
            Self::BiggerIsBetter => github_action::write(runs, perflab_experiment::Better::Higher),
            Self::OpenMetrics => open_metrics::write(runs),
        }
    }
}
