//! Seeded intervals: stretches of all lengths, each place in some of every length.
//!
//! Layer `k` has intervals of length `n 2^(-k/2)`, which overlap by half and cover the series; the
//! last layer is the last one whose length is at least 8. There are about `0.85 n` of them. Source:
//! Kovács, Bühlmann, Li and Munk, *Biometrika* 110 (2023).

use std::ops::Range;

/// Fewest values of an interval.
pub const SHORTEST: usize = 8;

/// The intervals of a series of `n` values, layer by layer, from long to short: both the starts and
/// the ends of a layer ascend. Nothing for fewer than [`SHORTEST`] values.
pub fn layers(n: usize) -> Vec<Vec<Range<usize>>> {
    let mut layers = Vec::new();
    let mut length = n as f64;
    while length >= SHORTEST as f64 {
        layers.push(layer(n, length));
        // Halved in turns, so that every second length is exact.
        let halvings = layers.len() / 2;
        length = n as f64 / (1_u64 << halvings.min(62)) as f64;
        if layers.len() % 2 == 1 {
            length *= std::f64::consts::FRAC_1_SQRT_2;
        }
    }
    layers
}

fn layer(n: usize, length: f64) -> Vec<Range<usize>> {
    let count = 2 * (n as f64 / length).ceil() as usize - 1;
    if count < 2 {
        return vec![Range { start: 0, end: n }];
    }
    let step = (n as f64 - length) / (count - 1) as f64;
    let ends = (0..count).map(|index| {
        let start = index as f64 * step;
        Range {
            start: start.floor() as usize,
            end: ((start + length).ceil() as usize).min(n),
        }
    });
    ends.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_covers_the_series_and_overlaps_by_half() {
        for n in [8, 9, 14, 20, 150, 1001, 10_000] {
            let layers = layers(n);
            assert_eq!((layers[0].len(), &layers[0][0]), (1, &(0..n)));
            for layer in &layers {
                assert_eq!((layer[0].start, layer[layer.len() - 1].end), (0, n));
                assert!(layer.iter().all(|interval| interval.len() >= SHORTEST));
                for pair in layer.windows(2) {
                    assert!(pair[0].start <= pair[1].start && pair[0].end <= pair[1].end);
                    // By half, but for a value at each end.
                    let shared = pair[0].end - pair[1].start;
                    assert!(2 * shared + 2 >= pair[0].len(), "{n}: {pair:?}");
                }
            }
            let count: usize = layers.iter().map(Vec::len).sum();
            assert!(count <= n, "{n}: {count}");
        }
        assert!(layers(7).is_empty());
    }
}
