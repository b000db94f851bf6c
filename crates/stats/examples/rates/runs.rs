//! Runs as they scatter on machines that are quiet, restless, or fall into a slow mode.

use perflab_stats::Observation;

use crate::random::Random;
use crate::scenarios::Scenario;

/// What a run would have been on a quiet machine.
const BASE: f64 = 46_981.0;

/// Runs of each side in a block, and blocks.
#[derive(Clone, Copy)]
pub struct Design {
    pub each: usize,
    pub blocks: usize,
}

impl Design {
    pub fn name(self) -> String {
        format!("{0}+{0}x{1}", self.each, self.blocks)
    }
}

pub const BLOCKED: Design = Design {
    each: 3,
    blocks: 10,
};
pub const UNBLOCKED: Design = Design {
    each: 30,
    blocks: 1,
};
pub const SHORT: Design = Design { each: 3, blocks: 5 };
pub const PAIRS: Design = Design {
    each: 1,
    blocks: 30,
};

/// How single runs scatter.
#[derive(Clone, Copy)]
pub enum Noise {
    /// Normal, with this standard deviation relative to the mean.
    Normal(f64),
    /// Exponentials of Student's t with three degrees of freedom, times this.
    HeavyTails(f64),
    /// Normal, but for this share of runs in a mode 30.8 % slower that scatters by 3 %.
    SlowMode { cv: f64, share: f64 },
}

/// What one side is.
#[derive(Clone, Copy)]
pub struct SideOf {
    pub noise: Noise,
    /// Factor on the main mode.
    pub factor: f64,
}

/// What the machine does meanwhile.
#[derive(Clone, Copy, Default)]
pub struct Machine {
    /// Change from the first run to the last, relative.
    pub drift: f64,
    /// Correlation of a run's normal noise with that of the run before.
    pub autocorrelation: f64,
}

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

/// All runs of both sides, for each part, in random order within blocks.
pub fn runs(
    scenario: &Scenario,
    random: &mut Random,
) -> (Vec<Vec<Observation>>, Vec<Vec<Observation>>) {
    let parts = match scenario.kind {
        Kind::Single => 1,
        Kind::Pooled(parts) | Kind::Family(parts) => parts,
    };
    let Design { each, blocks } = scenario.design;
    let total = (2 * each * blocks) as f64;
    let mut sides = [vec![Vec::new(); parts], vec![Vec::new(); parts]];
    let mut last = random.normal();
    let mut slot = 0.0;
    for block in 0..blocks {
        let mut order: Vec<usize> = (0..2 * each).map(|run| run % 2).collect();
        for end in (1..order.len()).rev() {
            order.swap(end, random.below(end + 1));
        }
        for side in order {
            let phi = scenario.machine.autocorrelation;
            last = phi * last + (1.0 - phi * phi).sqrt() * random.normal();
            let moved = 1.0 + scenario.machine.drift * slot / total;
            slot += 1.0;
            let of = if side == 0 { scenario.a } else { scenario.b };
            let common = of.noise.draw(last, random);
            for (part, values) in sides[side].iter_mut().enumerate() {
                // Parts of a run share most of their noise, and add a little of their own.
                let own = if parts == 1 {
                    1.0
                } else {
                    1.0 + 0.005 * random.normal()
                };
                let level = BASE / (1.0 + part as f64);
                values.push(Observation {
                    block: block as u32,
                    unit: slot as u32,
                    value: level * of.factor * moved * common * own,
                });
            }
        }
    }
    let [a, b] = sides;
    (a, b)
}

/// The runs of a scenario with a single part in the order in which they are executed: the side, and
/// the value.
pub fn in_order(scenario: &Scenario, random: &mut Random) -> Vec<(usize, f64)> {
    let (a, b) = runs(scenario, random);
    let mut all: Vec<(u32, usize, f64)> = [a, b]
        .into_iter()
        .enumerate()
        .flat_map(|(side, parts)| {
            parts
                .concat()
                .into_iter()
                .map(move |o| (o.unit, side, o.value))
        })
        .collect();
    all.sort_unstable_by_key(|(slot, ..)| *slot);
    all.into_iter()
        .map(|(_, side, value)| (side, value))
        .collect()
}

/// The geometric mean over parts of each run, which is what a pooled verdict is about.
pub fn pooled(parts: &[Vec<Observation>]) -> Vec<Observation> {
    let Some(first) = parts.first() else {
        return Vec::new();
    };
    (0..first.len())
        .map(|run| {
            let logs: f64 = parts.iter().map(|part| part[run].value.ln()).sum();
            Observation {
                value: (logs / parts.len() as f64).exp(),
                ..first[run]
            }
        })
        .collect()
}

impl Noise {
    /// A factor around 1, from a standard normal number and more chance.
    pub fn draw(self, normal: f64, random: &mut Random) -> f64 {
        match self {
            Self::Normal(sd) => 1.0 + sd * normal,
            Self::HeavyTails(scale) => {
                let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                (scale * normal / (squares / 3.0).sqrt()).exp()
            }
            Self::SlowMode { cv, share } => {
                if random.uniform() < share {
                    0.692 * (1.0 + 0.03 * random.normal())
                } else {
                    1.0 + cv * normal
                }
            }
        }
    }
}
