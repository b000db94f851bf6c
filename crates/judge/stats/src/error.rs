//! What can be wrong with the samples or other numbers handed in.

/// Why a statistic was refused. No function of this crate returns a number it cannot stand for.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The method needs more values than it got.
    #[error("{what}: expected at least {needed} values, found {found}; measure more runs")]
    TooFew {
        /// The sample that is too small.
        what: String,
        /// The smallest number of values that the method can use.
        needed: usize,
        /// The number of values found.
        found: usize,
    },
    /// A value is no usable measurement.
    #[error(
        "{what}, value {position}: expected a finite number of at most 1e75 in size, found \
         {value}; leave out runs that have no result, or change the unit"
    )]
    NotFinite {
        /// The sample that holds the value.
        what: String,
        /// Place of the value in its sample, counted from 1.
        position: usize,
        /// The value.
        value: f64,
    },
    /// A ratio was asked of values that have none.
    #[error(
        "{what}, value {position}: expected a number between 1e-75 and 1e75, since ratios are \
         compared, found {value}; compare differences instead"
    )]
    NotPositive {
        /// The sample that holds the value.
        what: String,
        /// Place of the value in its sample, counted from 1.
        position: usize,
        /// The value.
        value: f64,
    },
    /// A number lies outside its range.
    #[error("{what}: expected a number above {above} and below {below}, found {value}")]
    OutOfRange {
        /// What it is.
        what: &'static str,
        /// It must be larger than this.
        above: f64,
        /// It must be smaller than this.
        below: f64,
        /// The value found.
        value: f64,
    },
    /// A difference that more runs than are considered would be needed for.
    #[error(
        "a difference of {} takes more than {most} runs of each variant; ask for {} or more",
        percent(*difference, f64::round),
        percent(*smallest, f64::ceil)
    )]
    TooSmall {
        /// The relative difference.
        difference: f64,
        /// The most runs that are considered.
        most: usize,
        /// The relative difference that they show.
        smallest: f64,
    },
    /// A difference that steps of the values may hide, however many runs there are.
    #[error(
        "a difference of {} may be hidden by the steps that the values lie in, however many runs are made; make runs \
         longer, or ask for {} or more",
        percent(*difference, f64::round),
        percent(*hidden, f64::ceil)
    )]
    Steps {
        /// The relative difference.
        difference: f64,
        /// The largest that may be hidden.
        hidden: f64,
    },
    /// No block has runs of both variants, so nothing can be compared within a block.
    #[error(
        "expected at least one block with runs of both variants, found none in {blocks} {}; \
         measure both variants in every block",
        if *blocks == 1 { "block" } else { "blocks" }
    )]
    NoPairs {
        /// Number of blocks handed in.
        blocks: usize,
    },
    /// The standard deviation needed to judge a difference cannot be estimated.
    #[error(
        "expected at least two runs of the {side} in one block, found at most one in any of \
         {blocks}; measure more runs in a block, or use the additive model"
    )]
    NoReplicates {
        /// `baseline` or `candidate`.
        side: &'static str,
        /// Number of blocks with runs of both variants.
        blocks: usize,
    },
    /// The values do not vary, so that a statistic divided by their standard deviation does not exist.
    #[error(
        "expected values that vary, found a standard deviation no larger than the rounding of the numbers; \
         record the metric with a finer resolution, or compare the values themselves"
    )]
    NoVariation,
    /// A p-value that is none.
    #[error("p-value {position}: expected a number from 0 to 1, found {value}")]
    PValue {
        /// Place of the value in the list, counted from 1.
        position: usize,
        /// The value.
        value: f64,
    },
    /// More successes than trials, or no trials at all.
    #[error(
        "expected a number of successes between 0 and the number of trials, and at least one \
         trial, found {successes} of {trials}"
    )]
    Proportion {
        /// Number of successes.
        successes: usize,
        /// Number of trials.
        trials: usize,
    },
    /// A list whose length does not fit the design.
    #[error(
        "expected {expected} values, as many as the design has, found {found}; every unit of a \
         level must have the same number of repetitions"
    )]
    Unbalanced {
        /// The length that the design asks for.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// The method's cost grows too fast for as many values as it got.
    #[error("{what}: expected at most {most}, found {found}; {instead}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// The largest number that the method takes.
        most: usize,
        /// The number found.
        found: usize,
        /// What to do in its place.
        instead: &'static str,
    },
    /// A graph of revisions that is none.
    #[error(
        "revision {revision}: expected parents with lower numbers, and to be an ancestor of the last revision; found \
         {parent}; number parents before children, and leave out what the bad end does not contain"
    )]
    Lineage {
        /// The revision.
        revision: usize,
        /// The parent that does not come before it, or the revision that it is no ancestor of.
        parent: usize,
    },
    /// Bounds of equivalence that do not enclose "no difference".
    #[error("expected bounds of equivalence with {none} between them, found {low} and {high}")]
    Bounds {
        /// Lower bound.
        low: f64,
        /// Upper bound.
        high: f64,
        /// The effect that means no difference: 1 for ratios, 0 for differences.
        none: f64,
    },
}

/// A share with two significant digits: 0.00123 is `0.12%`.
fn percent(share: f64, round: fn(f64) -> f64) -> String {
    let decimals = (1.0 - (100.0 * share).log10().floor()).max(0.0);
    let step = 10_f64.powf(decimals);
    let shown = format!(
        "{:.*}",
        decimals as usize,
        round(100.0 * share * step) / step
    );
    match shown.contains('.') {
        true => shown.trim_end_matches('0').trim_end_matches('.').to_owned() + "%",
        false => shown + "%",
    }
}
