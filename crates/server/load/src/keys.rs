//! Keys: their names, and which of them is asked for how often.

use std::f64::consts::TAU;
use std::fmt;
use std::str::FromStr;

use crate::random::Random;
use crate::zipf::Zipf;

/// What each key begins with; digits follow.
const PREFIX: &[u8] = b"key:";

/// Bytes of a key at most.
const MOST_BYTES: usize = 65_536;

/// How often each key is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distribution {
    /// Each key as often.
    Uniform,
    /// By Zipf's law with this exponent, above 0 and at most 10: key 0 most often.
    Zipf(f64),
    /// Key 0 only.
    One,
    /// A normal distribution around the key in the middle: the standard deviation is a sixth of the number of keys, as
    /// in `memtier_benchmark`, and what lies outside is drawn again.
    Gaussian,
}

impl FromStr for Distribution {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("zipf:")) {
            ("uniform", _) => Ok(Self::Uniform),
            ("one", _) => Ok(Self::One),
            ("gaussian", _) => Ok(Self::Gaussian),
            (_, Some(exponent)) => match exponent.parse() {
                Ok(exponent) if 0.0 < exponent && exponent <= 10.0 => Ok(Self::Zipf(exponent)),
                _ => Err("expected an exponent above 0 and at most 10, as in zipf:0.99".to_owned()),
            },
            _ => Err("expected uniform, zipf:EXPONENT, gaussian or one".to_owned()),
        }
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform => formatter.write_str("uniform"),
            Self::Zipf(exponent) => write!(formatter, "zipf:{exponent}"),
            Self::One => formatter.write_str("one"),
            Self::Gaussian => formatter.write_str("gaussian"),
        }
    }
}

/// The keys of a load: `key:` and a number from 0, with as many zeros before it as the size asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Keys {
    /// How many there are, at least 1.
    pub count: u64,
    /// Bytes of each.
    pub bytes: usize,
    /// How often each is asked for.
    pub distribution: Distribution,
}

impl Keys {
    /// # Errors
    /// If there is no key, or the numbers do not fit.
    pub fn check(&self) -> Result<(), String> {
        if self.count == 0 {
            return Err("expected at least one key".to_owned());
        }
        let digits = (self.count - 1).checked_ilog10().unwrap_or(0) as usize + 1;
        let least = PREFIX.len() + digits;
        if (least..=MOST_BYTES).contains(&self.bytes) {
            Ok(())
        } else {
            Err(format!(
                "{} keys do not fit keys of {} bytes: expected {least} to {MOST_BYTES} bytes",
                self.count, self.bytes
            ))
        }
    }

    /// Draws the numbers of keys.
    pub(crate) fn chooser(&self) -> Chooser {
        match self.distribution {
            Distribution::Uniform => Chooser::Uniform(self.count),
            Distribution::Zipf(exponent) => Chooser::Zipf(Zipf::new(self.count, exponent)),
            Distribution::One => Chooser::One,
            Distribution::Gaussian => Chooser::Gaussian(self.count),
        }
    }

    /// Appends the name of a key.
    pub(crate) fn write(&self, mut number: u64, out: &mut Vec<u8>) {
        let begin = out.len();
        out.extend_from_slice(PREFIX);
        out.resize(begin + self.bytes, b'0');
        for digit in out[begin + PREFIX.len()..].iter_mut().rev() {
            if number == 0 {
                break;
            }
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
        }
    }
}

/// Draws the numbers of keys, from 0.
#[derive(Debug, Clone)]
pub enum Chooser {
    Uniform(u64),
    Zipf(Zipf),
    One,
    Gaussian(u64),
}

impl Chooser {
    pub fn next(&self, random: &mut Random) -> u64 {
        match self {
            Self::Uniform(count) => random.below(*count),
            Self::Zipf(zipf) => zipf.rank(random) - 1,
            Self::One => 0,
            Self::Gaussian(count) => gaussian(*count, random),
        }
    }
}

/// By the method of Box and Muller.
fn gaussian(count: u64, random: &mut Random) -> u64 {
    let (middle, deviation) = ((count - 1) as f64 / 2.0, count as f64 / 6.0);
    loop {
        let radius = (-2.0 * random.unit().ln()).sqrt();
        let drawn = (middle + deviation * radius * (TAU * random.unit()).cos()).round();
        if (0.0..count as f64).contains(&drawn) {
            return drawn as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Distribution, Keys};
    use crate::random::Random;

    fn keys(count: u64, bytes: usize, distribution: Distribution) -> Keys {
        Keys {
            count,
            bytes,
            distribution,
        }
    }

    #[test]
    fn names_have_their_size() {
        let mut out = b"before ".to_vec();
        let sixteen = keys(1_000_000_000_000, 16, Distribution::Uniform);
        sixteen.write(1, &mut out);
        assert_eq!(out, b"before key:000000000001");
        out.clear();
        sixteen.write(999_999_999_999, &mut out);
        assert_eq!(out, b"key:999999999999");
        out.clear();
        keys(1, 5, Distribution::One).write(0, &mut out);
        assert_eq!(out, b"key:0");
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let uniform = Distribution::Uniform;
        assert!(keys(10, 5, uniform).check().is_ok());
        for (count, bytes, words) in [
            (11, 5, "expected 6 to 65536 bytes"),
            (1, 65_537, "expected 5 to 65536 bytes"),
            (0, 16, "at least one key"),
        ] {
            let refused = keys(count, bytes, uniform).check().expect_err(words);
            assert!(refused.contains(words), "{refused}");
        }
    }

    #[test]
    fn distributions_are_read_as_they_are_printed() {
        for text in ["uniform", "zipf:0.99", "one", "gaussian"] {
            let distribution: Distribution = text.parse().expect(text);
            assert_eq!(distribution.to_string(), text);
        }
        for text in [
            "", "zipf", "zipf:0", "zipf:-1", "zipf:nan", "zipf:11", "Uniform",
        ] {
            assert!(text.parse::<Distribution>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_gaussian_has_its_mean_and_deviation() {
        let chooser = keys(6000, 16, Distribution::Gaussian).chooser();
        let mut random = Random::new(4, 4);
        let drawn: Vec<f64> = (0..100_000)
            .map(|_| chooser.next(&mut random) as f64)
            .collect();
        let mean = drawn.iter().sum::<f64>() / 100_000.0;
        let variance = drawn.iter().map(|key| (key - mean).powi(2)).sum::<f64>() / 100_000.0;
        assert!((mean - 2999.5).abs() < 16.0, "{mean}");
        // Cut at three deviations, a normal distribution has 0.987 of its own.
        assert!((variance.sqrt() - 986.6).abs() < 12.0, "{variance}");
        let one = keys(1, 16, Distribution::Gaussian).chooser();
        assert_eq!(one.next(&mut random), 0);
    }
}
