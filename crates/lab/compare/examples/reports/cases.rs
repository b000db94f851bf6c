//! The reports that are simulated.

use crate::case::{Case, NULL, Noise, Promise, SimulatedSubject, case};

const ALL: [Noise; 3] = [Noise::Normal, Noise::HeavyTails, Noise::SlowMode];

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
