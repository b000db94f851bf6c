//! Has it changed, asked again with each value that arrives?
//!
//! A test that is repeated with each value finds a change in the end, whether there is one or not.
//! So gamblers bet that the values change, with odds that are fair as long as they do not. With each
//! value a further gambler begins, with one unit. The rank of the new value among all so far is as
//! likely to be any as long as nothing changes, whatever the noise; each gambler's wealth is
//! multiplied by `exp(b c) / M(b)`, `c` the rank brought to -1/2 .. 1/2, `b` the bet and `M` the mean
//! of the numerator over all ranks. What all gamblers hold together (Shiryaev and Roberts' statistic)
//! is `t` on average after `t` values. An alarm is raised when it reaches a limit `A`:
//!
//! - the mean number of values up to a false alarm is `A` at least,
//! - the chance of a false alarm within `t` values is `t / A` at most.
//!
//! Nothing is stored between looks: the state follows from the series. After an alarm, call it with
//! the values from the change on.
//!
//! Where neighbours are alike, `M` is raised to the power `(1 + rho) / (1 - rho)`, with `rho` from
//! the ranks of earlier values: the same bet on sums that vary so much more. This is an
//! approximation.
//!
//! Sources: Shin, Ramdas and Rinaldo, *E-detectors*, *New England Journal of Statistics in Data
//! Science* 2 (2024); Vovk, Nouretdinov and Gammerman, *Testing exchangeability on-line*, ICML 2003.

use super::present;
use crate::check;
use crate::error::Error;

/// Sizes of the bets: on steps of about a third, two thirds, 1.5 and 4 standard deviations.
const BETS: [f64; 5] = [1.0, 2.0, 5.0, 12.0, 30.0];

/// The values that arrived last say nothing of the autocorrelation: after a change they are alike.
const LATE: usize = 12;

/// Largest autocorrelation that is reckoned with.
const MOST: f64 = 0.9;

/// A change that was noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alarm {
    /// The value that raised it, by its index in the series.
    pub at: usize,
    /// The value from which on the bets gained most: about where the change is.
    pub since: usize,
    /// Whether values are larger since then.
    pub rises: bool,
}

/// What the values so far have shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrivals {
    /// The first alarm.
    pub alarm: Option<Alarm>,
    /// What all gamblers hold after the last value, or at the alarm, over the limit: an alarm from
    /// 1 on.
    pub wealth: f64,
}

/// The first alarm in a series in which values may be missing. `limit`: the mean number of values up
/// to a false alarm, above 1.
///
/// ```
/// use perflab_stats::changes::arrivals::arrivals;
///
/// let noise = |i: u32| f64::from(i * 37 % 101) / 100.0;
/// let series: Vec<Option<f64>> = (0..70).map(|i| Some(noise(i) + if i < 60 { 5.0 } else { 7.0 })).collect();
/// assert_eq!(arrivals(&series[..60], 1000.0)?.alarm, None);
/// let alarm = arrivals(&series, 1000.0)?.alarm.expect("an alarm");
/// assert!(alarm.since == 60 && alarm.at < 66 && alarm.rises);
/// # Ok::<(), perflab_stats::Error>(())
/// ```
///
/// # Errors
/// An unusable value, too many values, or a limit that is not above 1.
pub fn arrivals(series: &[Option<f64>], limit: f64) -> Result<Arrivals, Error> {
    check::between("values up to a false alarm", limit, 1.0, f64::INFINITY)?;
    let (values, places) = present(series)?;
    let mut sorted: Vec<f64> = Vec::with_capacity(values.len());
    let mut likeness = Likeness::default();
    let mut gains: Vec<Gains> = Vec::with_capacity(values.len());
    let mut wealth = [[0.0_f64; BETS.len()]; 2];
    let mut total = 0.0;
    for (t, value) in values.iter().enumerate() {
        let below = sorted.partition_point(|v| v < value);
        let upto = sorted.partition_point(|v| v <= value);
        sorted.insert(upto, *value);
        let score = 0.5 * (below + upto + 1) as f64 / (t + 1) as f64 - 0.5;
        let gained = Gains::of(score, t + 1, likeness.power());
        likeness.observe(score);
        for (held, gain) in wealth.iter_mut().flatten().zip(gained.0.iter().flatten()) {
            *held = (*held + 1.0) * gain.exp();
        }
        gains.push(gained);
        total = wealth.iter().flatten().sum::<f64>() / (2 * BETS.len()) as f64;
        if total >= limit {
            let (since, rises) = best(&gains);
            let alarm = Alarm {
                at: places[t],
                since: places[since],
                rises,
            };
            return Ok(Arrivals {
                alarm: Some(alarm),
                wealth: total / limit,
            });
        }
    }
    Ok(Arrivals {
        alarm: None,
        wealth: total / limit,
    })
}

/// Logarithms of what a value multiplies the wealth by: for each bet, on larger and on smaller values.
struct Gains([[f64; BETS.len()]; 2]);

impl Gains {
    /// `score`: the rank of the last of `t` values, from -1/2 to 1/2.
    fn of(score: f64, t: usize, power: f64) -> Self {
        let of = |sign: f64| BETS.map(|bet| sign * bet * score - power * ln_mean(bet, t));
        Self([of(1.0), of(-1.0)])
    }
}

/// Logarithm of the mean of `exp(bet c)` over the scores of `t` values, `(j - 1/2) / t - 1/2`.
fn ln_mean(bet: f64, t: usize) -> f64 {
    let t = t as f64;
    // ln sinh(x) + ln 2; the constant drops out of the quotient.
    let ln_sinh = |x: f64| x + (-(-2.0 * x).exp_m1()).ln();
    ln_sinh(0.5 * bet) - ln_sinh(0.5 * bet / t) - t.ln()
}

/// The value from which on a gambler gained most, and whether by betting on larger values.
fn best(gains: &[Gains]) -> (usize, bool) {
    let (mut most, mut since, mut rises) = (f64::NEG_INFINITY, 0, true);
    for side in 0..2 {
        for bet in 0..BETS.len() {
            let mut sum = 0.0;
            for (place, gained) in gains.iter().enumerate().rev() {
                sum += gained.0[side][bet];
                if sum > most {
                    (most, since, rises) = (sum, place, side == 0);
                }
            }
        }
    }
    (since, rises)
}

/// Autocorrelation of the scores at distance 1, of all but the last ones.
#[derive(Default)]
struct Likeness {
    scores: Vec<f64>,
    products: f64,
    squares: f64,
}

impl Likeness {
    fn observe(&mut self, score: f64) {
        self.scores.push(score);
        if let Some(place) = self.scores.len().checked_sub(LATE + 1) {
            let before = place
                .checked_sub(1)
                .map_or(0.0, |before| self.scores[before]);
            self.products += before * self.scores[place];
            self.squares += self.scores[place] * self.scores[place];
        }
    }

    fn power(&self) -> f64 {
        if self.squares <= 0.0 {
            return 1.0;
        }
        let rho = (self.products / self.squares).clamp(0.0, MOST);
        (1.0 + rho) / (1.0 - rho)
    }
}
