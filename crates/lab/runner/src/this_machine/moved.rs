//! Moves running processes onto other CPUs, thread by thread, as the kernel knows no other way.

use std::fs;
use std::io;

use rustix::io::Errno;
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::brand::Brand;
use super::relatives::living;

/// Looks at all threads, after which those that are still elsewhere want to be there. One that starts meanwhile has the
/// CPUs of the thread that started it, so few looks are enough.
const MOST_LOOKS: u32 = 100;

/// As [`Process::move_to`](crate::Process::move_to).
pub(super) fn move_to(first: Pid, brand: Option<Brand>, cpus: &CpuSet) -> io::Result<()> {
    for _ in 0..MOST_LOOKS {
        let mut is_settled = true;
        for thread in living(first, brand)
            .into_iter()
            .flat_map(|(pid, _)| threads(pid))
        {
            let moved = match sched_getaffinity(Some(thread)) {
                Ok(own) if own == *cpus => continue,
                Ok(_) => sched_setaffinity(Some(thread), cpus),
                Err(error) => Err(error),
            };
            match moved {
                Ok(()) => is_settled = false,
                // It has ended.
                Err(Errno::SRCH) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if is_settled {
            return Ok(());
        }
    }
    Err(io::Error::other("its threads do not stay there"))
}

fn threads(pid: Pid) -> Vec<Pid> {
    let tasks = fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero()));
    let names = tasks.into_iter().flatten().flatten();
    let numbers = names.filter_map(|task| task.file_name().to_str()?.parse().ok());
    numbers.filter_map(Pid::from_raw).collect()
}

#[cfg(test)]
mod tests {
    use perflab_testing::{needs, not_checked, test_name};

    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    /// Ends a process group, also where the test fails.
    struct EndGroup(Pid);

    impl Drop for EndGroup {
        fn drop(&mut self) {
            let _ = rustix::process::kill_process_group(self.0, rustix::process::Signal::KILL);
        }
    }

    #[test]
    fn children_and_threads_are_moved_with_their_process() {
        needs("python3", "python3");
        let all = sched_getaffinity(None).unwrap();
        if all.count() < 2 {
            not_checked(&test_name(), "it takes two CPUs");
        }
        let last = (0..CpuSet::MAX_CPU).rfind(|cpu| all.is_set(*cpu)).unwrap();
        let mut one = CpuSet::new();
        one.set(last);
        // A process with three threads, and a child of it.
        let script = "import threading, time, subprocess
for i in range(2): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
subprocess.run(['sleep', '60'])";
        let mut command = Command::new("python3");
        command
            .args(["-c", script])
            .stdin(Stdio::null())
            .process_group(0);
        let mut child = command.spawn().unwrap();
        let end = EndGroup(Pid::from_child(&child));
        let first = Pid::from_child(&child);
        let all = || -> Vec<Pid> {
            let processes = living(first, None).into_iter();
            processes.flat_map(|(pid, _)| threads(pid)).collect()
        };
        let begun = std::time::Instant::now();
        while all().len() < 4 {
            assert!(begun.elapsed() < std::time::Duration::from_secs(60));
        }
        move_to(first, None, &one).unwrap();
        for thread in all() {
            assert_eq!(sched_getaffinity(Some(thread)).unwrap(), one);
        }
        drop(end);
        child.wait().unwrap();
    }
}
