//! The steps of latencies that a tool counts in an HDR histogram (HdrHistogram, C).

/// The width of the narrowest buckets. redis-benchmark and memtier_benchmark count from 10 us on, which is rounded down to a
/// power of two in us.
const UNIT_MS: f64 = 0.008;

/// The width of the bucket of a latency, in ms, of a histogram with so many significant decimal figures.
///
/// There are the next power of two of `2 * 10^figures` buckets of 8 us each, and above each power of two of latency they are
/// twice as wide.
pub(crate) fn bucket_ms(latency_ms: f64, figures: u32) -> f64 {
    let buckets = f64::from((2 * 10_u32.pow(figures)).next_power_of_two());
    let octaves = (latency_ms / (buckets * UNIT_MS)).log2();
    // A percentile is the upper edge of its bucket, just below the next power of two.
    UNIT_MS * (octaves.floor() + 1.0).max(0.0).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_double_at_each_power_of_two() {
        for (latency_ms, figures, expected) in [
            (0.391, 3, 0.008),
            (16.383, 3, 0.008),
            (16.4, 3, 0.016),
            (32.767, 3, 0.016),
            (40.0, 3, 0.032),
            (0.255, 1, 0.008),
            (0.3, 1, 0.016),
            (0.0, 3, 0.008),
        ] {
            assert_eq!(
                bucket_ms(latency_ms, figures),
                expected,
                "{latency_ms} {figures}"
            );
        }
    }
}
