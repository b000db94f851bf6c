//! Runs as they might have been: noise, drift, slow modes, and the order of a randomised design.

use perflab_stats::Observation;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// What a run would have been on a quiet machine.
pub const BASE: f64 = 46_981.0;

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

/// All runs of both sides, for each part, in random order within blocks.
pub fn runs(
    sides_of: [SideOf; 2],
    machine: Machine,
    design: Design,
    parts: usize,
    random: &mut Random,
) -> (Vec<Vec<Observation>>, Vec<Vec<Observation>>) {
    let Design { each, blocks } = design;
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
            let phi = machine.autocorrelation;
            last = phi * last + (1.0 - phi * phi).sqrt() * random.normal();
            let moved = 1.0 + machine.drift * slot / total;
            slot += 1.0;
            let of = sides_of[side];
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

/// Chance that can be repeated.
pub struct Random(ChaCha8Rng);

impl Random {
    /// That of one trial under a seed.
    pub fn of(seed: u64, trial: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed << 32 | trial))
    }

    /// Uniform in (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Standard normal, by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Uniform in 0..n; the bias of the product is below 2^-50.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.uniform() * n as f64) as usize).min(n - 1)
    }
}
