//! What systemd will start soon.

use serde::Deserialize;

use super::finding::{Finding, fine, note, warning};

const CHECK: &str = "timers";

/// A timer due within so many seconds falls into an experiment that is begun now.
const SOON_S: f64 = 15.0 * 60.0;
const LATER_S: f64 = 6.0 * 3600.0;

/// The list of timers is not as `systemctl list-timers --output=json` prints it.
#[derive(Debug, thiserror::Error)]
#[error(
    "expected the JSON of `systemctl list-timers --all --output=json`, found something else: {0}"
)]
pub struct TimersError(#[from] serde_json::Error);

/// An element of the list; times in microseconds since 1970.
#[derive(Debug, Deserialize)]
struct Timer {
    #[serde(default)]
    next: Option<u64>,
    #[serde(default)]
    unit: Option<String>,
}

/// Judges the timers that `systemctl list-timers --all --output=json` prints, `now_us` being the
/// time in microseconds since 1970.
///
/// # Errors
/// When the text is something else.
pub fn timers(listing: &str, now_us: u64) -> Result<Vec<Finding>, TimersError> {
    let timers: Vec<Timer> = serde_json::from_str(listing)?;
    let mut due: Vec<(f64, String)> = timers
        .into_iter()
        .filter_map(|timer| {
            // A timer that is not armed says 0 or nothing, or the largest number.
            let next = timer.next.filter(|next| *next > 0 && *next < u64::MAX)?;
            let name = crate::source::plain(&timer.unit?);
            Some((next.saturating_sub(now_us) as f64 / 1e6, name))
        })
        .filter(|(seconds, _)| *seconds < LATER_S)
        .collect();
    due.sort_by(|left, right| left.0.total_cmp(&right.0));
    let Some((first, _)) = due.first() else {
        return Ok(vec![fine(CHECK, "systemd starts nothing within 6 hours")]);
    };
    let soon = *first < SOON_S;
    let named: Vec<String> = due
        .iter()
        .take(6)
        .map(|(seconds, name)| format!("{name} in {:.0} min", (seconds / 60.0).ceil()))
        .collect();
    let found = format!("systemd will start: {}", named.join(", "));
    let finding = if soon {
        warning(CHECK, found)
    } else {
        note(CHECK, found)
    };
    Ok(vec![
        finding
            .costs("a job in the middle of a run makes it slow; apt, fstrim and updatedb take the disk for minutes")
            .advice("stop them while measuring: perflab doctor --apply (systemctl stop NAME.timer)"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;

    /// Laid out as systemd 257 does it; `next` of a timer that is not armed is 0.
    const LISTING: &str = r#"[{"next":1763725800000000,"left":600000000,"last":1763722200000000,"passed":0,"unit":"fstrim.timer","activates":"fstrim.service"},{"next":0,"left":0,"last":0,"passed":0,"unit":"idle.timer","activates":"idle.service"}]"#;

    #[test]
    fn a_timer_due_soon_is_named() {
        let found = timers(LISTING, 1_763_725_200_000_000).unwrap();
        assert_eq!(found[0].severity, Severity::Warning);
        assert_eq!(found[0].found, "systemd will start: fstrim.timer in 10 min");
        let early = timers(LISTING, 1_763_725_800_000_000 - 3_600_000_000).unwrap();
        assert_eq!(early[0].severity, Severity::Note);
        let long_before = timers(LISTING, 1).unwrap();
        assert_eq!(long_before[0].severity, Severity::Fine);
    }

    #[test]
    fn a_broken_list_is_refused_and_no_cut_one_panics() {
        for cut in 0..LISTING.len() {
            assert!(timers(&LISTING[..cut], 0).is_err());
        }
        assert!(timers("{}", 0).is_err());
        assert_eq!(timers("[]", 0).unwrap()[0].severity, Severity::Fine);
        assert_eq!(timers("[{}]", 0).unwrap()[0].severity, Severity::Fine);
    }
}
