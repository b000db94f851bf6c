//! What is unknown of the noise: the points at which it is integrated.

/// What one point of the grid says of the noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    /// Standard deviation of most runs.
    pub(super) sd: f64,
    /// How far the level of the machine wanders from one block to the next, as a standard deviation.
    pub(super) wander: f64,
    /// Standard deviation between builds of one revision.
    pub(super) between_builds: f64,
    /// How many runs lie far off.
    pub(super) tails: Tails,
    /// Mean of the step from good to bad before anything was measured.
    pub(super) step: f64,
    /// Its standard deviation.
    pub(super) step_sd: f64,
    /// Number of the noise, which points have in common that differ in the step only. Those follow each other.
    pub(super) noise: usize,
    /// Whether this is the first of them.
    pub(super) is_first_step: bool,
    /// Logarithm of the weight of this point before anything was measured.
    pub(super) ln_prior: f64,
    /// That of the noise.
    pub(super) ln_prior_without_step: f64,
}

impl Point {
    /// Variance of a run of a new build, far-off runs apart.
    pub(super) fn variance(&self) -> f64 {
        self.sd.powi(2) + self.between_builds.powi(2)
    }

    /// Variance of normal values in which a test by ranks sees a step as well as in runs of new builds: `1 / (4 pi I^2)`,
    /// `I` the integral of the square of their density (Lehmann, *Nonparametrics*, 1975, section 2.4).
    pub(super) fn variance_to_ranks(&self) -> f64 {
        let parts = self.tails.iter().zip(SCALES).map(|(weight, scale)| {
            let variance = (self.sd * scale).powi(2) + self.between_builds.powi(2);
            (weight, variance)
        });
        let pairs = parts
            .clone()
            .flat_map(|one| parts.clone().map(move |other| (one, other)));
        let products = pairs.map(|(one, other)| one.0 * other.0 / (one.1 + other.1).sqrt());
        // The square root of 2 pi is left out of each.
        0.5 / products.sum::<f64>().powi(2)
    }
}

/// Weights of the parts of the noise that scatter by [`SCALES`] standard deviations.
pub(super) type Tails = [f64; 4];

/// How far the parts of the noise scatter, in standard deviations of most runs.
pub(super) const SCALES: Tails = [1.0, 3.0, 20.0, 500.0];

/// Kinds of noise: nearly normal; heavy tails, much like Student's t with three degrees of freedom; and a slow mode with
/// few or with many of the runs.
const KINDS: [Tails; 4] = [
    [0.985, 0.0105, 0.004, 0.0005],
    [0.79, 0.195, 0.0145, 0.0005],
    [0.86, 0.01, 0.12, 0.01],
    [0.64, 0.01, 0.33, 0.02],
];

/// Wandering from block to block, in standard deviations of a run.
const WANDER: [f64; 5] = [0.0, 0.1, 0.3, 1.0, 3.0];

/// Standard deviation between builds, in standard deviations of a run.
const BETWEEN_BUILDS: [f64; 7] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// Steps from good to bad: mean and standard deviation, in multiples of the smallest step that is looked for. Next to
/// nothing is expected near 0, as such a step could not be told from none.
const STEPS: [(f64, f64); 11] = [
    (-9.6, 3.2),
    (-4.6, 1.6),
    (-2.2, 0.7),
    (-1.1, 0.25),
    (1.1, 0.25),
    (2.2, 0.7),
    (4.6, 1.6),
    (9.6, 3.2),
    (0.0, 40.0),
    (0.0, 1e3),
    (0.0, 1e6),
];

/// Distance of two standard deviations on the grid, as a logarithm.
const SPACING: f64 = 0.15;

/// How many there are on either side of the middle.
const REACH: i32 = 11;

/// The ends of the standard deviations around a middle.
pub(super) fn ends(middle: f64) -> [f64; 2] {
    [-REACH, REACH].map(|at| middle * (SPACING * f64::from(at)).exp())
}

/// All points around a middle of the standard deviations.
pub(super) fn points(middle: f64, smallest: f64, builds_vary: bool) -> Vec<Point> {
    let builds: &[f64] = if builds_vary { &BETWEEN_BUILDS } else { &[0.0] };
    let mut points = Vec::new();
    let wander = WANDER.len() * KINDS.len();
    let noises = (2 * REACH + 1) as usize * builds.len() * wander;
    let ln_prior_without_step = -(noises as f64).ln();
    let ln_prior = ln_prior_without_step - (STEPS.len() as f64).ln();
    let mut noise = 0;
    for at in -REACH..=REACH {
        let sd = middle * (SPACING * f64::from(at)).exp();
        for &between in builds {
            // A step must be told from the scatter of builds as well.
            let unit = smallest * sd * (1.0 + between * between).sqrt();
            for wander in WANDER {
                for tails in KINDS {
                    for (step, step_sd) in STEPS {
                        points.push(Point {
                            sd,
                            wander: wander * sd,
                            between_builds: between * sd,
                            tails,
                            step: step * unit,
                            step_sd: step_sd * unit,
                            noise,
                            is_first_step: (step, step_sd) == STEPS[0],
                            ln_prior,
                            ln_prior_without_step,
                        });
                    }
                    noise += 1;
                }
            }
        }
    }
    points
}
