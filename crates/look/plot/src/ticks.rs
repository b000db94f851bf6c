//! Round numbers along an axis.

use crate::axis::Scale;

/// A place of an axis that is named.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) label: String,
}

/// Round numbers, 1, 2 or 5 times a power of ten apart, at most so many; or all names.
pub(crate) fn ticks(scale: &Scale, most: usize) -> Vec<Tick> {
    match scale {
        Scale::Numbers { low, high } => numbers(*low, *high, most.max(2)),
        Scale::Names(names) => names
            .iter()
            .enumerate()
            .map(|(at, name)| Tick {
                at: at as f64,
                label: name.clone(),
            })
            .collect(),
    }
}

fn numbers(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let power = ((high - low) / most as f64).log10().floor();
    let Some((step, power)) = [power, power + 1.0]
        .into_iter()
        .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| (digit * 10f64.powf(power), power)))
        .find(|(step, _)| *step > 0.0 && ((high - low) / step).floor() < most as f64)
    else {
        return Vec::new();
    };
    let largest = low.abs().max(high.abs());
    let first = (low / step).ceil();
    (0..most)
        .map(|index| (first + index as f64) * step)
        .take_while(|at| *at <= high)
        // A negative zero is none.
        .map(|at| Tick {
            at: at + 0.0,
            label: label(at + 0.0, power, largest),
        })
        .collect()
}

/// A number of an axis whose steps begin at this power of ten: with as many decimals as tell them apart.
fn label(at: f64, power: f64, largest: f64) -> String {
    // A zero is one, though the sum of steps may not be.
    if at.abs() < largest * 1e-12 {
        return "0".to_owned();
    }
    if !(1e-6..1e7).contains(&largest) {
        // The digits of an f64.
        let decimals = (largest.log10().floor() - power).clamp(0.0, 15.0) as usize;
        let text = format!("{at:.decimals$e}");
        let (number, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let number = number.trim_end_matches('0').trim_end_matches('.');
        return format!("{number}e{exponent}");
    }
    let decimals = (-power).clamp(0.0, 17.0) as usize;
    format!("{at:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(low: f64, high: f64, most: usize) -> String {
        let ticks = numbers(low, high, most);
        let labels: Vec<&str> = ticks.iter().map(|tick| tick.label.as_str()).collect();
        labels.join(" ")
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(0.0, 10.0, 6), "0 2 4 6 8 10");
        assert_eq!(labels(-3.1, 2.2, 6), "-3 -2 -1 0 1 2");
        assert_eq!(labels(0.0012, 0.0031, 5), "0.0015 0.0020 0.0025 0.0030");
        assert_eq!(
            labels(48_000.0, 53_000.0, 6),
            "48000 49000 50000 51000 52000 53000"
        );
        assert_eq!(labels(0.0, 3e9, 4), "0 1e9 2e9 3e9");
    }

    #[test]
    fn labels_tell_places_far_from_zero_apart() {
        assert_eq!(
            labels(1.0e9, 1.00005e9, 6),
            "1e9 1.00001e9 1.00002e9 1.00003e9 1.00004e9 1.00005e9"
        );
        assert_eq!(
            labels(0.999_999_999_5e-5, 1.000_000_004e-5, 3),
            "0.00001000000000 0.00001000000002 0.00001000000004"
        );
    }

    /// Numbers of all sizes.
    fn any_size() -> impl Strategy<Value = f64> {
        (1.0f64..10.0, -12i32..12).prop_map(|(mantissa, power)| mantissa * 10f64.powi(power))
    }

    proptest! {
        #[test]
        fn any_range_has_ticks_within(
            low in prop_oneof![8 => any_size(), 8 => any_size().prop_map(|size| -size), 1 => Just(0.0)],
            size in any_size(),
            most in 2usize..20,
        ) {
            let high = low + size;
            // Places closer together come near to what an f64 can tell apart.
            prop_assume!(size > low.abs() * 1e-9);
            let ticks = numbers(low, high, most);
            prop_assert!(ticks.len() <= most);
            prop_assert!(ticks.iter().all(|tick| tick.at >= low - size * 1e-6 && tick.at <= high + size * 1e-6));
            prop_assert!(ticks.is_sorted_by(|a, b| a.at < b.at));
            let [first, second, ..] = ticks.as_slice() else {
                return Ok(());
            };
            let step = second.at - first.at;
            for tick in &ticks {
                let told: f64 = tick.label.parse().unwrap();
                prop_assert!((told - tick.at).abs() < step / 2.0, "{tick:?}");
            }
            prop_assert!(ticks.is_sorted_by(|a, b| a.label != b.label), "{ticks:?}");
        }
    }
}
