//! CPU time of a process and all that it has started.
//!
//! The clock of a process counts in nanoseconds, with the threads that have ended. What its children used that have
//! ended counts in ticks of 1/100 s, as the kernel tells nothing finer of them. Children that have left it for good,
//! as daemons do, are not found.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::param::clock_ticks_per_second;

use super::sys::process_cpu_time;

/// Most processes that are looked at.
const MOST: usize = 10_000;

/// CPU time of a process with its children, and theirs. Nothing where it has gone, and where the kernel lists no
/// children.
pub(super) fn cpu_time(proc: &Path, pid: i32) -> Option<Duration> {
    let mut all = process_cpu_time(pid)? + of_gone_children(proc, pid);
    if !proc.join(format!("{pid}/task/{pid}/children")).exists() {
        return None;
    }
    let mut left = children(proc, pid);
    let mut seen = 0;
    while let Some(child) = left.pop() {
        seen += 1;
        if seen > MOST {
            return None;
        }
        all += process_cpu_time(child).unwrap_or_default() + of_gone_children(proc, child);
        left.extend(children(proc, child));
    }
    Some(all)
}

/// The children that the threads of a process have started.
fn children(proc: &Path, pid: i32) -> Vec<i32> {
    let threads = fs::read_dir(proc.join(format!("{pid}/task")));
    let threads = threads.into_iter().flatten().flatten();
    let lists = threads.map(|thread| fs::read_to_string(thread.path().join("children")));
    let lists: Vec<String> = lists.filter_map(Result::ok).collect();
    let numbers = lists.iter().flat_map(|list| list.split_ascii_whitespace());
    numbers.filter_map(|number| number.parse().ok()).collect()
}

/// Fields 16 and 17 of /proc/PID/stat, proc(5).
fn of_gone_children(proc: &Path, pid: i32) -> Duration {
    let stat = fs::read_to_string(proc.join(format!("{pid}/stat"))).unwrap_or_default();
    // The name before may hold anything, a parenthesis too.
    let (_, fields) = stat.rsplit_once(") ").unwrap_or_default();
    let ticks = fields.split(' ').skip(13).take(2);
    let ticks: u64 = ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_secs_f64(ticks as f64 / clock_ticks_per_second().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn children_count_with_their_process_while_they_live_and_when_they_have_ended() {
        // A shell whose child counts, and then one that has counted.
        let loops = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        for script in [
            format!("sh -c '{loops}; sleep 60'; :"),
            format!("({loops}); sleep 60; :"),
        ] {
            let mut command = Command::new("sh");
            command.args(["-c", &script]).stdin(Stdio::null());
            let mut shell = command.spawn().unwrap();
            let pid = i32::try_from(shell.id()).unwrap();
            let own = || process_cpu_time(pid).unwrap();
            let all = || cpu_time(Path::new("/proc"), pid).unwrap();
            let begun = std::time::Instant::now();
            while all() < own() + Duration::from_millis(30) {
                assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", all());
            }
            for child in children(Path::new("/proc"), pid) {
                let _ = Command::new("kill").arg(child.to_string()).status();
            }
            shell.kill().unwrap();
            shell.wait().unwrap();
            assert_eq!(cpu_time(Path::new("/proc"), pid), None);
        }
    }
}
