//! Filters as they are sent to agents, and what agents say of them.

use std::fmt::Write as _;
use std::time::Duration;

use perflab_abi::{
    Actions, Alternative, Effect, FilterImport, FilterMode, FilterWish, LONGEST_FILTER,
    LONGEST_SHOWN, Trigger, Writer,
};

use crate::answer::printable;

/// A filter as it is sent: an expression to be shown, its programs, and what is done with accepted events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedFilter(Vec<u8>);

/// A filter has no room in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the filter is too large: its programs and texts have more than {} KiB together",
    LONGEST_FILTER >> 10
)]
pub struct FilterTooLong;

impl EncodedFilter {
    /// A filter of these programs. It does not judge the events of the probes that the pattern `except` means, if any
    /// (`""`). See [`FilterWish`].
    ///
    /// # Errors
    /// When it is longer than [`LONGEST_FILTER`].
    pub fn new<'p, I: ExactSizeIterator<Item = FilterImport<'p>>>(
        except: &str,
        actions: Actions,
        expression: &str,
        alternatives: impl ExactSizeIterator<Item = Alternative<'p, I>>,
    ) -> Result<Self, FilterTooLong> {
        let mut bytes = vec![0; LONGEST_FILTER];
        let mut writer = Writer::new(&mut bytes);
        FilterWish::write(&mut writer, except, actions, expression, alternatives)
            .map_err(|_| FilterTooLong)?;
        let written = writer.written();
        bytes.truncate(written);
        Ok(Self(bytes))
    }

    /// The same for a recording that waits for an event as well: one of these probes that another filter accepts. The
    /// agent writes the number down when an event comes that stops the recording. Without [`Agent::record_when`] it
    /// means nothing. See [`Trigger`].
    ///
    /// [`Agent::record_when`]: crate::Agent::record_when
    ///
    /// # Errors
    /// When it is longer than [`LONGEST_FILTER`].
    pub fn with_trigger(
        mut self,
        effect: Effect,
        probes: &str,
        number: u64,
        filter: &Self,
    ) -> Result<Self, FilterTooLong> {
        let mut head = vec![0; probes.len() + 16];
        let mut writer = Writer::new(&mut head);
        Trigger::begin(&mut writer, effect, probes, number).map_err(|_| FilterTooLong)?;
        let written = writer.written();
        head.truncate(written);
        self.0.append(&mut head);
        self.0.extend_from_slice(&filter.0);
        if self.0.len() > LONGEST_FILTER {
            return Err(FilterTooLong);
        }
        Ok(self)
    }

    /// As the value of [`WHEN`](crate::variable::WHEN).
    pub fn hexadecimal(&self) -> String {
        let mut digits = String::with_capacity(2 * self.0.len());
        for byte in &self.0 {
            let _ = write!(digits, "{byte:02x}");
        }
        digits
    }

    /// As it is sent.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The filter of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFilter {
    /// How its events are judged.
    pub mode: FilterMode,
    /// Bytes of native code; 0 if there is none.
    pub code: u32,
    /// As a person wrote it. The beginning of a long one, and dots behind it.
    pub expression: String,
    /// Why it is not native: a phrase; as the expression.
    pub reason: String,
}

impl From<perflab_abi::SiteFilter<'_>> for SiteFilter {
    fn from(filter: perflab_abi::SiteFilter<'_>) -> Self {
        Self {
            mode: filter.mode,
            code: filter.code,
            expression: shown(filter.expression),
            reason: shown(filter.reason),
        }
    }
}

/// A text that was cut if it is longer than what is shown of it.
fn shown(text: &str) -> String {
    let shown = &text[..text.floor_char_boundary(LONGEST_SHOWN)];
    let dots = if shown.len() < text.len() { "..." } else { "" };
    printable(shown) + dots
}

/// What became of a filter for a probe of a process. Where its sites differ in mode or reason, there is one of these
/// for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filtered {
    /// `provider:name`.
    pub probe: String,
    /// Sites that are meant.
    pub sites: u32,
    /// How their events are judged.
    pub mode: FilterMode,
    /// Bytes of native code; 0 if there is none.
    pub code: u32,
    /// Bytes that the agent keeps besides that.
    pub kept: u32,
    /// Time that it took to verify the program and to lower it.
    pub verified: Duration,
    /// Time that it took to make native code.
    pub emitted: Duration,
    /// Time that it took until events were judged by it.
    pub published: Duration,
    /// Why it is not native: a phrase.
    pub reason: String,
}

