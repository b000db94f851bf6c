//! Why there is nothing to report.

use perflab_experiment::counted;

/// Why there is nothing to report.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AnalysisError {
    /// There are no samples at all.
    #[error("there are no samples to compare: no run that passed is recorded")]
    Empty,
    /// Hits are asked for, and runs that lost events have none.
    #[error(
        "{error}; {} lost events of probes and so {} no hits: name fewer probes in [observe], or give them more `ring`",
        counted(*runs, "observed run"), if *runs == 1 { "has" } else { "have" }
    )]
    NoHits {
        /// How many.
        runs: usize,
        /// What is lacking.
        error: Box<Self>,
    },
    /// All runs that passed are in a block under way, which does not count until it is complete.
    #[error(
        "{}, and what is measured until it is decided is compared by complete blocks only; in the one under way: {} \
         that passed; `perflab run EXP.toml --resume --out RESULT` makes the rest",
        match *.complete {
            0 => "no block is complete yet",
            _ => "no run that passed is in a complete block",
        },
        counted(*.passed, "run")
    )]
    UnderWay {
        /// How many blocks are complete.
        complete: u32,
        /// How many runs of the block under way passed.
        passed: usize,
    },
    /// The baseline is not among the variants.
    #[error("there is no variant `{wanted}` to compare with; there are: {known}")]
    NoBaseline {
        /// What was asked for.
        wanted: String,
        /// What there is.
        known: String,
    },
    /// A variant has nothing to compare, or to compare with.
    #[error(
        "no run of `{variant}` passed, so there is nothing to compare: {failed} of its runs failed{detail}"
    )]
    NeverPassed {
        /// The variant.
        variant: String,
        /// How many runs of it are recorded.
        failed: usize,
        /// What the first of them died of, behind a semicolon; empty where nothing is known.
        detail: String,
    },
    /// A variant was left out, and there is nothing to compare without it.
    #[error("`{variant}` was not measured here, so there is nothing to compare: {reason}")]
    LeftOut {
        /// The variant.
        variant: String,
        /// Why one of its cells could not be measured.
        reason: String,
    },
    /// Two results that measure different things.
    #[error(
        "the two have nothing in common: no variant, or no metric that the first one asks about that was measured in \
         the second under the same workload and parameters, in the same unit"
    )]
    NothingShared,
    /// A benchmark or a subset is asked for, and there is none.
    #[error(
        "there is no benchmark or subset `{wanted}`: the result has no benchmarks; leave --benchmark out"
    )]
    NoParts {
        /// What was asked for.
        wanted: String,
    },
    /// A filter names what there is not.
    #[error("there is no {what} `{wanted}`; there are: {known}")]
    Unknown {
        /// Kind of thing.
        what: &'static str,
        /// What was asked for.
        wanted: String,
        /// What there is.
        known: String,
    },
    /// A value of an old result, of a time when it was not refused.
    #[error(
        "run {run} of `{variant}`: expected 0 or a size from 1e-75 to 1e75 for {metric}, found {value:e}"
    )]
    Size {
        /// The run.
        run: u32,
        /// Its variant.
        variant: String,
        /// What was measured.
        metric: String,
        /// The value.
        value: f64,
    },
    /// There is but one variant.
    #[error("only the variant `{0}` has such runs, so there is nothing to compare it with")]
    OnlyBaseline(String),
    /// The numbers do not allow it.
    #[error("{what}: {source}")]
    Statistics {
        /// Which comparison.
        what: String,
        /// Why.
        source: perflab_stats::Error,
    },
}
