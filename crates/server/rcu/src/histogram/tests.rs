use super::{BUCKETS, Durations, Histogram, bucket};

#[test]
fn buckets_begin_at_their_lower_bounds() {
    for index in 1..BUCKETS {
        let from = Durations::lower_bound_ns(index);
        assert_eq!(bucket(from), index);
        assert_eq!(bucket(from - 1), index - 1);
    }
    assert_eq!(Durations::lower_bound_ns(0), 64);
    assert_eq!(Durations::lower_bound_ns(1), 96);
    assert_eq!(Durations::lower_bound_ns(2), 128);
    let end = Durations::lower_bound_ns(BUCKETS);
    assert_eq!(Durations::lower_bound_ns(usize::MAX), end);
}

#[test]
fn any_duration_has_a_bucket() {
    for ns in [0, 1, 2, 63] {
        assert_eq!(bucket(ns), 0);
    }
    assert_eq!(bucket(u64::MAX), BUCKETS - 1);
}

#[test]
fn quantiles_lie_in_their_buckets() {
    let histogram = Histogram::new();
    assert_eq!(histogram.durations().quantile_ns(0.5), None);
    for _ in 0..99 {
        histogram.add(100);
    }
    let before = histogram.durations();
    histogram.add(1_000_000);
    let all = histogram.durations();
    assert_eq!(all.count(), 100);
    assert_eq!(all.total_ns, 1_009_900);
    assert_eq!(all.longest_ns, 1_000_000);
    let median = all.quantile_ns(0.5).unwrap();
    assert!((96.0..128.0).contains(&median), "{median}");
    let last = all.quantile_ns(1.0).unwrap();
    assert!((786_432.0..=1_000_000.0).contains(&last), "{last}");
    assert_eq!(all.since(&before).count(), 1);
    assert_eq!(all.since(&before).total_ns, 1_000_000);
}
