//! An axis: numbers from a lowest to a highest, or names side by side.

/// An axis of a plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it is, with its unit: `rps (1/s)`. Empty where that is plain.
    pub title: String,
    /// Its places.
    pub scale: Scale,
}

/// The places of an axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// Numbers; finite, and the lower one is below the higher one.
    Numbers {
        /// The lower end.
        low: f64,
        /// The higher end.
        high: f64,
    },
    /// Names: the first is at 0, the next at 1. On a vertical axis the first is on top.
    Names(Vec<String>),
}

/// Room beyond the outermost values, as a share of their range.
const ROOM: f64 = 0.04;

impl Axis {
    /// An axis on which all these values find place; those that are not finite do not count.
    pub fn around(title: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = values
            .into_iter()
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        Self {
            title: title.into(),
            scale: Scale::spread(low, high),
        }
    }

    /// An axis of exactly this range, as far as it is one.
    pub fn between(title: impl Into<String>, low: f64, high: f64) -> Self {
        let fits = low.is_finite() && high.is_finite() && low < high;
        Self {
            title: title.into(),
            scale: if fits {
                Scale::Numbers { low, high }
            } else {
                Scale::spread(low, high)
            },
        }
    }

    /// An axis of names.
    pub fn names(title: impl Into<String>, names: impl IntoIterator<Item = String>) -> Self {
        Self {
            title: title.into(),
            scale: Scale::Names(names.into_iter().collect()),
        }
    }
}

impl Scale {
    /// A range around two values, with some room; also where they are one, or none.
    fn spread(low: f64, high: f64) -> Self {
        if !low.is_finite() || !high.is_finite() || low > high {
            return Self::Numbers {
                low: 0.0,
                high: 1.0,
            };
        }
        let mut room = (high - low) * ROOM;
        if room == 0.0 {
            // Where all values are one, it is in the middle.
            room = if low == 0.0 { 1.0 } else { low.abs() * 0.05 };
        }
        let (lower, higher) = (low - room, high + room);
        // Where the range exceeds what a number can tell, or the room is too small for one.
        if lower.is_finite() && higher.is_finite() && lower < higher && (higher - lower).is_finite()
        {
            Self::Numbers {
                low: lower,
                high: higher,
            }
        } else {
            Self::Numbers {
                low: f64::MIN / 4.0,
                high: f64::MAX / 4.0,
            }
        }
    }

    /// Where a value is, from 0 at the lower end to 1 at the higher one; names have a place of equal size each.
    /// Nothing for what is no number.
    pub(crate) fn share(&self, value: f64) -> Option<f64> {
        let share = match self {
            Self::Numbers { low, high } => (value - low) / (high - low),
            Self::Names(names) => (value + 0.5) / names.len().max(1) as f64,
        };
        share.is_finite().then_some(share)
    }

    /// The same, no further than the ends.
    pub(crate) fn clamped(&self, value: f64) -> Option<f64> {
        self.share(value).map(|share| share.clamp(0.0, 1.0))
    }

    /// The names, where it has any.
    pub(crate) fn as_names(&self) -> Option<&[String]> {
        match self {
            Self::Names(names) => Some(names),
            Self::Numbers { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(scale: &Scale) -> (f64, f64) {
        match scale {
            Scale::Numbers { low, high } => (*low, *high),
            Scale::Names(_) => panic!("names"),
        }
    }

    #[test]
    fn all_values_find_place() {
        let cases: [&[f64]; 8] = [
            &[1.0, 2.0],
            &[5.0],
            &[0.0, 0.0],
            &[-3.0, -3.0],
            &[],
            &[f64::NAN, 1.0, f64::INFINITY],
            &[f64::MIN, f64::MAX],
            &[5e-324, 0.0],
        ];
        for values in cases {
            let axis = Axis::around("", values.iter().copied());
            let (low, high) = ends(&axis.scale);
            assert!(low < high && (high - low).is_finite(), "{values:?}");
            for value in values.iter().filter(|value| value.abs() < 1e300) {
                let share = axis.scale.share(*value).unwrap();
                assert!((0.0..=1.0).contains(&share), "{value} of {values:?}");
            }
        }
    }

    #[test]
    fn names_share_the_axis() {
        let scale = Scale::Names(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(scale.share(0.0), Some(0.25));
        assert_eq!(scale.share(1.0), Some(0.75));
        assert_eq!(scale.share(f64::NAN), None);
    }
}
