//! What a reader should know before believing one row, as values. The words are found where it is shown.

use perflab_stats::Error;

use crate::verdict::Verdict;

/// A reason to be careful with one row.
#[derive(Debug, Clone, PartialEq)]
pub enum RowWarning {
    /// So few runs that nothing can be proven about the typical run of a lone row.
    TooFew {
        /// Blocks of this size that could.
        blocks: usize,
    },
    /// The same where the error is shared among all tests.
    TooFewAmong {
        /// Tests of the family.
        tests: usize,
        /// Blocks of this size that could.
        blocks: usize,
    },
    /// A verdict from so few runs that all of them may be in one of several modes.
    FewRuns {
        /// Runs of a side from which on that is unlikely.
        least: usize,
    },
    /// Some runs are in a slow mode.
    SlowMode {
        /// Whether an interval of the mean is stated, which may then miss.
        has_mean: bool,
    },
    /// A few runs are far better than the others.
    FastMode,
    /// The robustness check does not confirm a difference that the rank test shows.
    NotConfirmed,
    /// The main mode alone does not confirm the difference of the typical run.
    SlowRunsAlone,
    /// The baseline's mean is too uncertain for an interval of the ratio.
    RatioUnbounded,
    /// Values that are not positive: differences are absolute.
    Absolute,
    /// The values do not vary at all.
    Exact,
    /// A difference is proven, and the interval of the typical run ends at none, as many values are equal.
    TiedEnd,
    /// The typical run of a pooled row is outside of those of its rows, which end at these.
    PooledOutside {
        /// The smallest difference of its rows.
        low: f64,
        /// The largest one.
        high: f64,
    },
    /// Runs of the row, in the order of execution, are autocorrelated.
    Autocorrelated,
    /// The row has no deciles.
    NoDeciles(NoDeciles),
    /// A latency goes against the verdict on the throughput of the same runs.
    LatencyContradicts {
        /// What is proven of the throughput: better, worse or the same.
        verdict: Verdict,
        /// What the latency's own interval shows: better or worse.
        found: Verdict,
        /// Its metric.
        latency: String,
    },
    /// The row's difference changed from the first block to the last.
    DifferenceDrifted,
    /// A sentence of the caller.
    Remark(String),
}

/// Why a row has no deciles.
#[derive(Debug, Clone, PartialEq)]
pub enum NoDeciles {
    /// Results may have ended the measurement.
    UntilDecided,
    /// Several values make one unit.
    SharedUnits,
    /// The numbers do not allow it.
    Statistics(Error),
}
