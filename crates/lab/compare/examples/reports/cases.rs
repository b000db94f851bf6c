//! What is simulated, and what must hold of it.

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

const ALL: [Noise; 3] = [Noise::Normal, Noise::HeavyTails, Noise::SlowMode];

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

pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for noise in ALL {
        for [a, b] in [
            [2, 2],
            [3, 3],
            [4, 4],
            [5, 5],
            [6, 6],
            [8, 8],
            [12, 12],
            [20, 20],
            [30, 30],
        ] {
            for sd in [[0.01, 0.01], [0.003, 0.01], [0.003, 0.06]] {
                all.push(case("", noise, 1, [a, b], sd));
            }
        }
        for [a, b] in [
            [2, 20],
            [3, 20],
            [3, 30],
            [4, 30],
            [5, 30],
            [8, 30],
            [15, 30],
        ] {
            for sd in [[0.01, 0.01], [0.06, 0.003], [0.003, 0.06], [0.03, 0.01]] {
                all.push(case("", noise, 1, [a, b], sd));
            }
        }
        for (blocks, runs) in [
            (2, [3, 3]),
            (10, [3, 3]),
            (10, [1, 1]),
            (5, [2, 2]),
            (3, [2, 6]),
            (5, [1, 5]),
        ] {
            for sd in [[0.01, 0.01], [0.06, 0.003]] {
                all.push(case("", noise, blocks, runs, sd));
            }
        }
    }
    for runs in [[5, 5], [30, 30], [5, 30]] {
        all.push(case("", Noise::Steps, 1, runs, [0.01, 0.01]));
    }
    all.extend(levels());
    all.extend(in_turns());
    all.extend(many_rows());
    all.extend(uneven_samples());
    all.extend(at_the_margin());
    all.extend(mixed());
    all.extend(slow_shares());
    all.extend(powers());
    all.extend(detectable());
    all.extend(beyond());
    all
}

/// What runs do not show cannot be tested: modes that are missing by chance, and tails.
fn beyond() -> Vec<Case> {
    let mut all = Vec::new();
    for (noise, counts) in [
        (Noise::Between, [[3, 12], [4, 12], [5, 5], [8, 8], [20, 20]]),
        (
            Noise::Skewed,
            [[5, 5], [8, 8], [20, 20], [30, 30], [100, 100]],
        ),
    ] {
        all.extend(counts.map(|runs| Case {
            slow: [0.5, 0.0],
            promise: Promise::Nothing,
            ..case("beyond the promise, ", noise, 1, runs, [0.005, 0.005])
        }));
    }
    all
}

/// Values that vary between blocks only, in uneven numbers of runs.
fn levels() -> Vec<Case> {
    let levels = |name, blocks, runs| case(name, Noise::Levels, blocks, runs, [0.0, 0.0]);
    let mut all = [(3, [3, 3]), (10, [3, 3]), (5, [2, 6]), (20, [1, 1])]
        .map(|(blocks, runs)| levels("", blocks, runs))
        .to_vec();
    all.push(Case {
        subjects: vec![SimulatedSubject {
            factor: 1.005,
            samples: 1,
        }],
        promise: Promise::Power(99.0),
        ..levels("+0.5 %, ", 10, [3, 3])
    });
    all
}

/// Many subjects apart: each gets little of the error, so that the far tails of the tests count.
fn many_rows() -> Vec<Case> {
    let mut all = Vec::new();
    for noise in ALL {
        for (rows, runs, sd) in [
            (3, [6, 9], [0.03, 0.01]),
            (8, [8, 12], [0.035, 0.01]),
            (8, [8, 8], [0.03, 0.01]),
            (30, [6, 9], [0.03, 0.01]),
            (30, [9, 6], [0.01, 0.01]),
            (30, [10, 10], [0.05, 0.01]),
            (30, [14, 20], [0.02, 0.01]),
            (20, [15, 40], [0.1, 0.005]),
            (20, [20, 40], [0.03, 0.01]),
            (30, [30, 30], [0.003, 0.06]),
        ] {
            all.push(Case {
                subjects: vec![NULL; rows],
                apart: true,
                ..case(&format!("{rows} rows, "), noise, 1, runs, sd)
            });
        }
    }
    all
}

/// Subjects whose runs have different numbers of samples.
fn uneven_samples() -> Vec<Case> {
    let mut all = Vec::new();
    for noise in ALL {
        for samples in [[1, 8], [10, 100], [100, 1], [1, 100]] {
            for (blocks, runs) in [(1, [8, 8]), (10, [3, 3]), (1, [6, 12])] {
                let name = format!("{}:{} samples, ", samples[0], samples[1]);
                all.push(Case {
                    subjects: samples
                        .map(|samples| SimulatedSubject {
                            factor: 1.0,
                            samples,
                        })
                        .to_vec(),
                    ..case(&name, noise, blocks, runs, [0.01, 0.01])
                });
            }
        }
    }
    all
}

/// The true difference is the margin, so that `same` would be false.
fn at_the_margin() -> Vec<Case> {
    let mut all = Vec::new();
    for noise in ALL {
        for (runs, sd) in [
            ([30, 30], [0.003, 0.02]),
            ([10, 40], [0.01, 0.003]),
            ([40, 10], [0.003, 0.01]),
            ([5, 30], [0.02, 0.002]),
            ([4, 4], [0.002, 0.002]),
            ([30, 30], [0.005, 0.005]),
        ] {
            all.push(Case {
                subjects: vec![SimulatedSubject {
                    factor: 1.02,
                    samples: 1,
                }],
                margin: Some(0.02),
                ..case("at the margin, ", noise, 1, runs, sd)
            });
        }
    }
    all
}

