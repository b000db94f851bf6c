//! Series as they might have been.

use crate::simulated::Random;

/// How values scatter about their level; the unit is what a step is measured in.
#[derive(Clone, Copy)]
pub enum Noise {
    /// Normal, standard deviation 1.
    Normal,
    /// Student's t with three degrees of freedom: standard deviation 1.7.
    HeavyTails,
    /// Normal, but one value in ten lies 30 higher.
    SlowMode,
    /// Normal, standard deviation 1, correlated with the value before.
    Autocorrelated(f64),
    /// Normal, rounded to whole numbers.
    Rounded,
    /// 0, but 1 in this share of values.
    Ones(f64),
}

impl Noise {
    pub fn name(self) -> String {
        match self {
            Self::Normal => "normal".to_owned(),
            Self::HeavyTails => "heavy tails (t3)".to_owned(),
            Self::SlowMode => "slow mode, 10 %".to_owned(),
            Self::Autocorrelated(rho) => format!("autocorrelation {rho}"),
            Self::Rounded => "rounded to 1 sd".to_owned(),
            Self::Ones(share) => format!("{:.0} % ones, else 0", 100.0 * share),
        }
    }

    /// A series with steps: each a place and how much values rise there.
    pub fn series(self, n: usize, steps: &[(usize, f64)], random: &mut Random) -> Vec<f64> {
        let mut last = random.normal();
        let mut draw = || self.draw(&mut last, random);
        let level = |place: usize| -> f64 {
            let before = steps.iter().filter(|(at, _)| *at <= place);
            before.map(|(_, size)| size).sum()
        };
        (0..n).map(|place| draw() + level(place)).collect()
    }

    fn draw(self, last: &mut f64, random: &mut Random) -> f64 {
        let normal = random.normal();
        match self {
            Self::Normal => normal,
            Self::HeavyTails => {
                let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                normal / (squares / 3.0).sqrt()
            }
            Self::SlowMode if random.uniform() < 0.1 => normal + 30.0,
            Self::SlowMode => normal,
            Self::Autocorrelated(rho) => {
                *last = rho * *last + (1.0 - rho * rho).sqrt() * normal;
                *last
            }
            Self::Rounded => normal.round(),
            Self::Ones(share) => f64::from(u8::from(random.uniform() < share)),
        }
    }
}

/// What a machine does to all that is measured in a campaign.
#[derive(Clone, Copy)]
pub enum Machine {
    /// Each campaign is faster or slower than the one before, by 1 % or so.
    Wanders,
    /// 20 % slower in the end than at first.
    Drifts,
    /// Replaced in the middle by one that is 30 % faster.
    Replaced,
}

impl Machine {
    pub fn name(self) -> &'static str {
        match self {
            Self::Wanders => "a machine that wanders",
            Self::Drifts => "a machine that drifts",
            Self::Replaced => "a machine that is replaced",
        }
    }

    /// Times of a program and of the control, each 1 but for the machine and 1 % of noise.
    pub fn measured(self, noise: Noise, n: usize, random: &mut Random) -> (Vec<f64>, Vec<f64>) {
        let mut speed = 1.0;
        let speeds: Vec<f64> = (0..n)
            .map(|campaign| {
                match self {
                    Self::Wanders => speed *= (0.01 * random.normal()).exp(),
                    Self::Drifts => speed = 1.0 + 0.2 * campaign as f64 / n as f64,
                    Self::Replaced => speed = if 2 * campaign < n { 1.0 } else { 0.7 },
                }
                speed
            })
            .collect();
        let mut measured = || -> Vec<f64> {
            let noise = noise.series(n, &[], random);
            let pairs = speeds.iter().zip(noise);
            pairs
                .map(|(speed, noise)| speed * (1.0 + 0.01 * noise))
                .collect()
        };
        (measured(), measured())
    }
}

/// As the library takes it.
pub fn whole(values: &[f64]) -> Vec<Option<f64>> {
    values.iter().copied().map(Some).collect()
}
