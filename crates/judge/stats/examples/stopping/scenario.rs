//! What is simulated: the noise of both sides, the machine, the blocks.

use crate::simulated::{Design, Machine, Noise, SideOf};

#[derive(Clone, Copy)]
pub struct Scenario {
    pub name: &'static str,
    pub sides: [SideOf; 2],
    pub machine: Machine,
    pub design: Design,
    /// Parts of a run, each with its own test.
    pub parts: usize,
}

pub const QUIET: Machine = Machine {
    drift: 0.0,
    autocorrelation: 0.0,
};
pub const DRIFT: Machine = Machine {
    drift: 0.05,
    autocorrelation: 0.0,
};
pub const WAVES: Machine = Machine {
    drift: 0.0,
    autocorrelation: 0.8,
};
pub const RESTLESS: Machine = Machine {
    drift: 0.05,
    autocorrelation: 0.8,
};

pub const FIXED: Design = Design {
    each: 3,
    blocks: 10,
};
pub const LONG: Design = Design {
    each: 3,
    blocks: 100,
};
pub const PAIRS: Design = Design {
    each: 1,
    blocks: 30,
};
pub const WIDE: Design = Design { each: 5, blocks: 6 };

pub fn slow(cv: f64) -> Noise {
    Noise::SlowMode { cv, share: 0.15 }
}

pub fn with(noise: Noise, factor: f64) -> [SideOf; 2] {
    [SideOf { noise, factor: 1.0 }, SideOf { noise, factor }]
}
