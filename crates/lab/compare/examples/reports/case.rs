//! A kind of report that is simulated, and what must hold of it.

use crate::simulated::Random;
use crate::steps::InSteps;

/// How much slower the slow mode is.
pub const SLOWER: f64 = 0.45;

/// The share of slow runs where both sides have the same.
const SLOW: f64 = 0.15;

/// How runs scatter about a level of 1, on both sides the same but for the size.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Noise {
    /// Normal.
    Normal,
    /// Exponentials of Student's t with three degrees of freedom.
    HeavyTails,
    /// Normal, but for some runs, of which each case says how many, in a mode 45 % slower.
    SlowMode,
    /// Normal, as a clock shows it that counts in steps of 1 %.
    Steps,
    /// Half of the runs in a mode 45 % slower, on the side that has slow runs; the other lies between the modes.
    Between,
    /// The square of a normal one above ten, on the side that has slow runs; the other is normal with the same mean.
    Skewed,
    /// Every run of a block has the block's level, and every third run is missing, so that a variant may have most of
    /// its runs in the fast blocks.
    Levels,
}

impl Noise {
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::HeavyTails => "heavy tails",
            Self::SlowMode => "some slow",
            Self::Steps => "steps of 1 %",
            Self::Between => "between modes",
            Self::Skewed => "skewed",
            Self::Levels => "levels",
        }
    }

    /// The level of a block, relative, which all variants share.
    pub fn level(self, random: &mut Random) -> f64 {
        match self {
            Self::Levels => (0.2 * random.normal()).exp(),
            _ => 1.0,
        }
    }

    /// Whether a run is missing.
    pub fn is_missing(self, random: &mut Random) -> bool {
        self == Self::Levels && random.uniform() < 1.0 / 3.0
    }

    /// A run's level, with a standard deviation relative to it and a share of slow runs.
    pub fn draw(self, sd: f64, slow: f64, random: &mut Random) -> f64 {
        let normal = random.normal();
        match self {
            Self::Normal | Self::Steps => 1.0 + sd * normal,
            Self::HeavyTails => {
                let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                (sd * normal / (squares / 3.0).sqrt()).exp()
            }
            Self::SlowMode if random.uniform() < slow => {
                (1.0 + SLOWER) * (1.0 + 0.03 * random.normal())
            }
            Self::SlowMode => 1.0 + sd * normal,
            Self::Between if slow == 0.0 => (1.0 + 0.5 * SLOWER) * (1.0 + sd * normal),
            Self::Between if random.uniform() < slow => (1.0 + SLOWER) * (1.0 + sd * normal),
            Self::Skewed if slow > 0.0 => (10.0 + normal * normal) / 11.0,
            Self::Levels => 1.0,
            Self::Between | Self::Skewed => 1.0 + sd * normal,
        }
    }
}

/// What must hold.
#[derive(Clone, Copy)]
pub enum Promise {
    /// Few reports are false.
    False,
    /// The same, and the difference is found at least so often, in percent.
    Power(f64),
    /// The same of the difference of the shares of slow runs.
    SlowRuns(f64),
    /// The minimum detectable effect that such runs state is found at least and at most so often.
    Detectable(f64, f64),
    /// Nothing: no test can keep it. The documents say how often these are false.
    Nothing,
}

/// One subject of a report.
#[derive(Clone, Copy)]
pub struct SimulatedSubject {
    /// Factor of the candidate.
    pub factor: f64,
    /// Values that each run of the subject has.
    pub samples: usize,
}

/// A kind of report.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    pub noise: Noise,
    pub blocks: usize,
    /// Runs of the baseline and of the candidate in a block.
    pub runs: [usize; 2],
    /// Relative standard deviation of runs.
    pub sd: [f64; 2],
    /// Shares of slow runs of the baseline and of the candidate, where the noise has a slow mode.
    pub slow: [f64; 2],
    pub subjects: Vec<SimulatedSubject>,
    /// Whether subjects have nothing in common, as benchmarks that processes of their own measure; else a run's subjects
    /// share its level.
    pub apart: bool,
    pub margin: Option<f64>,
    /// How an instrument rounds the values, if it does.
    pub steps: Option<InSteps>,
    /// Whether there is a third variant that is the baseline once more.
    pub control: bool,
    /// How far blocks lie apart, relative, where their runs are executed in turns and meet the same.
    pub in_turns: Option<f64>,
    pub promise: Promise,
}

/// A single subject without any difference.
pub const NULL: SimulatedSubject = SimulatedSubject {
    factor: 1.0,
    samples: 1,
};

pub fn case(name: &str, noise: Noise, blocks: usize, runs: [usize; 2], sd: [f64; 2]) -> Case {
    let [a, b] = runs;
    let [of_a, of_b] = sd.map(|sd| (1e4 * sd).round() / 100.0);
    Case {
        name: format!("{name}{blocks} x {a}+{b}, sd {of_a}:{of_b} %"),
        noise,
        blocks,
        runs,
        sd,
        slow: [SLOW; 2],
        subjects: vec![NULL],
        apart: false,
        margin: None,
        steps: None,
        control: false,
        in_turns: None,
        promise: Promise::False,
    }
}
