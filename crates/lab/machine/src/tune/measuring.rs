//! The settings that suit measuring.

use std::path::Path;

use super::wish::Wish;
use crate::clock::Clock;
use crate::memory::Memory;
use crate::source::Root;

/// Timers that start maintenance: of apt, dnf, file systems, manual pages, file databases, logs.
const TIMERS: [&str; 9] = [
    "apt-daily.timer",
    "apt-daily-upgrade.timer",
    "dnf-makecache.timer",
    "e2scrub_all.timer",
    "fstrim.timer",
    "logrotate.timer",
    "man-db.timer",
    "plocate-updatedb.timer",
    "updatedb.timer",
];

/// What to ask of the machine below `root` before measuring; some of it the machine may not have.
///
/// SMT and interrupts are left alone, as not everybody wants them changed. Swap is never turned
/// off: what lies there would have to fit into memory at once.
pub fn for_measuring(root: &Path) -> Vec<Wish> {
    let sysctl = |name: &str, value: &str| Wish::Sysctl {
        name: name.to_owned(),
        value: value.to_owned(),
    };
    let mut wishes = vec![
        Wish::Governor("performance".to_owned()),
        Wish::EnergyPreference("performance".to_owned()),
        Wish::Turbo(false),
        Wish::HugePages("madvise".to_owned()),
    ];
    let clocks = Clock::take(Root(root)).available.unwrap_or_default();
    wishes.extend(
        ["tsc", "arch_sys_counter"]
            .into_iter()
            .find(|good| clocks.iter().any(|clock| clock == good))
            .map(|good| Wish::ClockSource(good.to_owned())),
    );
    if Memory::take(Root(root))
        .swap_total_bytes
        .is_some_and(|bytes| bytes > 0)
    {
        // Not 0, with which programs are killed that swap could have saved.
        wishes.push(sysctl("vm.swappiness", "1"));
    }
    wishes.push(sysctl("kernel.perf_event_paranoid", "1"));
    wishes.push(sysctl("kernel.randomize_va_space", "2"));
    // Units belong to the running system, never to a copy of one.
    if root == Path::new("/") && root.join("run/systemd/system").is_dir() {
        wishes.extend(TIMERS.map(|timer| Wish::StopUnit(timer.to_owned())));
    }
    wishes
}
