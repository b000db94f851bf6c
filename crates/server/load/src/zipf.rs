//! Zipf's law: the key of rank k is asked for in proportion to k to the power of minus the exponent.
//!
//! Ranks are drawn exactly, without a table, by rejection-inversion: W. Hörmann and G. Derflinger, "Rejection-inversion
//! to generate variates from monotone discrete distributions", ACM Transactions on Modeling and Computer Simulation 6
//! (1996), 169-184. The names are theirs: `h` is the law without its constant, `H` an integral of it.

use crate::random::Random;

/// Draws ranks.
#[derive(Debug, Clone)]
pub struct Zipf {
    ranks: f64,
    exponent: f64,
    /// `H` at 3/2, minus `h` at 1: the whole of rank 1 is drawn from the interval that ends in 3/2.
    first: f64,
    /// `H` at half a rank behind the last.
    last: f64,
    /// Points that lie this little in front of their rank are accepted without a look at `H`.
    margin: f64,
}

impl Zipf {
    /// Of ranks from 1. There is at least one; the exponent is above 0.
    pub fn new(ranks: u64, exponent: f64) -> Self {
        let mut zipf = Self {
            ranks: ranks as f64,
            exponent,
            first: 0.0,
            last: 0.0,
            margin: 0.0,
        };
        zipf.first = zipf.integral(1.5) - 1.0;
        zipf.last = zipf.integral(zipf.ranks + 0.5);
        zipf.margin = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.law(2.0));
        zipf
    }

    /// A rank.
    pub fn rank(&self, random: &mut Random) -> u64 {
        loop {
            let area = self.last + random.unit() * (self.first - self.last);
            let point = self.inverse(area);
            let rank = point.round().clamp(1.0, self.ranks);
            if rank - point <= self.margin || area >= self.integral(rank + 0.5) - self.law(rank) {
                return rank as u64;
            }
        }
    }

    /// `h`.
    fn law(&self, point: f64) -> f64 {
        (-self.exponent * point.ln()).exp()
    }

    /// `H`: an integral of `h` that is 0 at 1.
    fn integral(&self, point: f64) -> f64 {
        let log = point.ln();
        let power = (1.0 - self.exponent) * log;
        // Near an exponent of 1 the quotient would be 0 by 0.
        if power.abs() > 1e-8 {
            power.exp_m1() / power * log
        } else {
            (1.0 + power / 2.0) * log
        }
    }

    /// The inverse of `H`.
    fn inverse(&self, area: f64) -> f64 {
        // Rounding may lead below the range of `H`.
        let part = (area * (1.0 - self.exponent)).max(-1.0);
        let log = if part.abs() > 1e-8 {
            part.ln_1p() / part * area
        } else {
            (1.0 - part / 2.0) * area
        };
        log.exp()
    }
}

#[cfg(test)]
mod tests {
    use super::Zipf;
    use crate::random::Random;

    /// Pearson's statistic of draws against the exact law, and its degrees of freedom. Ranks are put together until at
    /// least ten draws are expected.
    fn chi_square(ranks: u64, exponent: f64, draws: u32) -> (f64, f64) {
        let zipf = Zipf::new(ranks, exponent);
        let mut random = Random::new(2026, ranks);
        let mut counts = vec![0_u32; ranks as usize];
        for _ in 0..draws {
            counts[zipf.rank(&mut random) as usize - 1] += 1;
        }
        let weights = (1..=ranks).map(|rank| (rank as f64).powf(-exponent));
        let weights: Vec<f64> = weights.collect();
        let total: f64 = weights.iter().sum();
        let (mut statistic, mut cells) = (0.0, 0.0);
        let (mut expected, mut counted) = (0.0, 0.0);
        let mut left = f64::from(draws);
        for (weight, count) in weights.iter().zip(&counts) {
            expected += weight / total * f64::from(draws);
            counted += f64::from(*count);
            // The last cell takes the rest, so the others leave enough for it.
            if expected >= 10.0 && left - expected >= 10.0 {
                statistic += (counted - expected).powi(2) / expected;
                left -= expected;
                cells += 1.0;
                (expected, counted) = (0.0, 0.0);
            }
        }
        if expected > 0.0 {
            statistic += (counted - expected).powi(2) / expected;
            cells += 1.0;
        }
        (statistic, cells - 1.0)
    }

    #[test]
    fn ranks_follow_the_law() {
        for (ranks, exponent) in [
            (10, 0.5),
            (1000, 0.99),
            (1000, 1.0),
            (1000, 1.000_000_001),
            (1000, 1.4),
            (100, 3.0),
            (100_000, 0.01),
            (2, 1.0),
        ] {
            let (statistic, freedom) = chi_square(ranks, exponent, 200_000);
            // Four standard deviations of the statistic; with a fixed seed the outcome is always the same.
            let most = freedom + 4.0 * (2.0 * freedom).sqrt() + 4.0;
            assert!(
                statistic < most,
                "{ranks} ranks, exponent {exponent}: {statistic} with {freedom} degrees of freedom"
            );
        }
    }

    #[test]
    fn another_law_is_told_apart() {
        // The test above could accept anything: draws of one exponent do not fit another that is near it.
        let zipf = Zipf::new(100, 1.0);
        let mut random = Random::new(1, 1);
        let firsts = (0..100_000).filter(|_| zipf.rank(&mut random) == 1).count();
        let total: f64 = (1..=100_u32).map(|rank| f64::from(rank).recip()).sum();
        let expected = 100_000.0 / total;
        assert!((firsts as f64 - expected).abs() < 5.0 * expected.sqrt());
        let other: f64 = (1..=100_u32).map(|rank| f64::from(rank).powf(-1.05)).sum();
        assert!((firsts as f64 - 100_000.0 / other).abs() > 5.0 * expected.sqrt());
    }

    #[test]
    fn a_single_rank_is_always_drawn() {
        let zipf = Zipf::new(1, 0.9);
        let mut random = Random::new(9, 9);
        assert!((0..1000).all(|_| zipf.rank(&mut random) == 1));
    }
}
