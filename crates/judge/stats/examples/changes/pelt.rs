//! For comparison: the changes that least squares find, of values and of ranks (Killick, Fearnhead
//! and Eckley, *Journal of the American Statistical Association* 107, 2012).

/// Penalty of a change, per variance and logarithm of the number of values.
const PENALTY: f64 = 3.0;

/// With the variance that the differences of neighbours show.
pub fn of_values(values: &[f64]) -> Vec<usize> {
    let mut steps: Vec<f64> = values
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs())
        .collect();
    steps.sort_unstable_by(f64::total_cmp);
    let median = steps.get(steps.len() / 2).copied().unwrap_or_default();
    let deviation = 1.4826 * median / std::f64::consts::SQRT_2;
    least_squares(values, deviation * deviation)
}

/// With the variance of ranks in random order.
pub fn of_ranks(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    for (rank, place) in order.into_iter().enumerate() {
        ranks[place] = rank as f64;
    }
    let n = values.len() as f64;
    least_squares(&ranks, n * n / 12.0)
}

fn least_squares(values: &[f64], variance: f64) -> Vec<usize> {
    let penalty = PENALTY * variance * (values.len() as f64).ln();
    let mut sums = vec![(0.0, 0.0)];
    for value in values {
        let (sum, squares) = sums[sums.len() - 1];
        sums.push((sum + value, squares + value * value));
    }
    let cost = |start: usize, end: usize| {
        let (sum, squares) = (sums[end].0 - sums[start].0, sums[end].1 - sums[start].1);
        squares - sum * sum / (end - start) as f64
    };
    let mut best = vec![-penalty];
    let mut from = vec![0];
    let mut candidates = vec![0];
    for end in 1..=values.len() {
        let costs: Vec<f64> = candidates
            .iter()
            .map(|start| best[*start] + cost(*start, end))
            .collect();
        let (least, start) = costs
            .iter()
            .zip(&candidates)
            .min_by(|a, b| a.0.total_cmp(b.0))
            .map_or((0.0, 0), |(cost, start)| (cost + penalty, *start));
        best.push(least);
        from.push(start);
        let mut of = costs.iter();
        candidates.retain(|_| of.next().is_some_and(|cost| *cost <= least));
        candidates.push(end);
    }
    let mut changes = Vec::new();
    let mut at = from[values.len()];
    while at > 0 {
        changes.push(at);
        at = from[at];
    }
    changes.reverse();
    changes
}
