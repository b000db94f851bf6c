//! A system under test: brought up, waited for, watched and stopped.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use perflab_experiment::{ReadyCheck, Signal, Status, StopAction, System};
use regex::bytes::RegexBuilder;
use rustix::thread::CpuSet;

use crate::aside::{Aside, last_line, launch_trouble};
use crate::environment::Environment;
use crate::fault::{Fault, Trouble};
use crate::fill::Fill;
use crate::host::{Ended, Exit, Host, Launch, Process, Redirect};
use crate::ready::{self, Check, NotReady};

/// A running system.
#[derive(Debug)]
pub(crate) struct RunningSystem<'k> {
    host: &'k dyn Host,
    system: System,
    process: Box<dyn Process + 'k>,
    seat: Seat,
}

/// Where and how it runs.
#[derive(Debug)]
pub(crate) struct Seat {
    pub(crate) environment: Environment,
    pub(crate) directory: PathBuf,
    pub(crate) log: PathBuf,
    pub(crate) cpus: Option<CpuSet>,
}

impl<'k> RunningSystem<'k> {
    /// Brings up a system.
    pub(crate) fn start(
        system: System,
        seat: Seat,
        fill: &mut Fill<'_>,
        host: &'k dyn Host,
    ) -> Result<Self, Trouble> {
        let argv = fill.argv(&system.start)?;
        let launch = Launch {
            argv: &argv,
            environment: &seat.environment,
            directory: Some(&seat.directory),
            stdin: None,
            stdout: Redirect::File(&seat.log),
            stderr: Redirect::File(&seat.log),
            cpus: seat.cpus.as_ref(),
        };
        let process = host
            .start(&launch)
            .map_err(|error| launch_trouble(error, |text| not_ready(&system, &text)))?;
        let running = Self {
            host,
            system,
            process,
            seat,
        };
        running.await_ready(fill)?;
        Ok(running)
    }

    /// Its name, where the variant has several.
    pub(crate) fn name(&self) -> Option<&str> {
        self.system.name.as_deref()
    }

    /// Its working directory.
    pub(crate) fn directory(&self) -> &Path {
        &self.seat.directory
    }

    /// CPU time that it has used so far; nothing where that cannot be told.
    pub(crate) fn cpu_time(&self) -> Option<Duration> {
        self.process.cpu_time()
    }

    /// Moves it onto these CPUs.
    pub(crate) fn move_to(&self, cpus: &CpuSet) -> io::Result<()> {
        self.process.move_to(cpus)
    }

    /// What messages call it.
    pub(crate) fn called(&self) -> String {
        called(&self.system)
    }

    /// What it writes to.
    pub(crate) fn log(&self) -> &Path {
        &self.seat.log
    }

    fn await_ready(&self, fill: &mut Fill<'_>) -> Result<(), Trouble> {
        let (host, seat) = (self.host, &self.seat);
        let not_ready = |what: &str| not_ready(&self.system, what);
        let Some(wanted) = &self.system.ready else {
            return Ok(());
        };
        let probe_argv;
        let probe_log = seat.log.with_extension("ready.log");
        let check = match &wanted.check {
            ReadyCheck::Tcp(address) => Check::Tcp(fill.text(address)?),
            ReadyCheck::Unix(path) => Check::Unix(fill.path(path)?),
            ReadyCheck::Line(pattern) => {
                let line = RegexBuilder::new(pattern)
                    .build()
                    .map_err(|error| not_ready(&format!("`{pattern}`: {error}")))?;
                Check::Line(line)
            }
            ReadyCheck::Command(command) => {
                probe_argv = fill.argv(command)?;
                Check::Probe(Box::new(|left| {
                    let limit = left.max(Duration::from_millis(1));
                    let started = host.now();
                    let probe = Aside {
                        purpose: "ready",
                        status: Status::NotReady,
                        argv: &probe_argv,
                        environment: &seat.environment,
                        directory: &seat.directory,
                        log: &probe_log,
                        cpus: None,
                        limit,
                    };
                    match probe.exit(host) {
                        Ok(exit) => Ok(exit == Exit::Code(0)),
                        // It was cut short because the wait as a whole is over.
                        Err(Trouble::Fault(_)) if host.now() - started >= limit => Ok(false),
                        Err(Trouble::Fault(fault)) => Err(fault.detail),
                        Err(Trouble::Fatal(error)) => Err(error.to_string()),
                        // The wait that called this sees it too.
                        Err(Trouble::Interrupted) => Ok(false),
                    }
                }))
            }
        };
        ready::wait(
            host,
            &check,
            self.process.as_ref(),
            &seat.log,
            wanted.timeout,
        )
        .map_err(|error| match error {
            NotReady::Interrupted => Trouble::Interrupted,
            NotReady::Ended => not_ready(&format!(
                "it {} before it was ready{}",
                self.how_it_ended(),
                last_line(host, &seat.log)
            ))
            .into(),
            error => not_ready(&format!("{error}{}", last_line(host, &seat.log))).into(),
        })
    }

