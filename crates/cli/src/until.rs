//! `--until-decided`: measuring until the results are decided, for `run` and `bench`.

use std::time::{Duration, Instant};

use clap::Args;
use perflab_compare::Comparison;
use perflab_experiment::counted;
use perflab_report::share;
use perflab_stats::sequential::RankEProcess;
use perflab_store::StopReason;

use crate::compare::gate::{Gate, has_uncompared, verdict};
use crate::failure::{Code, Failure};

/// Fewest blocks, so that what is claimed was seen at two times at least.
pub const LEAST_BLOCKS: u32 = 2;

// The flags.
#[derive(Debug, Args)]
pub struct UntilArguments {
    /// Measure until every comparison is decided, looking after each block; then end as `compare`
    /// does.
    #[arg(long)]
    pub until_decided: bool,

    /// With --until-decided: begin no block after this time, as in 30min or 1h30m.
    #[arg(long, value_name = "TIME", requires = "until_decided")]
    pub budget: Option<String>,

    /// With --until-decided: what makes the command fail, as for `compare` [default: regression].
    #[arg(long, value_enum, requires = "until_decided")]
    pub gate: Option<Gate>,
}

impl UntilArguments {
    /// The time budget, if any.
    ///
    /// # Errors
    /// When it is no time, or none at all.
    pub fn budget(&self) -> Result<Option<Duration>, Failure> {
        let Some(text) = &self.budget else {
            return Ok(None);
        };
        match perflab_experiment::parse_duration(text) {
            Ok(Duration::ZERO) => Err(Failure::usage(
                "--budget: expected more than no time, found 0",
            )),
            Ok(budget) => Ok(Some(budget)),
            Err(error) => Err(Failure::usage(format!("--budget: {error}"))),
        }
    }

    /// Refuses flags that do nothing without `--until-decided`. The parser lets them pass where another flag, as `--runs`,
    /// rules `--until-decided` out.
    ///
    /// # Errors
    /// When there are any.
    pub fn check_alone(&self) -> Result<(), Failure> {
        let given = [
            ("--gate", self.gate.is_some()),
            ("--budget", self.budget.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) if !self.until_decided => Err(Failure::usage(format!(
                "{flag} does nothing without --until-decided; add that, or leave {flag} out"
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses a gate that cannot be passed.
    ///
    /// # Errors
    /// When sameness is to be shown, but there is no margin.
    pub fn check_gate(&self, margin: Option<f64>) -> Result<(), Failure> {
        if self.gate == Some(Gate::Same) && margin.is_none() {
            return Err(Failure::usage(
                "--gate same needs a margin: the largest difference that does not matter, as 1%",
            ));
        }
        Ok(())
    }

    /// Refuses a number of blocks in which nothing can be decided, whatever the runs show, and names
    /// the flag that changes it.
    ///
    /// # Errors
    /// When so many comparisons need more blocks.
    pub fn check_blocks(limit: &Limit, comparisons: usize, confidence: f64) -> Result<(), Failure> {
        let level = (1.0 - confidence) / comparisons.max(1) as f64;
        let units = limit.units as usize;
        let least = RankEProcess::fewest_blocks(units, units, level)
            .map_err(|error| Failure::usage(format!("--until-decided: {error}")))?;
        if limit.blocks >= least {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "--until-decided: at most {} of {} each can decide nothing, whatever the runs show: {} at {} \
             confidence take{} at least {}; {}",
            counted(limit.blocks, "block"),
            counted(limit.block, "run"),
            counted(comparisons, "comparison"),
            share(confidence),
            if comparisons == 1 { "s" } else { "" },
            counted(least, "block"),
            limit.advice(least.saturating_mul(limit.block)),
        )))
    }

    /// What the process ends with.
    pub fn code(&self, report: &Comparison) -> Option<Code> {
        let gate = self.gate.unwrap_or(Gate::Regression);
        verdict(std::slice::from_ref(report), has_uncompared(report), gate)
    }
}

/// How far a measurement may go.
pub struct Limit {
    /// Most blocks.
    pub blocks: u32,
    /// Runs of each side in a block.
    pub block: u32,
    /// How many of them count: those that share a build count once.
    pub units: u32,
    /// Whether the number stands in a file, too.
    pub in_file: bool,
}

impl Limit {
    fn advice(&self, runs: u32) -> String {
        match self.in_file {
            true => format!("give --max-runs {runs}, or set runs = {runs} in the file, or more"),
            false => format!("give --max-runs {runs} or more"),
        }
    }
}

/// The time that may be used, from now on.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    started: Instant,
    limit: Option<Duration>,
}

impl Budget {
    /// Starts the clock.
    pub fn starts(limit: Option<Duration>) -> Self {
        Self {
            started: Instant::now(),
            limit,
        }
    }

    /// Why to stop after a block, if at all: `decided` tells whether every comparison is.
    pub fn stops(&self, decided: bool) -> Option<StopReason> {
        if decided {
            return Some(StopReason::Decided);
        }
        let used_up = self
            .limit
            .is_some_and(|limit| self.started.elapsed() >= limit);
        used_up.then_some(StopReason::Budget)
    }
}
