//! How events are judged by a filter, in words.

use std::collections::{BTreeMap, BTreeSet};

use perflab_control::{FilterMode, Filtered, SiteFilter};
use perflab_experiment::counted;

use crate::terminal::escape;

/// Probes that are named.
const NAMED: usize = 8;

/// A word for programs.
pub fn mode(mode: FilterMode) -> &'static str {
    match mode {
        FilterMode::Native => "native",
        FilterMode::Interpreted => "interpreted",
        FilterMode::Never => "never",
        FilterMode::Unbound => "unbound",
    }
}

fn how(mode: FilterMode, code: u32, reason: &str) -> String {
    match mode {
        FilterMode::Native => format!("native, {}", counted(code, "byte")),
        FilterMode::Interpreted => format!("interpreted: {reason}"),
        FilterMode::Never | FilterMode::Unbound => format!("never: {reason}"),
    }
}

/// The filter of a site, as `when x > 1: native, 312 bytes`.
pub fn of_site(filter: &SiteFilter) -> String {
    let how = how(filter.mode, filter.code, &filter.reason);
    escape(&format!("when {}: {how}", filter.expression))
}

/// A line for each reason why probes have no native code. Without a line all have.
pub fn exceptions(filtered: &[Filtered]) -> Vec<String> {
    let mut groups: BTreeMap<(FilterMode, &str), BTreeSet<&str>> = BTreeMap::new();
    let others = filtered.iter().filter(|of| of.mode != FilterMode::Native);
    for of in others {
        let probes = groups.entry((of.mode, of.reason.as_str())).or_default();
        probes.insert(&of.probe);
    }
    let lines = groups.into_iter().map(|((mode, reason), probes)| {
        let how = how(mode, 0, reason);
        escape(&format!("{}: {how}", named(probes)))
    });
    lines.collect()
}

/// Whether no event of any of these probes can be accepted.
pub fn accepts_none(filtered: &[Filtered]) -> bool {
    let is_never = |of: &Filtered| matches!(of.mode, FilterMode::Never | FilterMode::Unbound);
    !filtered.is_empty() && filtered.iter().all(is_never)
}

/// The first of these probes, and how many others there are.
pub fn named<'a>(probes: impl IntoIterator<Item = &'a str>) -> String {
    let probes: Vec<&str> = probes.into_iter().collect();
    let (first, more) = probes.split_at(probes.len().min(NAMED));
    let first = first.join(", ");
    match more.len() {
        0 => first,
        more => format!("{first} and {}", counted(more, "more probe")),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn filtered(probe: &str, mode: FilterMode, reason: &str) -> Filtered {
        Filtered {
            probe: probe.to_owned(),
            sites: 1,
            mode,
            code: 0,
            kept: 0,
            verified: Duration::ZERO,
            emitted: Duration::ZERO,
            published: Duration::ZERO,
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn probes_with_one_reason_have_one_line() {
        use FilterMode::{Interpreted, Native, Never, Unbound};
        let mut all = vec![
            filtered("a:one", Never, "no argument \"x\""),
            filtered("a:two", Unbound, "argument \"x\" is text"),
        ];
        assert!(accepts_none(&all) && !accepts_none(&[]));
        all.extend([
            filtered("a:four", Native, ""),
            filtered("a:five", Interpreted, "no memory is executable"),
            filtered("a:six", Never, "no argument \"x\""),
        ]);
        assert!(!accepts_none(&all));
        let expected = [
            "a:five: interpreted: no memory is executable",
            "a:one, a:six: never: no argument \"x\"",
            "a:two: never: argument \"x\" is text",
        ];
        assert_eq!(exceptions(&all), expected);
        let many: Vec<String> = (0..11).map(|number| number.to_string()).collect();
        let named = named(many.iter().map(String::as_str));
        assert_eq!(named, "0, 1, 2, 3, 4, 5, 6, 7 and 3 more probes");
    }

    #[test]
    fn a_filter_has_one_line() {
        let site = |mode, code, reason: &str| {
            of_site(&SiteFilter {
                mode,
                code,
                expression: "x > 1".to_owned(),
                reason: reason.to_owned(),
            })
        };
        assert_eq!(
            site(FilterMode::Native, 312, ""),
            "when x > 1: native, 312 bytes"
        );
        assert_eq!(
            site(FilterMode::Never, 0, "no argument \"x\""),
            "when x > 1: never: no argument \"x\""
        );
    }
}
