//! Units of times and rates, which no program counts exactly, however whole their values are.

/// Whether a unit is that of a time or of a rate.
pub(crate) fn is_measured(unit: &str) -> bool {
    let lower = unit.trim().to_lowercase();
    // A time for each operation is one, too.
    let first = lower.split_once('/').map_or(&*lower, |(first, _)| first);
    is_time(first.trim()) || is_rate(unit)
}

/// Units of time, as tools and people write them, in small letters. Both signs for micro have their place in Unicode.
fn is_time(unit: &str) -> bool {
    let seconds = ["s", "sec", "secs", "second", "seconds"];
    let prefixes = [
        "", "m", "u", "\u{b5}", "\u{3bc}", "n", "p", "milli", "micro", "nano",
    ];
    let is_seconds = |unit: &str| seconds.contains(&unit);
    let others = [
        "min", "mins", "minute", "minutes", "h", "hr", "hrs", "hour", "hours", "d", "day", "days",
    ];
    let mut prefixes = prefixes.iter();
    others.contains(&unit)
        || prefixes.any(|prefix| unit.strip_prefix(prefix).is_some_and(is_seconds))
}

/// Whether it is something for each unit of time, by its form or by its name.
pub(crate) fn is_rate(unit: &str) -> bool {
    let unit = &*unit.trim().to_lowercase();
    let names = [
        "hz", "khz", "mhz", "ghz", "rps", "qps", "tps", "iops", "fps", "bps", "kbps", "mbps",
        "gbps", "flops", "mflops", "gflops",
    ];
    let per = unit.split_once('/').or_else(|| unit.split_once("per "));
    names.contains(&unit) || per.is_some_and(|(_, per)| is_time(per.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_rates_are_known_by_all_their_names() {
        for unit in [
            "s",
            "ms",
            "us",
            "\u{b5}s",
            "\u{3bc}s",
            "ns",
            "sec",
            "seconds",
            "msec",
            "MS",
            "min",
            "h",
            "1/s",
            "req/s",
            "ops/sec",
            "MB/s",
            "MiB/min",
            "rps",
            "Hz",
            "per second",
            "requests per s",
            " ms ",
            "ns/op",
            "sec / op",
            "ms/req",
        ] {
            assert!(is_measured(unit), "{unit}");
        }
        for unit in [
            "",
            "bytes",
            "KiB",
            "instructions",
            "events",
            "%",
            "m",
            "1",
            "pages/run",
        ] {
            assert!(!is_measured(unit), "{unit}");
        }
    }
}
