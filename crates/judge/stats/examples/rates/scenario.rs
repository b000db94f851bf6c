//! What is simulated, and what must hold of it.

use crate::simulated::{Design, Machine, SideOf};
use crate::trials::ALPHA;

/// What is measured in a run.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// One number; verdicts as for one row.
    Single,
    /// So many parts that share noise and slow mode within a run, pooled into one verdict.
    Pooled(usize),
    /// So many parts, each with its own verdicts in one report.
    Family(usize),
}

/// Shares of trials, in percent.
pub struct Rates {
    pub typical: f64,
    pub mean: f64,
    pub report: f64,
    pub faster: f64,
}

/// What must hold.
#[derive(Clone, Copy)]
pub enum Promise {
    /// No question is answered falsely in more than 5 % of trials.
    False,
    /// The typical run is: its verdict is about a location that the sides do not share exactly.
    FalseMean,
    /// The typical run's difference is found at least so often, in percent.
    Power(f64),
    /// The headline is never `faster` without more.
    NeverFaster,
    /// Nothing; for the reader.
    Shown,
}

impl Promise {
    pub fn check(self, rates: &Rates, trials: u64) -> (String, bool) {
        let limit = 100.0 * (ALPHA + 3.0 * (ALPHA * (1.0 - ALPHA) / trials as f64).sqrt());
        let (text, holds) = match self {
            Self::False => {
                let worst = rates.typical.max(rates.mean).max(rates.report);
                (format!("at most {limit:.2}"), worst <= limit)
            }
            Self::FalseMean => (format!("mean at most {limit:.2}"), rates.mean <= limit),
            Self::Power(least) => (format!("typical at least {least}"), rates.typical >= least),
            Self::NeverFaster => ("faster: never".to_owned(), rates.faster == 0.0),
            Self::Shown => return ("-".to_owned(), true),
        };
        (
            format!("{text}: {}", if holds { "kept" } else { "BROKEN" }),
            holds,
        )
    }
}

pub struct Scenario {
    pub name: &'static str,
    pub a: SideOf,
    pub b: SideOf,
    pub machine: Machine,
    pub design: Design,
    pub kind: Kind,
    pub promise: Promise,
}
