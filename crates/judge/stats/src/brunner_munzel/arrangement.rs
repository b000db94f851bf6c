//! The Brunner-Munzel statistic of one assignment of labels to the pooled values.

/// The pooled values in ascending order, reduced to how many of them are equal.
pub(super) struct Groups {
    sizes: Vec<usize>,
}

impl Groups {
    /// The groups of equal values of both samples together, and for each value, in ascending
    /// order, whether it is the candidate's.
    pub(super) fn of(a: &[f64], b: &[f64]) -> (Self, Vec<bool>) {
        let from_a = a.iter().map(|&v| (v, false));
        let mut pooled: Vec<(f64, bool)> = from_a.chain(b.iter().map(|&v| (v, true))).collect();
        pooled.sort_by(|x, y| x.0.total_cmp(&y.0));
        let sizes = pooled.chunk_by(|x, y| x.0 == y.0).map(<[_]>::len).collect();
        let labels = pooled.iter().map(|&(_, is_b)| is_b).collect();
        (Self { sizes }, labels)
    }

    pub(super) fn placements(&self, labels: &[bool]) -> Placements {
        let (mut a, mut b) = (Side::default(), Side::default());
        let mut start = 0;
        for size in &self.sizes {
            let in_b = labels[start..start + size].iter().filter(|l| **l).count() as u128;
            let in_a = *size as u128 - in_b;
            start += size;
            let (below_a, below_b) = (a.runs, b.runs);
            a.add(in_a, 2 * below_b + in_b);
            b.add(in_b, 2 * below_a + in_a);
        }
        Placements { a, b }
    }
}

/// Placements of a side's runs: how many runs of the other side lie below each, ties counting one
/// half. Kept doubled, so that sums are exact.
#[derive(Default)]
struct Side {
    runs: u128,
    sum: u128,
    squares: u128,
}

impl Side {
    fn add(&mut self, runs: u128, placement: u128) {
        self.runs += runs;
        self.sum += runs * placement;
        self.squares += runs * placement * placement;
    }

    /// Variance of the placements, with divisor `runs - 1`.
    fn variance(&self) -> f64 {
        let scaled = self.runs * self.squares - self.sum * self.sum;
        scaled as f64 / (4 * self.runs * (self.runs - 1)) as f64
    }
}

pub(super) struct Placements {
    a: Side,
    b: Side,
}

impl Placements {
    /// `P(a < b) + P(a = b) / 2`.
    pub(super) fn effect(&self) -> f64 {
        self.b.sum as f64 / (2 * self.a.runs * self.b.runs) as f64
    }

    /// Statistic and degrees of freedom; none if the placements do not vary.
    pub(super) fn statistic(&self) -> Option<(f64, f64)> {
        let (n, m) = (self.a.runs as f64, self.b.runs as f64);
        let (from_a, from_b) = (n * self.a.variance(), m * self.b.variance());
        let total = from_a + from_b;
        if total == 0.0 {
            return None;
        }
        let statistic = n * m * (self.effect() - 0.5) / total.sqrt();
        let df = total * total / (from_a * from_a / (n - 1.0) + from_b * from_b / (m - 1.0));
        Some((statistic, df))
    }
}
