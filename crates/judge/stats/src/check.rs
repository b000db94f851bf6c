//! The checks that stand before every method.

use std::fmt::Display;

use crate::error::Error;

/// Largest accepted size of a value. Squares, fourth powers and ratios of accepted values stay
/// finite, so no method needs to think about overflow.
const LARGEST: f64 = 1e75;
/// Smallest accepted value where ratios are formed.
const SMALLEST: f64 = 1e-75;

/// At least `needed` values, all of them finite and of sane size.
pub(crate) fn sample(what: impl Display, values: &[f64], needed: usize) -> Result<(), Error> {
    if values.len() < needed {
        return Err(Error::TooFew {
            what: what.to_string(),
            needed,
            found: values.len(),
        });
    }
    match values.iter().position(|v| v.is_nan() || v.abs() > LARGEST) {
        None => Ok(()),
        Some(index) => Err(Error::NotFinite {
            what: what.to_string(),
            position: index + 1,
            value: values[index],
        }),
    }
}

/// As [`sample`], and all values positive.
pub(crate) fn positive(what: impl Display, values: &[f64], needed: usize) -> Result<(), Error> {
    sample(&what, values, needed)?;
    match values.iter().position(|&v| v < SMALLEST) {
        None => Ok(()),
        Some(index) => Err(Error::NotPositive {
            what: what.to_string(),
            position: index + 1,
            value: values[index],
        }),
    }
}

/// A number strictly between two bounds.
pub(crate) fn between(what: &'static str, value: f64, above: f64, below: f64) -> Result<(), Error> {
    if value > above && value < below {
        Ok(())
    } else {
        Err(Error::OutOfRange {
            what,
            above,
            below,
            value,
        })
    }
}

/// A probability that is neither 0 nor 1: a confidence, a level, a power.
pub(crate) fn probability(what: &'static str, value: f64) -> Result<(), Error> {
    between(what, value, 0.0, 1.0)
}
