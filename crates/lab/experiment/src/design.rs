//! How an experiment is carried out: how often, in which order, what is renewed in between.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::duration::{self, DurationText};
use crate::percent::{self, FractionText};

/// Most slices of a run: a file of turns has a line for each of them.
pub const MOST_SLICES: u32 = 10_000;

/// What is renewed between runs. What is renewed is a random factor of the analysis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Refresh {
    /// Nothing: one instance of each variant serves all its runs.
    Keep,
    /// The process of the system under test.
    #[default]
    Restart,
    /// The layout of the program in memory: its objects are relinked in another order.
    Relink,
    /// The whole build.
    Rebuild,
}

/// How often a build is renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RefreshEvery {
    /// Before each run.
    Run,
    /// Before each block: the runs of a variant within a block share one build.
    Block,
}

/// How the objects are laid out when a program is relinked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// In a random order.
    #[default]
    Reorder,
    /// Sorted by name.
    Sort,
    /// Sorted by name, with a gap of fixed size behind each.
    Gap,
    /// Sorted by name, each on a page of its own.
    Align,
}

/// How long one instance of a variant (its build, its running system) serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lifetime {
    /// One run.
    Run,
    /// The runs of its variant within a block.
    Block,
    /// All runs of its variant.
    Experiment,
}

/// The table `[design]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Design {
    /// Runs of each cell; a multiple of `block`.
    #[schemars(range(min = 1))]
    pub runs: u32,
    /// Runs of each cell within one block; 1 with `slices` or `slice`, else 3 by default.
    #[schemars(range(min = 1))]
    pub block: u32,
    /// Slices in which the workload of each run is executed, by turns with those of the other variants: at least 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2, max = MOST_SLICES))]
    pub slices: Option<u32>,
    /// About how long such a slice is, instead of their number: from 1 ms on.
    #[serde(with = "duration::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<DurationText>")]
    pub slice: Option<Duration>,
    /// Whether the slices of a round are executed by all variants at the same time, each on CPUs of its own (a place).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub together: bool,
    /// Seed of the random order. Without one, the laboratory draws and records one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// What is renewed between runs.
    pub refresh: Refresh,
    /// How often a build is renewed; only with `relink` (by default each run) and `rebuild` (by default each block).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refresh_every: Option<RefreshEvery>,
    /// How objects are laid out; only with `relink`. By default `reorder`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) layout: Option<Layout>,
    /// The variant that the others are compared with. By default the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) baseline: Option<String>,
    /// A variant that is the baseline once more: a difference found there is the laboratory's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// The smallest relative difference that matters, as a fraction (0.01 is one percent).
    #[serde(
        deserialize_with = "percent::option::deserialize",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<FractionText>")]
    pub margin: Option<f64>,
    /// Confidence level of intervals and verdicts, as a fraction between 0.5 and 1.
    #[serde(deserialize_with = "percent::deserialize")]
    #[schemars(with = "FractionText")]
    pub confidence: f64,
    /// Executions of the workload after each refresh whose results are discarded.
    pub warmup: u32,
    /// Time limit of one run.
    #[serde(with = "duration")]
    #[schemars(with = "DurationText")]
    pub timeout: Duration,
    /// Time limit of the whole experiment.
    #[serde(with = "duration::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<DurationText>")]
    pub limit: Option<Duration>,
    /// Pause between runs.
    #[serde(with = "duration")]
    #[schemars(with = "DurationText")]
    pub pause: Duration,
    /// Metrics that a comparison reports unless told otherwise. Empty: those of the driver.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<String>,
    /// Environment variables that are inherited besides the fixed clean set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
}

impl Default for Design {
    fn default() -> Self {
        Self {
            runs: 30,
            block: 3,
            slices: None,
            slice: None,
            together: false,
            seed: None,
            refresh: Refresh::default(),
            refresh_every: None,
            layout: None,
            baseline: None,
            control: None,
            margin: None,
            confidence: 0.95,
            warmup: 0,
            timeout: Duration::from_secs(600),
            limit: None,
            pause: Duration::ZERO,
            metrics: Vec::new(),
            environment: Vec::new(),
        }
    }
}

