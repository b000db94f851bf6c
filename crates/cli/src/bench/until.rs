//! When a bench has seen enough.

use perflab_compare::{Selection, UntilDecided, is_decided};
use perflab_store::StopReason;

use super::arguments::{BenchArguments, Order};
use super::measured::Measurements;
use super::summary;
use crate::failure::Failure;
use crate::until::{Budget, LEAST_BLOCKS, Limit, UntilArguments};

/// Most runs of each command where nothing else is asked: those of a fixed design.
const DEFAULT_MAX_RUNS: u32 = 30;

/// The rule that ends a bench.
#[derive(Debug)]
pub struct Until {
    /// Fewest runs of each command.
    least: u32,
    /// Most runs of each command.
    most: u32,
    block: u32,
    margin: Option<f64>,
    budget: Budget,
}

impl Until {
    /// From the flags; nothing where the number of runs is fixed.
    ///
    /// # Errors
    /// When there is nothing to decide, or no order in which it could be.
    pub fn from(
        arguments: &BenchArguments,
        commands: usize,
        margin: Option<f64>,
    ) -> Result<Option<Self>, Failure> {
        arguments.until.check_alone()?;
        if !arguments.until.until_decided {
            return Ok(None);
        }
        if commands < 2 {
            return Err(Failure::usage(
                "--until-decided compares commands, found only one; add another, or leave it out",
            ));
        }
        if arguments.order == Order::Sequential {
            return Err(Failure::usage(
                "--until-decided needs the random order: leave --order sequential out",
            ));
        }
        arguments.until.check_gate(margin)?;
        let most = arguments.max_runs.unwrap_or(DEFAULT_MAX_RUNS);
        let blocks = LEAST_BLOCKS.saturating_mul(arguments.block());
        let least = arguments.min_runs.unwrap_or(blocks).max(blocks);
        arguments.check_range(Some(most))?;
        let limit = Limit {
            blocks: most.div_ceil(arguments.block()),
            block: arguments.block(),
            units: arguments.block(),
            in_file: false,
        };
        let confidence = Selection::default().confidence;
        UntilArguments::check_blocks(&limit, commands - 1, confidence)?;
        Ok(Some(Self {
            least,
            most,
            block: arguments.block(),
            margin,
            budget: Budget::starts(arguments.until.budget()?),
        }))
    }

    /// Most runs of each command.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// How far it is after so many blocks, with `runs` of each command, and whether that is enough.
    ///
    /// # Errors
    /// When the runs cannot be compared.
    pub fn look(
        &self,
        measurements: &Measurements,
        blocks: u32,
        runs: u32,
    ) -> Result<UntilDecided, Failure> {
        let mut until = UntilDecided {
            blocks,
            most: self.most.div_ceil(self.block),
            stopped: None,
        };
        let seen = Measurements {
            until_decided: Some(until),
            ..measurements.clone()
        };
        let report = summary::report(&seen, self.margin)?;
        let decided = runs >= self.least && report.is_some_and(|report| is_decided(&report));
        let all = (runs >= self.most).then_some(StopReason::Runs);
        until.stopped = self.budget.stops(decided).or(all);
        Ok(until)
    }
}
