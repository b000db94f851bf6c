//! The steps of latencies that a tool counts in a histogram whose buckets are the wider the larger the latency.

/// The width of the bucket of a value, in the unit of both: `count` buckets from 0 on are `narrowest` wide, and above
/// each further power of two they are twice as wide.
pub(crate) fn bucket(value: f64, narrowest: f64, count: u32) -> f64 {
    let octaves = (value / (f64::from(count) * narrowest)).log2();
    narrowest * (octaves.floor() + 1.0).max(0.0).exp2()
}

/// The narrowest buckets of an HDR histogram (HdrHistogram, C), in ms. redis-benchmark and memtier_benchmark count from
/// 10 us on, which is rounded down to a power of two in us.
const HDR_NARROWEST_MS: f64 = 0.008;

/// How many buckets of an HDR histogram with so many significant decimal figures are the narrowest.
pub(crate) fn hdr_buckets(figures: u32) -> u32 {
    (2 * 10_u32.pow(figures)).next_power_of_two()
}

/// The width of the bucket of a latency in an HDR histogram with so many significant decimal figures, in ms. A
/// percentile is the upper edge of its bucket, just below the next power of two.
pub(crate) fn hdr_bucket_ms(latency_ms: f64, figures: u32) -> f64 {
    bucket(latency_ms, HDR_NARROWEST_MS, hdr_buckets(figures))
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
                hdr_bucket_ms(latency_ms, figures),
                expected,
                "{latency_ms} {figures}"
            );
        }
        assert_eq!(
            [127.0, 128.0, 256.0].map(|value| bucket(value, 1.0, 128)),
            [1.0, 2.0, 4.0]
        );
    }
}
