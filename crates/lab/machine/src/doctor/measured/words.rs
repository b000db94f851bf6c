//! Shares and times in words.

/// A share as a percentage with about two digits.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        percent if percent >= 10.0 => format!("{percent:.0} %"),
        percent if percent >= 1.0 => format!("{percent:.1} %"),
        percent => format!("{percent:.2} %"),
    }
}

/// A time in a unit that suits it.
pub(super) fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