impl From<perflab_abi::Filtered<'_>> for Filtered {
    fn from(filtered: perflab_abi::Filtered<'_>) -> Self {
        Self {
            probe: printable(filtered.probe),
            sites: filtered.sites,
            mode: filtered.mode,
            code: filtered.code,
            kept: filtered.kept,
            verified: Duration::from_nanos(filtered.verified),
            emitted: Duration::from_nanos(filtered.emitted),
            published: Duration::from_nanos(filtered.published),
            reason: printable(filtered.reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use perflab_abi::{Reader, variable};

    use super::*;

    fn of(code: &[u8]) -> Result<EncodedFilter, FilterTooLong> {
        let import = FilterImport {
            class: 0,
            name: "x",
        };
        let alternative = Alternative {
            imports: [import].into_iter(),
            code,
            literals: b"",
        };
        EncodedFilter::new(
            "shop:*",
            Actions::default(),
            "x > 1",
            [alternative].into_iter(),
        )
    }

    #[test]
    fn a_filter_is_the_same_as_digits() {
        let filter = of(&[0x0f, 0xf0]).unwrap();
        let digits = filter.hexadecimal();
        let bytes: Vec<u8> = variable::hexadecimal(&digits).unwrap().collect();
        assert_eq!(bytes, filter.bytes());
        let read = FilterWish::decode(&mut Reader::new(&bytes)).unwrap();
        assert_eq!((read.except, read.expression), ("shop:*", "x > 1"));
        assert_eq!(read.alternatives().next().unwrap().code, [0x0f, 0xf0]);
    }

    #[test]
    fn triggers_follow_a_filter() {
        let filter = of(&[0x0f]).unwrap();
        let both = filter
            .clone()
            .with_trigger(Effect::Start, "shop:*", 7, &of(&[1]).unwrap())
            .and_then(|one| one.with_trigger(Effect::Stop, "a:b", 8, &of(&[2]).unwrap()))
            .unwrap();
        let mut reader = Reader::new(both.bytes());
        let read = FilterWish::decode(&mut reader).unwrap();
        assert_eq!(read.alternatives().next().unwrap().code, [0x0f]);
        for (effect, probes, number, code) in
            [(Effect::Start, "shop:*", 7, 1), (Effect::Stop, "a:b", 8, 2)]
        {
            let trigger = Trigger::decode(&mut reader).unwrap().unwrap();
            assert_eq!(
                (trigger.effect, trigger.probes, trigger.number),
                (effect, probes, number)
            );
            assert_eq!(trigger.filter.alternatives().next().unwrap().code, [code]);
        }
        assert!(Trigger::decode(&mut reader).unwrap().is_none());
        let large = of(&[0; LONGEST_FILTER / 2]).unwrap();
        let too_long = filter.with_trigger(Effect::Stop, "a", 1, &large);
        let too_long = too_long.and_then(|one| one.with_trigger(Effect::Stop, "a", 1, &large));
        assert_eq!(too_long, Err(FilterTooLong));
    }

    #[test]
    fn long_expressions_end_with_dots() {
        let shown = |expression: &str| {
            let filter = SiteFilter::from(perflab_abi::SiteFilter {
                mode: FilterMode::Native,
                code: 1,
                expression,
                reason: "",
            });
            filter.expression
        };
        assert_eq!(shown("x > 1"), "x > 1");
        let long = "x".repeat(LONGEST_SHOWN);
        assert_eq!(shown(&long), long);
        for more in ["x", "xxxx", "\u{1f50e}"] {
            assert_eq!(
                shown(&(long.clone() + more)),
                long.clone() + "...",
                "{more}"
            );
        }
    }

    #[test]
    fn the_largest_filter() {
        let rest = of(&[]).unwrap().bytes().len();
        let mut code = vec![0; LONGEST_FILTER - rest];
        let largest = of(&code).unwrap();
        let variable = format!("{}={}", variable::WHEN, largest.hexadecimal());
        assert!(variable.len() < 128 * 1024, "the kernel takes no more");
        code.push(0);
        assert_eq!(of(&code), Err(FilterTooLong));
    }
}
