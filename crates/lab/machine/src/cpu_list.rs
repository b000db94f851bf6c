//! The kernel's notation for sets of CPUs, as `0-3,8`.

use std::collections::BTreeMap;

/// Number of CPUs in a list. `None` if it is not a list, or counts more CPUs than exist anywhere.
pub(crate) fn count(list: &str) -> Option<u32> {
    let mut count = 0_u32;
    for range in list.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        count = last
            .checked_sub(first)?
            .checked_add(1)?
            .checked_add(count)?;
    }
    Some(count)
}

/// More CPUs than any machine has.
const MAX_CPUS: u32 = 1 << 16;

/// The CPUs of a list, in its order. `None` if it is not a list, or longer than any machine's.
pub(crate) fn numbers(list: &str) -> Option<Vec<u32>> {
    if count(list)? > MAX_CPUS {
        return None;
    }
    let mut numbers = Vec::new();
    for range in list.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        numbers.extend(first..=last);
    }
    Some(numbers)
}

/// Writes ascending CPU numbers as a list.
pub(crate) fn list(cpus: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &cpu in cpus {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(cpu) => *last = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let ranges: Vec<String> = ranges
        .into_iter()
        .map(|(first, last)| {
            if first == last {
                format!("{first}")
            } else {
                format!("{first}-{last}")
            }
        })
        .collect();
    ranges.join(",")
}

/// One value for all CPUs if they agree, as `performance`, else each value with its CPUs, as
/// `performance (0-3), powersave (4-7)`. `None` without any CPU. The CPUs are in ascending order.
pub(crate) fn summary(values: &[(u32, String)]) -> Option<String> {
    let mut cpus_of: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (cpu, value) in values {
        cpus_of.entry(value).or_default().push(*cpu);
    }
    let mut groups: Vec<(&str, Vec<u32>)> = cpus_of.into_iter().collect();
    groups.sort_by_key(|(_, cpus)| cpus[0]);
    match groups.as_slice() {
        [] => None,
        [(value, _)] => Some((*value).to_owned()),
        several => {
            let groups: Vec<String> = several
                .iter()
                .map(|(value, cpus)| format!("{value} ({})", list(cpus)))
                .collect();
            Some(groups.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_counted() {
        assert_eq!(count("0"), Some(1));
        assert_eq!(count("0-3,8,10-11"), Some(7));
        for wrong in ["", "3-1", "a", "0-", "0-4294967295", "0-4294967294,7"] {
            assert_eq!(count(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn lists_are_taken_apart() {
        assert_eq!(numbers("0-2,8").unwrap(), [0, 1, 2, 8]);
        assert_eq!(numbers(""), None);
        assert_eq!(numbers("0-4000000000"), None);
    }

    #[test]
    fn what_all_cpus_share_is_said_once() {
        let all = |value: &str, cpus: &[u32]| -> Vec<(u32, String)> {
            cpus.iter().map(|cpu| (*cpu, value.to_owned())).collect()
        };
        assert_eq!(summary(&[]), None);
        assert_eq!(
            summary(&all("performance", &[0, 1, 2])).as_deref(),
            Some("performance")
        );
        let mut mixed = all("powersave", &[0, 1, 4]);
        mixed.extend(all("performance", &[5, 6, 7]));
        assert_eq!(
            summary(&mixed).as_deref(),
            Some("powersave (0-1,4), performance (5-7)")
        );
    }
}