    /// Whether it still runs; else what it said last.
    pub(crate) fn check_alive(&self) -> Result<(), Fault> {
        if self.process.is_alive() {
            return Ok(());
        }
        Err(Fault::new(
            Status::Died,
            format!(
                "{} {} while it was under load{}",
                called(&self.system),
                self.how_it_ended(),
                last_line(self.host, &self.seat.log)
            ),
        ))
    }

    fn how_it_ended(&self) -> String {
        self.process
            .exit()
            .map_or("ended".to_owned(), |exit| exit.to_string())
    }

    /// Stops it as its table says, and kills it if it does not.
    pub(crate) fn stop(self, fill: &mut Fill<'_>) -> Result<Ended, Trouble> {
        let Self {
            host,
            system,
            process,
            seat,
        } = self;
        // A stop command would be cut short by the same interrupt: nothing would then tell the
        // system to stop. Dropping it kills it.
        if host.is_interrupted() {
            return Err(Trouble::Interrupted);
        }
        let program = process.name().unwrap_or_default();
        let leader = format!("process {} (`{program}`)", process.number());
        let (told, what) = match &system.stop.action {
            StopAction::Signal(signal) => {
                process.signal(number(*signal));
                let hint = match ["sh", "dash", "bash"].contains(&program.as_str()) {
                    true => "; that is the shell: put `exec` in front of the server's command",
                    false => "",
                };
                (Ok(()), format!("{leader} got {}{hint}", name(*signal)))
            }
            StopAction::Command(command) => {
                let stop = Aside {
                    purpose: "stop",
                    status: Status::NoStop,
                    argv: &fill.argv(command)?,
                    environment: &seat.environment,
                    directory: &seat.directory,
                    log: &seat.log.with_extension("stop.log"),
                    cpus: None,
                    limit: system.stop.timeout,
                };
                let what = format!("the stop command ended well, but {leader} went on");
                (stop.execute(host), what)
            }
        };
        let in_time = process.ends_within(system.stop.timeout);
        let ended = process.wait(Some(Duration::ZERO)).map_err(Trouble::Fatal)?;
        told?;
        if !in_time {
            return Err(Fault::new(
                Status::NoStop,
                format!(
                    "{} did not stop within {:?} and was killed: {what}{}",
                    called(&system),
                    system.stop.timeout,
                    last_line(host, &seat.log)
                ),
            )
            .into());
        }
        Ok(ended)
    }
}

/// What messages call it.
fn called(system: &System) -> String {
    match &system.name {
        Some(name) => format!("the system {name}"),
        None => "the system".to_owned(),
    }
}

fn not_ready(system: &System, detail: &str) -> Fault {
    Fault::new(Status::NotReady, format!("{}: {detail}", called(system)))
}

fn name(signal: Signal) -> &'static str {
    match signal {
        Signal::Term => "SIGTERM",
        Signal::Int => "SIGINT",
        Signal::Hup => "SIGHUP",
        Signal::Quit => "SIGQUIT",
        Signal::Usr1 => "SIGUSR1",
        Signal::Usr2 => "SIGUSR2",
        Signal::Kill => "SIGKILL",
    }
}

fn number(signal: Signal) -> rustix::process::Signal {
    use rustix::process::Signal as Number;
    match signal {
        Signal::Term => Number::TERM,
        Signal::Int => Number::INT,
        Signal::Hup => Number::HUP,
        Signal::Quit => Number::QUIT,
        Signal::Usr1 => Number::USR1,
        Signal::Usr2 => Number::USR2,
        Signal::Kill => Number::KILL,
    }
}
