use crate::bins::{BINS, bin, bounds};
use crate::{Durations, Histogram};

/// A step of splitmix64: words that look random.
fn next_word(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[test]
fn bins_follow_each_other_and_are_narrow() {
    let mut next = 0;
    for index in 0..BINS {
        let (lowest, highest) = bounds(index);
        assert_eq!((lowest, bin(lowest), bin(highest)), (next, index, index));
        assert!(highest - lowest <= lowest / 64, "{lowest} to {highest}");
        next = highest.wrapping_add(1);
    }
    assert_eq!(next, 0, "the last one ends with the last word");
}

/// Against the sorted durations, of all lengths and numbers.
#[test]
fn quantiles_are_those_of_the_sorted_durations_but_for_a_bin() {
    let mut state = 7;
    for round in 0..500 {
        let histogram = Histogram::new();
        assert_eq!(histogram.durations().quantile_ns(0.5), None);
        let length = next_word(&mut state) % 60;
        let mut sorted: Vec<u64> = (0..=round)
            .map(|_| next_word(&mut state) >> (length + next_word(&mut state) % 4))
            .collect();
        sorted.iter().for_each(|ns| histogram.add(*ns));
        sorted.sort_unstable();
        let all = histogram.durations();
        let (shortest, longest) = (sorted[0], sorted[sorted.len() - 1]);
        assert_eq!((all.shortest_ns, all.longest_ns), (shortest, longest));
        for percent in 0..=100 {
            let share = f64::from(percent) / 100.0;
            let rank = (share * sorted.len() as f64).ceil().max(1.0) as usize;
            let (exact, found) = (sorted[rank - 1], all.quantile_ns(share).expect("some"));
            assert_eq!(bin(found), bin(exact), "{share} of {sorted:?}");
            assert!(
                (shortest..=longest).contains(&found),
                "{found} of {sorted:?}"
            );
        }
    }
}

#[test]
fn a_single_duration_is_every_quantile() {
    let histogram = Histogram::new();
    histogram.add(46_250_000);
    let all = histogram.durations();
    assert_eq!(
        [0.0, 0.5, 0.99, 1.0].map(|share| all.quantile_ns(share)),
        [Some(46_250_000); 4]
    );
}

#[test]
fn what_came_before_does_not_count() {
    let histogram = Histogram::new();
    histogram.add(1);
    histogram.add(1 << 40);
    let before = histogram.durations();
    let none = before.since(&before);
    assert_eq!(
        (none.count(), none.quantile_ns(0.5), none.longest_ns),
        (0, None, 0)
    );
    histogram.add(1000);
    histogram.add(9000);
    let since = histogram.durations().since(&before);
    assert_eq!((since.count(), since.total_ns), (2, 10_000));
    assert_eq!(
        (bin(since.shortest_ns), bin(since.longest_ns)),
        (bin(1000), bin(9000))
    );
}

#[test]
fn durations_of_threads_that_are_merged_are_those_of_one() {
    let mut state = 3;
    let mut parts = [Durations::new(), Durations::new()];
    let together = Histogram::new();
    for number in 0..1000 {
        let ns = next_word(&mut state) >> 40;
        parts[number % 2].add(ns);
        together.add(ns);
    }
    let [mut merged, second] = parts;
    merged.merge(&second);
    merged.merge(&Durations::new());
    assert_eq!(merged, together.durations());
    let mean = merged.mean_ns().expect("some");
    assert!((mean * 1000.0 - merged.total_ns as f64).abs() < 1.0);
    assert_eq!(Durations::new().mean_ns(), None);
}

#[test]
fn rows_are_powers_of_two_in_halves() {
    let histogram = Histogram::new();
    for ns in [
        0,
        1,
        2,
        3,
        4,
        1023,
        1024,
        1500,
        1535,
        1536,
        2047,
        2048,
        u64::MAX,
    ] {
        histogram.add(ns);
    }
    let rows = histogram.durations().rows();
    let expected = [
        (0, 1),
        (1, 1),
        (2, 1),
        (3, 1),
        (4, 1),
        (768, 1),
        (1024, 3),
        (1536, 2),
        (2048, 1),
        (3 << 62, 1),
    ];
    assert_eq!(rows, expected);
}
