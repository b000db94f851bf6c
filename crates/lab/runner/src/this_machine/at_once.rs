//! Several processes at the same time: started, watched together, and collected when the last one has ended.
//!
//! To collect one takes the laboratory longer than to see that it has ended, and the others are still measured then. So
//! the end is only noted, and all are collected after the last one.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Signal, kill_process_group};

use super::ThisMachine;
use super::interrupt::{Interrupt, timespec};
use super::process::LocalProcess;
use crate::host::{Ended, Launch, LaunchError, Stopped, later};

/// One of them.
struct Runner<'m> {
    index: usize,
    process: LocalProcess<'m>,
    limit: Duration,
    deadline: Instant,
    /// When it ended, and whether the laboratory did that.
    end: Option<(Instant, Option<Stopped>)>,
}

/// As [`Host::execute_all`](crate::Host::execute_all).
pub(super) fn execute_all(
    machine: &ThisMachine,
    launches: &[(Launch<'_>, Duration)],
    ended: &mut dyn FnMut(usize),
) -> Vec<Result<io::Result<Ended>, LaunchError>> {
    let start = |(index, (launch, limit)): (usize, &(Launch<'_>, Duration))| {
        let process = LocalProcess::start(launch, &machine.reaper, &machine.interrupt)?;
        Ok(Runner {
            index,
            deadline: later(process.started, *limit),
            limit: *limit,
            process,
            end: None,
        })
    };
    let runners = launches.iter().enumerate().map(start);
    let mut runners: Vec<Result<Runner<'_>, LaunchError>> = runners.collect();
    let mut watched: Vec<&mut Runner<'_>> = runners.iter_mut().flatten().collect();
    let lost = watch(&mut watched, &machine.interrupt, ended).err();
    let collect = |mut runner: Runner<'_>| match (runner.end, lost) {
        (Some((at, stopped)), _) => runner.collect(at, stopped),
        (None, lost) => Err(lost.unwrap_or(Errno::INTR).into()),
    };
    let collected = runners.into_iter().map(|runner| runner.map(collect));
    collected.collect()
}

/// Waits until all have ended, and tells of each when it does.
fn watch(
    runners: &mut [&mut Runner<'_>],
    interrupt: &Interrupt,
    ended: &mut dyn FnMut(usize),
) -> Result<(), Errno> {
    loop {
        let now = Instant::now();
        let mut left: Vec<&mut Runner<'_>> = Vec::new();
        for runner in runners.iter_mut().filter(|runner| runner.end.is_none()) {
            match runner.deadline <= now {
                true => {
                    runner.end(now, Some(Stopped::TimeLimit));
                    ended(runner.index);
                }
                false => left.push(runner),
            }
        }
        let Some(next) = left.iter().map(|runner| runner.deadline).min() else {
            return Ok(());
        };
        let watches: Vec<&OwnedFd> = left
            .iter()
            .map(|runner| runner.process.watch())
            .collect::<io::Result<_>>()
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        let mut ready: Vec<PollFd<'_>> = watches
            .into_iter()
            .map(|watch| PollFd::new(watch, PollFlags::IN))
            .collect();
        ready.push(PollFd::from_borrowed_fd(
            interrupt.descriptor(),
            PollFlags::IN,
        ));
        match poll(
            &mut ready,
            Some(&timespec(next.saturating_duration_since(now))),
        ) {
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error),
            Ok(_) => {}
        }
        let now = Instant::now();
        let is_ready: Vec<bool> = ready
            .iter()
            .map(|ready| ready.revents().contains(PollFlags::IN))
            .collect();
        let is_interrupted = is_ready.last() == Some(&true);
        for (runner, has_ended) in left.into_iter().zip(is_ready) {
            if has_ended || is_interrupted {
                runner.end(now, (!has_ended).then_some(Stopped::Interrupted));
                ended(runner.index);
            }
        }
    }
}

impl Runner<'_> {
    /// Ends it, or what it has left running.
    fn end(&mut self, now: Instant, stopped: Option<Stopped>) {
        let _ = kill_process_group(self.process.pid, Signal::KILL);
        self.end = Some((now, stopped));
    }

    fn collect(&mut self, at: Instant, stopped: Option<Stopped>) -> io::Result<Ended> {
        let mut ended = self.process.collect(stopped)?;
        ended.wall = at - self.process.started;
        // It may have ended before the laboratory, which came late, could end it.
        if ended.wall > self.limit {
            ended.stopped = ended.stopped.or(Some(Stopped::TimeLimit));
        }
        Ok(ended)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::environment::Environment;
    use crate::host::{Exit, Host, Redirect};

    /// How commands with these limits, in milliseconds, end when they are executed at once, how long that took, and in
    /// which order they ended.
    fn executed(commands: &[(&[&str], u64)]) -> (Vec<Option<Ended>>, Duration, Vec<usize>) {
        let machine = ThisMachine::alone().unwrap();
        let environment = Environment::inherited("none");
        let argvs: Vec<Vec<OsString>> = commands
            .iter()
            .map(|(argv, _)| argv.iter().map(OsString::from).collect())
            .collect();
        let launches: Vec<_> = argvs
            .iter()
            .zip(commands)
            .map(|(argv, (_, limit))| {
                let launch = Launch {
                    argv,
                    environment: &environment,
                    directory: None,
                    stdin: None,
                    stdout: Redirect::Null,
                    stderr: Redirect::Null,
                    cpus: None,
                };
                (launch, Duration::from_millis(*limit))
            })
            .collect();
        let begun = Instant::now();
        let mut order = Vec::new();
        let ended = machine.execute_all(&launches, &mut |index| order.push(index));
        let ended = ended
            .into_iter()
            .map(|ended| ended.ok().map(Result::unwrap));
        (ended.collect(), begun.elapsed(), order)
    }

    #[test]
    fn each_is_timed_until_it_ends_by_itself() {
        let (ended, took, order) =
            executed(&[(&["sleep", "1.5"], 60_000), (&["sleep", "0.1"], 60_000)]);
        assert_eq!(order, [1, 0]);
        let [long, short] = [0, 1].map(|place: usize| ended[place].unwrap());
        assert_eq!([long.exit, short.exit], [Exit::Code(0); 2]);
        assert!(long.wall >= Duration::from_millis(1500) && long.wall <= took);
        assert!(short.wall >= Duration::from_millis(100), "{short:?}");
        assert!(short.wall < Duration::from_millis(1400), "{short:?}");
    }

    #[test]
    fn a_limit_and_a_start_that_fails_are_those_of_one_alone() {
        let (ended, took, order) = executed(&[
            (&["sleep", "600"], 50),
            (&["/no/such/program"], 60_000),
            (&["sleep", "0.2"], 60_000),
        ]);
        assert_eq!(order, [0, 2]);
        let late = ended[0].unwrap();
        assert_eq!(
            (late.exit, late.stopped),
            (Exit::Signal(9), Some(Stopped::TimeLimit))
        );
        assert!(ended[1].is_none());
        let fine = ended[2].unwrap();
        assert_eq!((fine.exit, fine.stopped), (Exit::Code(0), None));
        assert!(took < Duration::from_secs(300));
    }

    #[test]
    fn what_one_leaves_running_does_not_run_beside_the_others() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("left");
        let leaves = format!(
            "while :; do echo >> '{}'; sleep 0.01; done & :",
            file.display()
        );
        let (ended, ..) = executed(&[(&["sh", "-c", &leaves], 60_000), (&["sleep", "1"], 60_000)]);
        assert!(
            ended
                .iter()
                .all(|ended| ended.unwrap().exit == Exit::Code(0))
        );
        let written = std::fs::read(&file).map_or(0, |text| text.len());
        assert!(written < 50, "{written}");
    }
}
