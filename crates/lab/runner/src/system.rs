//! The system under test: brought up, waited for, watched and stopped.

use std::path::{Path, PathBuf};
use std::time::Duration;

use perflab_experiment::{ReadyCheck, Signal, Status, StopAction, Variant};
use regex::bytes::RegexBuilder;
use rustix::thread::CpuSet;

use crate::aside::{Aside, how, last_line, launch_trouble};
use crate::environment::Environment;
use crate::fault::{Fault, Trouble};
use crate::fill::Fill;
use crate::host::{Ended, Exit, Host, Launch, Process, Redirect};
use crate::ready::{self, Check, NotReady};

/// A running system.
#[derive(Debug)]
pub(crate) struct System<'k> {
    host: &'k dyn Host,
    process: Box<dyn Process + 'k>,
    log: PathBuf,
}

/// Where and how it runs.
#[derive(Debug)]
pub(crate) struct Seat<'a> {
    pub(crate) environment: &'a Environment,
    pub(crate) directory: &'a Path,
    pub(crate) log: &'a Path,
    pub(crate) cpus: Option<&'a CpuSet>,
}

impl<'k> System<'k> {
    /// Brings up the system of a variant, or nothing where the variant has none.
    pub(crate) fn start(
        variant: &Variant,
        seat: &Seat<'_>,
        fill: &mut Fill<'_>,
        host: &'k dyn Host,
    ) -> Result<Option<Self>, Trouble> {
        let Some(start) = &variant.start else {
            return Ok(None);
        };
        let argv = fill.argv(start)?;
        let launch = Launch {
            argv: &argv,
            environment: seat.environment,
            directory: Some(seat.directory),
            stdin: None,
            stdout: Redirect::File(seat.log),
            stderr: Redirect::File(seat.log),
            cpus: seat.cpus,
        };
        let process = host
            .start(&launch)
            .map_err(|error| launch_trouble(error, |text| not_ready(&text)))?;
        let system = Self {
            host,
            process,
            log: seat.log.to_path_buf(),
        };
        system.await_ready(variant, seat, fill)?;
        Ok(Some(system))
    }

    fn await_ready(
        &self,
        variant: &Variant,
        seat: &Seat<'_>,
        fill: &mut Fill<'_>,
    ) -> Result<(), Trouble> {
        let host = self.host;
        let Some(wanted) = &variant.ready else {
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
                        environment: seat.environment,
                        directory: seat.directory,
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
            &self.log,
            wanted.timeout,
        )
        .map_err(|error| match error {
            NotReady::Interrupted => Trouble::Interrupted,
            NotReady::Ended => not_ready(&format!(
                "it {} before it was ready{}",
                self.how_it_ended(),
                last_line(host, &self.log)
            ))
            .into(),
            error => not_ready(&format!("{error}{}", last_line(host, &self.log))).into(),
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
                "the system {} while it was under load{}",
                self.how_it_ended(),
                last_line(self.host, &self.log)
            ),
        ))
    }

    fn how_it_ended(&self) -> String {
        self.process.exit().map_or("ended".to_owned(), how)
    }

    /// Stops it as the variant says, and kills it if it does not.
    pub(crate) fn stop(
        self,
        variant: &Variant,
        seat: &Seat<'_>,
        fill: &mut Fill<'_>,
    ) -> Result<Ended, Trouble> {
        let Self { host, process, log } = self;
        // A stop command would be cut short by the same interrupt: nothing would then tell the
        // system to stop. Dropping it kills it.
        if host.is_interrupted() {
            return Err(Trouble::Interrupted);
        }
        let called = process.name().unwrap_or_default();
        let leader = format!("process {} (`{called}`)", process.number());
        let (told, what) = match &variant.stop.action {
            StopAction::Signal(signal) => {
                process.signal(number(*signal));
                let hint = match ["sh", "dash", "bash"].contains(&called.as_str()) {
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
                    environment: seat.environment,
                    directory: seat.directory,
                    log: &seat.log.with_extension("stop.log"),
                    cpus: None,
                    limit: variant.stop.timeout,
                };
                let what = format!("the stop command ended well, but {leader} went on");
                (stop.execute(host), what)
            }
        };
        let in_time = process.ends_within(variant.stop.timeout);
        let ended = process.wait(Some(Duration::ZERO)).map_err(Trouble::Fatal)?;
        told?;
        if !in_time {
            return Err(Fault::new(
                Status::NoStop,
                format!(
                    "the system did not stop within {:?} and was killed: {what}{}",
                    variant.stop.timeout,
                    last_line(host, &log)
                ),
            )
            .into());
        }
        Ok(ended)
    }
}

fn not_ready(detail: &str) -> Fault {
    Fault::new(Status::NotReady, format!("the system: {detail}"))
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
