//! What a bench has measured.

use perflab_compare::UntilDecided;

use super::commands::BenchCommand;
use super::measure::Timing;
use super::watched::Watched;

/// The runs of one command, in order of execution.
#[derive(Debug, Clone)]
pub struct Measured {
    /// What was measured.
    pub command: BenchCommand,
    /// Each run with its block, from 1.
    pub runs: Vec<(u32, Timing)>,
    /// Seconds of each run of an empty shell beside these, with its block.
    pub shells: Vec<(u32, f64)>,
}

impl Measured {
    /// A figure of each run.
    pub fn column(&self, of: fn(&Timing) -> f64) -> Vec<f64> {
        self.runs.iter().map(|(_, timing)| of(timing)).collect()
    }

    /// The mean of a figure over all runs.
    pub fn mean(&self, of: fn(&Timing) -> f64) -> f64 {
        self.column(of).iter().sum::<f64>() / self.runs.len() as f64
    }
}

/// Everything that a bench found out.
#[derive(Debug, Clone)]
pub struct Measurements {
    /// One entry per command, the baseline first.
    pub commands: Vec<Measured>,
    /// Seed of the order.
    pub seed: u64,
    /// Whether the order was random within blocks.
    pub randomised: bool,
    /// Where the results may end the bench: how far it got, and why it ended.
    pub until_decided: Option<UntilDecided>,
    /// Where commands took turns: how long these were, and what was seen of each command.
    pub watched: Option<Watched>,
}