/// More or fewer slow runs, with the same main mode or a better one.
fn slow_shares() -> Vec<Case> {
    let mut all = Vec::new();
    for slow in [
        [0.05, 0.3],
        [0.3, 0.05],
        [0.15, 0.4],
        [0.0, 0.2],
        [0.05, 0.05],
    ] {
        for (blocks, runs) in [(1, [10, 10]), (1, [30, 30]), (10, [3, 3]), (1, [20, 60])] {
            for factor in [1.0, 0.985] {
                // Ten runs of which none is slow cannot know of the slow mode, so that their mean is another one.
                if slow[0] == 0.0 && blocks * runs[0] <= 10 {
                    continue;
                }
                let shares = slow.map(|share| 100.0 * share);
                let name = format!("{}->{} % slow, x{factor}, ", shares[0], shares[1]);
                all.push(Case {
                    slow,
                    subjects: vec![SimulatedSubject { factor, samples: 1 }],
                    ..case(&name, Noise::SlowMode, blocks, runs, [0.01, 0.01])
                });
            }
        }
    }
    all.push(Case {
        slow: [0.05, 0.3],
        promise: Promise::SlowRuns(80.0),
        ..case("5->30 % slow, ", Noise::SlowMode, 1, [90, 90], [0.01, 0.01])
    });
    all
}

/// Runs in turns, on a machine whose speed wanders by more than runs scatter.
fn in_turns() -> Vec<Case> {
    let turns = |name: &str, noise, blocks, sd| Case {
        in_turns: Some(0.05),
        ..case(&format!("in turns, {name}"), noise, blocks, [1, 1], sd)
    };
    let mut all = Vec::new();
    for noise in [ALL.as_slice(), &[Noise::Steps]].concat() {
        for blocks in [6, 10, 30, 100] {
            for sd in [[0.01, 0.01], [0.003, 0.01], [0.003, 0.03]] {
                all.push(turns("", noise, blocks, sd));
            }
        }
        all.push(Case {
            subjects: vec![SimulatedSubject {
                factor: 1.02,
                samples: 1,
            }],
            margin: Some(0.02),
            ..turns("at the margin, ", noise, 30, [0.01, 0.01])
        });
    }
    for slow in [[0.05, 0.3], [0.0, 0.15]] {
        all.push(Case {
            slow,
            ..turns("uneven shares, ", Noise::SlowMode, 60, [0.01, 0.01])
        });
    }
    all.push(Case {
        subjects: [1.0, 1.02, 1.0, 0.98]
            .map(|factor| SimulatedSubject { factor, samples: 1 })
            .to_vec(),
        control: true,
        ..turns("all at once, ", Noise::Normal, 30, [0.005, 0.005])
    });
    for (noise, least) in [(Noise::Normal, 85.0), (Noise::HeavyTails, 60.0)] {
        all.push(Case {
            subjects: vec![SimulatedSubject {
                factor: 1.01,
                samples: 1,
            }],
            promise: Promise::Power(least),
            ..turns("+1 %, ", noise, 30, [0.01, 0.01])
        });
    }
    all
}

/// The minimum detectable effect: new runs with that difference.
fn detectable() -> Vec<Case> {
    let mut all = Vec::new();
    for noise in [Noise::Normal, Noise::HeavyTails] {
        for (blocks, runs) in [
            (1, [5, 5]),
            (1, [6, 6]),
            (1, [8, 8]),
            (1, [12, 12]),
            (1, [30, 30]),
            (1, [5, 20]),
            (1, [20, 5]),
            (10, [1, 1]),
            (10, [3, 3]),
        ] {
            all.push(Case {
                promise: Promise::Detectable(70.0, 90.0),
                ..case("detectable, ", noise, blocks, runs, [0.01, 0.01])
            });
        }
    }
    all
}

/// All of it in one report: no difference, one at the margin, uneven samples, and a control.
fn mixed() -> Vec<Case> {
    ALL.map(|noise| Case {
        subjects: [(1.0, 1), (1.02, 1), (1.0, 20), (1.02, 3)]
            .map(|(factor, samples)| SimulatedSubject { factor, samples })
            .to_vec(),
        margin: Some(0.02),
        control: true,
        ..case("all at once, ", noise, 10, [3, 3], [0.005, 0.005])
    })
    .to_vec()
}

/// What must still be found.
fn powers() -> Vec<Case> {
    let slower = |noise, blocks, runs, least| Case {
        subjects: vec![SimulatedSubject {
            factor: 48_053.0 / 46_981.0,
            samples: 1,
        }],
        promise: Promise::Power(least),
        ..case("+2.28 %, ", noise, blocks, runs, [0.01, 0.01])
    };
    let among = |rows: usize, noise, blocks, runs, least| {
        let mut case = slower(noise, blocks, runs, least);
        case.subjects.extend(vec![NULL; rows - 1]);
        case.apart = true;
        case.name = format!("{rows} rows, {}", case.name);
        case
    };
    vec![
        among(14, Noise::Normal, 1, [8, 8], 64.0),
        among(14, Noise::Normal, 1, [12, 12], 92.0),
        among(14, Noise::SlowMode, 1, [12, 12], 22.0),
        among(14, Noise::SlowMode, 1, [20, 20], 60.0),
        among(14, Noise::SlowMode, 10, [3, 3], 78.0),
        slower(Noise::SlowMode, 10, [3, 3], 97.0),
        slower(Noise::SlowMode, 1, [30, 30], 98.0),
        slower(Noise::Normal, 1, [6, 6], 85.0),
        slower(Noise::Normal, 1, [4, 4], 50.0),
    ]
}
