//! Helpers of the oracle.

use alloc::vec::Vec;

use super::{Datum, Harm, Machine};

/// What a helper returns for a text that is not there.
const ABSENT: u64 = -1_i64 as u64;

impl Machine<'_> {
    /// Calls a helper.
    pub(super) fn call(&mut self, helper: i32) -> Result<(), Harm> {
        if self.read(1)? != self.addresses.context {
            return Err(Harm::Helper);
        }
        let result = match helper {
            1..=3 => {
                let (text, literal) = (self.text(2)?, self.literal()?);
                if helper != 3 && literal.contains(&0) {
                    return Err(Harm::Helper);
                }
                text.map_or(ABSENT, |text| match helper {
                    1 => u64::from(text == literal),
                    2 => u64::from(text.starts_with(&literal)),
                    _ => u64::from(matches(&literal, text)),
                })
            }
            4 => match (self.text(2)?, self.text(3)?) {
                (Some(one), Some(other)) => u64::from(one == other),
                _ => ABSENT,
            },
            5 => {
                let bytes = match self.slot(2)? {
                    Datum::Terminated(bytes) | Datum::Counted(bytes) => bytes.as_ref(),
                    _ => return Err(Harm::Helper),
                };
                let index = usize::try_from(self.read(3)?).unwrap_or(usize::MAX);
                let byte = bytes.and_then(|bytes| bytes.get(index));
                byte.map_or(ABSENT, |byte| u64::from(*byte))
            }
            6 => match self.slot(2)? {
                Datum::Single(bits) => f64::from(f32::from_bits(*bits)).to_bits(),
                Datum::Double(bits) => *bits,
                _ => return Err(Harm::Helper),
            },
            7 => (self.read(2)? as i64 as f64).to_bits(),
            8 => {
                let value = f64::from_bits(self.read(2)?);
                let fits =
                    (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value);
                if fits {
                    value as i64 as u64
                } else {
                    i64::MIN as u64
                }
            }
            9 => {
                let [one, other] = [self.read(2)?, self.read(3)?].map(f64::from_bits);
                let order = one.partial_cmp(&other);
                order.map_or(2, |order| order as i64 as u64)
            }
            _ => return Err(Harm::Helper),
        };
        self.registers[0] = Some(result);
        self.registers[1..=5].fill(None);
        Ok(())
    }

    fn slot(&self, register: u8) -> Result<&Datum, Harm> {
        let offset = self.read(register)?;
        if offset % 8 != 0 {
            return Err(Harm::Helper);
        }
        let slot = usize::try_from(offset / 8).map_err(|_| Harm::Helper)?;
        self.data.get(slot).ok_or(Harm::Helper)
    }

    /// A text up to its first zero.
    fn text(&self, register: u8) -> Result<Option<&[u8]>, Harm> {
        let (Datum::Terminated(bytes) | Datum::Counted(bytes)) = self.slot(register)? else {
            return Err(Harm::Helper);
        };
        Ok(bytes.as_deref().map(|bytes| {
            let end = bytes.iter().position(|byte| *byte == 0);
            &bytes[..end.unwrap_or(bytes.len())]
        }))
    }

    /// The bytes at r3, as many as r4 says, all of them literals.
    fn literal(&self) -> Result<Vec<u8>, Harm> {
        let start = self.read(3)?.wrapping_sub(self.addresses.literals);
        let start = usize::try_from(start).map_err(|_| Harm::Helper)?;
        let length = usize::try_from(self.read(4)?).map_err(|_| Harm::Helper)?;
        let rest = self.literals.get(start..).ok_or(Harm::Helper)?;
        Ok(rest.get(..length).ok_or(Harm::Helper)?.to_vec())
    }
}

/// Whether a text matches a pattern: for each part of it, which beginnings of the text match all up to that.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let mut ends = alloc::vec![false; text.len() + 1];
    ends[0] = true;
    for part in pattern {
        if *part == 0 {
            for end in 1..ends.len() {
                ends[end] |= ends[end - 1];
            }
        } else {
            for end in (1..ends.len()).rev() {
                ends[end] = ends[end - 1] && text[end - 1] == *part;
            }
            ends[0] = false;
        }
    }
    ends[text.len()]
}
