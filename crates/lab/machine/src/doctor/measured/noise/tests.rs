//! Runs that are counted from the noise of a CPU: whether they prove what they shall.

use perflab_stats::planning::{Pilot, typical_runs};
use perflab_stats::verdict::{Cache, Sides, Terms, compare};
use perflab_stats::{Better, Observation};

use super::figures::GOAL;
use super::{Slices, Wandering};

/// Pieces of work in a run of a second.
const PIECES: usize = 10;

/// A speed that wanders: each piece of work takes longer or shorter than the one before, by chance.
struct Walk {
    state: u64,
    at: f64,
    step: f64,
}

impl Walk {
    fn new(seed: u64, step: f64) -> Self {
        Self {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            at: 0.0,
            step,
        }
    }

    /// A number from 0 to 1 (xorshift).
    fn chance(&mut self) -> f64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state as f64 / u64::MAX as f64
    }

    fn piece(&mut self) -> f64 {
        self.at += self.step * (2.0 * self.chance() - 1.0);
        1.0 + self.at
    }

    fn run(&mut self) -> f64 {
        (0..PIECES).map(|_| self.piece()).sum::<f64>() / PIECES as f64
    }

    /// Blocks of as many runs of each of two variants, in random order, the second of which takes longer.
    fn measured(&mut self, blocks: usize, each: usize, longer: f64) -> [Vec<Observation>; 2] {
        let mut sides = [Vec::new(), Vec::new()];
        for block in 0..blocks {
            let mut left = [each, each];
            while left != [0, 0] {
                let all = (left[0] + left[1]) as f64;
                let side = usize::from(self.chance() * all >= left[0] as f64);
                left[side] -= 1;
                let value = self.run() * [1.0, 1.0 + longer][side];
                let unit = sides[side].len() as u32;
                sides[side].push(Observation {
                    block: block as u32,
                    unit,
                    value,
                });
            }
        }
        sides
    }
}

/// Whether a report proves that the typical run differs, if it proves nothing else.
fn is_proven([a, b]: &[Vec<Observation>; 2], in_turns: bool) -> bool {
    let terms = Terms {
        better: Better::Lower,
        confidence: 0.95,
        margin: None,
        in_turns,
    };
    let found = Sides::of(a, b).and_then(|sides| compare(sides, &terms, &mut Cache::default()));
    found.unwrap().typical.p <= 1.0 - GOAL.confidence
}

/// What a CPU shows in so many seconds.
fn seen(walk: &mut Walk, seconds: usize) -> Wandering {
    let piece_s = 1.0 / PIECES as f64;
    let times: Vec<f64> = (0..seconds * PIECES)
        .map(|_| piece_s * walk.piece())
        .collect();
    Wandering::of(&times, 1e-9).unwrap()
}

#[test]
fn whole_runs_are_enough_where_the_speed_wanders() {
    let step = 0.006;
    let seen = seen(&mut Walk::new(1, step), 3000);
    let sd = seen.sd_in_blocks(1.0, 6).unwrap();
    // Runs of a block are 7/3 apart in the mean, so that they differ by three times the variance of neighbours.
    let neighbours = seen.sd_in_blocks(1.0, 2).unwrap();
    let ratio = (sd / neighbours).powi(2);
    assert!((2.7..3.3).contains(&ratio), "{ratio}");
    let runs = |sd| {
        let tau = Pilot::known(sd, 3).unwrap().typical.upper;
        typical_runs(tau, &GOAL, 3).unwrap()
    };
    let (planned, too_few) = (runs(sd), runs(neighbours));
    assert!(planned > 2 * too_few, "{planned} {too_few}");
    let proven = |runs: usize| {
        let experiments = (1..=200).filter(|seed| {
            let measured = Walk::new(*seed, step).measured(runs / 3, 3, 0.01);
            is_proven(&measured, false)
        });
        experiments.count()
    };
    // 80 %, less three standard errors.
    let (enough, few) = (proven(planned), proven(too_few));
    assert!(enough >= 143 && few < 143, "{enough} {few}");
}

#[test]
fn blocks_of_any_size_differ_by_what_the_scales_say() {
    for step in [0.0, 1e-3] {
        let mut walk = Walk::new(7, step);
        let mut white = Walk::new(8, 0.0);
        let pieces: Vec<f64> = (0..20_000)
            .map(|_| walk.piece() + 0.02 * white.chance())
            .collect();
        let times: Vec<f64> = pieces.iter().map(|piece| piece / PIECES as f64).collect();
        let seen = Wandering::of(&times, 1e-9).unwrap();
        let mean = pieces.iter().sum::<f64>() / pieces.len() as f64;
        let runs: Vec<f64> = pieces
            .chunks(PIECES)
            .map(|run| run.iter().sum::<f64>() / (mean * PIECES as f64))
            .collect();
        for size in [2, 3, 4, 6, 8, 10] {
            let variances: Vec<f64> = runs
                .windows(size)
                .map(|block| {
                    let mean = block.iter().sum::<f64>() / size as f64;
                    let squares = block.iter().map(|run| (run - mean).powi(2));
                    squares.sum::<f64>() / (size - 1) as f64
                })
                .collect();
            let sd = (variances.iter().sum::<f64>() / variances.len() as f64).sqrt();
            let told = seen.sd_in_blocks(1.0, size).unwrap();
            assert!((told / sd - 1.0).abs() < 0.05, "{size}: {told} {sd}");
        }
        assert_eq!(seen.sd_in_blocks(1.0, 1), None);
        assert_eq!(seen.sd_in_blocks(150.0, 6), None);
    }
}

#[test]
fn the_doctor_names_no_fewer_runs_than_prove_anything() {
    for (slice_s, rounds) in [(0.002, 500), (1.0, 1)] {
        let runs = Slices::new(slice_s, rounds, 1e-6).runs.unwrap();
        let mut walk = Walk::new(1, 1e-7);
        let in_turns = rounds > 1;
        let [enough, few] = [runs, runs - 1].map(|runs| {
            let measured = walk.measured(runs as usize, 1, 0.01);
            is_proven(&measured, in_turns)
        });
        assert!(enough && !few, "{runs} of {slice_s}");
    }
}
