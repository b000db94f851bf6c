//! How many times slower than the fastest command, as `hyperfine` states it.

use super::entry::Entry;

/// A ratio of means and its deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Relative {
    /// 1 for the fastest.
    pub(super) ratio: f64,
    /// None for the fastest, and where either command ran only once.
    pub(super) deviation: Option<f64>,
}

/// One ratio per entry, in their order.
///
/// The deviation of a ratio r of means a and b with standard deviations s and t is
/// r sqrt((s/a)^2 + (t/b)^2), the first order of error propagation for independent values
/// (ISO/IEC Guide 98-3:2008, 5.1.2). It is that of single runs, not of the means, and no
/// confidence interval.
pub(super) fn to_fastest(entries: &[Entry]) -> Vec<Relative> {
    let Some(fastest) = entries.iter().min_by(|a, b| a.mean.total_cmp(&b.mean)) else {
        return Vec::new();
    };
    entries
        .iter()
        .map(|entry| {
            if entry == fastest {
                return Relative {
                    ratio: 1.0,
                    deviation: None,
                };
            }
            if fastest.mean == 0.0 {
                return Relative {
                    ratio: f64::INFINITY,
                    deviation: None,
                };
            }
            let ratio = entry.mean / fastest.mean;
            let deviation = entry.stddev.zip(fastest.stddev).map(|(own, of_fastest)| {
                let own = (own / entry.mean).powi(2);
                let of_fastest = (of_fastest / fastest.mean).powi(2);
                ratio * (own + of_fastest).sqrt()
            });
            Relative { ratio, deviation }
        })
        .collect()
}