impl Design {
    /// The key by which runs are executed in slices.
    pub fn slices_key(&self) -> &'static str {
        if self.slice.is_some() {
            "slice"
        } else {
            "slices"
        }
    }

    /// Whether the runs of a block are executed in slices, so that they end together and are as many for all variants.
    pub fn is_in_slices(&self) -> bool {
        self.slices.is_some() || self.slice.is_some() || self.together
    }

    /// The fewest slices that a run may have; nothing where runs are executed as a whole.
    pub fn least_slices(&self) -> Option<u32> {
        self.slices.or(self.slice.map(|_| 2))
    }

    /// Number of blocks.
    pub fn blocks(&self) -> u32 {
        self.runs.checked_div(self.block).unwrap_or(0)
    }

    /// How long one instance of a variant serves.
    pub fn instance_lifetime(&self) -> Lifetime {
        match (self.refresh, self.refresh_every) {
            (Refresh::Keep, _) => Lifetime::Experiment,
            (Refresh::Restart, _)
            | (Refresh::Relink | Refresh::Rebuild, Some(RefreshEvery::Run))
            | (Refresh::Relink, None) => Lifetime::Run,
            (Refresh::Relink | Refresh::Rebuild, Some(RefreshEvery::Block))
            | (Refresh::Rebuild, None) => Lifetime::Block,
        }
    }

    /// How objects are laid out; `None` unless programs are relinked.
    pub fn layout(&self) -> Option<Layout> {
        (self.refresh == Refresh::Relink).then(|| self.layout.unwrap_or_default())
    }

    /// Sets the runs of each cell.
    ///
    /// # Errors
    /// If the number does not divide into blocks; nothing is changed then.
    pub fn set_runs(&mut self, runs: u32) -> Result<(), RunsError> {
        check_runs(runs, self.block)?;
        self.runs = runs;
        Ok(())
    }
}

/// Runs that do not divide into blocks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}", wrong(*.runs, *.block), fitting(*.runs, *.block))]
pub struct RunsError {
    /// Runs of each cell that were asked for.
    pub runs: u32,
    /// Runs of each cell within a block.
    pub block: u32,
}

pub(crate) fn check_runs(runs: u32, block: u32) -> Result<(), RunsError> {
    if runs > 0 && block > 0 && runs.is_multiple_of(block) {
        Ok(())
    } else {
        Err(RunsError { runs, block })
    }
}

/// What is wrong with so many runs, in words.
fn wrong(runs: u32, block: u32) -> String {
    match runs {
        0 => format!("at least one run of each cell is needed; the fewest in blocks of {block}"),
        _ => format!(
            "{runs} runs of each cell do not divide into blocks of {block}; the nearest that do"
        ),
    }
}

/// The multiples of `block` next to `runs`, in words.
pub(crate) fn fitting(runs: u32, block: u32) -> String {
    let block = block.max(1);
    let below = runs - runs % block;
    match (below, below.checked_add(block)) {
        (0, Some(above)) => above.to_string(),
        (below, Some(above)) if below < runs => format!("{below} or {above}"),
        (below, _) => below.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_must_divide_into_blocks() {
        let mut design = Design::default();
        assert_eq!(design.set_runs(60), Ok(()));
        assert_eq!(design.blocks(), 20);
        let nearest = |runs, block| RunsError { runs, block }.to_string();
        assert_eq!(design.set_runs(10), Err(RunsError { runs: 10, block: 3 }));
        assert_eq!(design.runs, 60, "a refused number changes nothing");
        assert!(nearest(10, 3).ends_with("9 or 12"));
        assert!(nearest(1, 3).ends_with(": 3"));
        assert!(nearest(0, 3).ends_with(": 3"));
        assert!(nearest(u32::MAX, 2).ends_with(": 4294967294"));
    }

    #[test]
    fn the_lifetime_of_an_instance_follows_from_what_is_renewed() {
        let lifetime = |refresh, refresh_every| {
            Design {
                refresh,
                refresh_every,
                ..Design::default()
            }
            .instance_lifetime()
        };
        assert_eq!(lifetime(Refresh::Keep, None), Lifetime::Experiment);
        assert_eq!(lifetime(Refresh::Restart, None), Lifetime::Run);
        assert_eq!(lifetime(Refresh::Relink, None), Lifetime::Run);
        assert_eq!(
            lifetime(Refresh::Relink, Some(RefreshEvery::Block)),
            Lifetime::Block
        );
        assert_eq!(lifetime(Refresh::Rebuild, None), Lifetime::Block);
        assert_eq!(
            lifetime(Refresh::Rebuild, Some(RefreshEvery::Run)),
            Lifetime::Run
        );
    }

    #[test]
    fn a_layout_exists_only_where_programs_are_linked_anew() {
        let mut design = Design {
            layout: Some(Layout::Sort),
            ..Design::default()
        };
        assert_eq!(design.layout(), None);
        design.refresh = Refresh::Relink;
        assert_eq!(design.layout(), Some(Layout::Sort));
        design.layout = None;
        assert_eq!(design.layout(), Some(Layout::Reorder));
    }
}
