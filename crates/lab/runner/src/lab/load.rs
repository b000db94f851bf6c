//! The workload of a run: prepared, warmed up, executed, read.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use perflab_drivers::{Driver, Output, Usage};
use perflab_experiment::{Command, Refresh, Sample, Status, Workload};
use perflab_store::StepKind;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Lab;
use super::builds::Built;
use super::counted;
use super::current::Current;
use super::instance::Instance;
use crate::aside::{Aside, how, last_line, launch_trouble};
use crate::driver::driver_of;
use crate::environment::MAX_PADDING_BYTES;
use crate::fault::{Fault, Trouble};
use crate::fill::Fill;
use crate::host::{Ended, Exit, Host, Launch, Redirect, Stopped};
use crate::libraries::remap;

/// Most that is read of what a workload writes to one stream, in bytes.
const MOST_OUTPUT_BYTES: u64 = 1 << 28;

impl Lab<'_> {
    /// Executes the workload against an instance, which is new where `fresh`.
    pub(super) fn load(
        &self,
        run: &mut Current<'_>,
        instance: &mut Instance<'_>,
        built: Option<&Built>,
        fresh: bool,
    ) -> Result<(), Trouble> {
        let driver = driver_of(run.workload)?;
        let scratch = self
            .scratch()
            .join(format!("run-{}", run.planned.run))
            .join("load");
        self.host
            .create_directory(&scratch)
            .map_err(Trouble::Fatal)?;
        let mut names = ChaCha8Rng::seed_from_u64(run.planned.seed ^ 1);
        let mut fill = Fill {
            host: self.host,
            ports: &mut instance.ports,
            random: &mut names,
            dir: &instance.directory,
            run: Some(&run.logs),
            build: built.map(|built| built.output.as_path()),
            experiment: &self.home,
        };
        let directory = match &run.workload.directory {
            Some(directory) => fill.path(directory)?,
            None => scratch,
        };
        let mut environment = self.environment();
        let of_variant = run
            .variant
            .start
            .is_none()
            .then_some(&run.variant.env)
            .into_iter()
            .flatten();
        for (name, value) in of_variant.chain(&run.workload.env) {
            environment.set(name, fill.text(value)?);
        }
        run.outcome.padding = run.random.random_range(0..=MAX_PADDING_BYTES);
        environment.pad(run.outcome.padding);
        let argv = match &run.workload.command {
            Some(command) => fill.argv(command)?,
            None => {
                let arguments = run
                    .workload
                    .args
                    .iter()
                    .map(|text| fill.text(text))
                    .collect::<Result<Vec<_>, _>>()?;
                driver
                    .check(&arguments)
                    .map_err(|error| Fault::no_run(error.to_string()))?;
                driver
                    .argv(&arguments)
                    .into_iter()
                    .map(Into::into)
                    .collect()
            }
        };
        if run.variant.start.is_none()
            && self.experiment.design.refresh == Refresh::Relink
            && built.is_none()
        {
            run.outcome.layout = remap(
                self.host,
                &argv,
                &directory,
                &mut environment,
                &mut run.random,
            );
        }
        let (counts, code) = (run.logs.join("counters"), run.logs.join("counters.exit"));
        let events = &run.workload.counters;
        let argv = counted::argv(
            self.host,
            events,
            &counts,
            &code,
            argv,
            &environment,
            &directory,
        )?;
        let mut within = Vec::with_capacity(run.workload.within.len());
        for word in &run.workload.within {
            within.push(OsString::from(fill.text(word)?));
        }
        let argv: Vec<OsString> = within.into_iter().chain(argv).collect();
        run.outcome.argv = argv
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let limit = run
            .workload
            .timeout
            .unwrap_or(self.experiment.design.timeout);
        let aside = |purpose, command: &Command, fill: &mut Fill<'_>| {
            Aside {
                purpose,
                status: Status::NoRun,
                argv: &fill.argv(command)?,
                environment: &environment,
                directory: &directory,
                log: &run.logs.join(format!("{purpose}.log")),
                cpus: self.load_cpus.as_ref(),
                limit,
            }
            .execute(self.host)
        };
        let (stdout, stderr) = (run.logs.join("stdout"), run.logs.join("stderr"));
        let launch = Launch {
            argv: &argv,
            environment: &environment,
            directory: Some(&directory),
            stdin: None,
            stdout: Redirect::File(&stdout),
            stderr: Redirect::File(&stderr),
            cpus: self.load_cpus.as_ref(),
        };
        let warmups = if fresh {
            self.experiment.design.warmup
        } else {
            0
        };
        for measured in (0..warmups).map(|_| false).chain([true]) {
            if let Some(prepare) = &run.workload.prepare {
                let begun = self.host.now();
                let prepared = aside("prepare", prepare, &mut fill);
                run.outcome.note(StepKind::Prepare, self.host.now() - begun);
                prepared?;
            }
            let begun = self.host.now();
            let before = self.host.load();
            let process = self.host.start(&launch);
            let mut ended = process
                .map_err(|error| launch_trouble(error, Fault::no_run))?
                .wait(Some(limit))
                .map_err(Trouble::Fatal)?;
            let step = match measured {
                true => StepKind::Run,
                false => StepKind::WarmUp,
            };
            run.outcome.note(step, self.host.now() - begun);
            run.outcome.load = Some((before, self.host.load()));
            if ended.stopped == Some(Stopped::Interrupted) {
                return Err(Trouble::Interrupted);
            }
            let exit = counted::exit(self.host, events, &ended, &code);
            ended.exit = exit.as_ref().map_or(ended.exit, |exit| *exit);
            run.outcome.ended = Some(ended);
            let fine = exit
                .and_then(|_| well_ended(self.host, &ended, run.workload, limit, &stdout, &stderr));
            // A system that died explains the load's failure.
            if let Some(system) = &instance.system {
                system.check_alive()?;
            }
            fine?;
            if measured {
                let mut samples = read(self.host, driver.as_ref(), &ended, &stdout, &stderr)?;
                if !events.is_empty() {
                    let file = match self.host.length(&counts) {
                        Ok(_) => contents(self.host, &counts)?,
                        Err(_) => Vec::new(),
                    };
                    samples.extend(counted::read(events, &file)?);
                }
                run.outcome.samples = samples;
            }
            if let Some(cleanup) = &run.workload.cleanup {
                let begun = self.host.now();
                let cleaned = aside("cleanup", cleanup, &mut fill);
                run.outcome.note(StepKind::CleanUp, self.host.now() - begun);
                cleaned?;
            }
        }
        Ok(())
    }
}

/// Whether the workload ended by itself with a code that is fine.
fn well_ended(
    host: &dyn Host,
    ended: &Ended,
    workload: &Workload,
    limit: Duration,
    stdout: &Path,
    stderr: &Path,
) -> Result<(), Fault> {
    let said = || match last_line(host, stderr) {
        nothing if nothing.is_empty() => last_line(host, stdout),
        said => said,
    };
    match (ended.stopped, ended.exit) {
        (Some(_), _) => Err(Fault::new(
            Status::Timeout,
            format!(
                "the workload took longer than {limit:?}{}{}",
                match ended.exit {
                    Exit::Signal(_) => " and was killed",
                    Exit::Code(_) => "",
                },
                said()
            ),
        )),
        (None, Exit::Code(code))
            if workload
                .exit_codes
                .iter()
                .any(|fine| i32::from(*fine) == code) =>
        {
            Ok(())
        }
        (None, exit @ Exit::Code(_)) => Err(Fault::new(
            Status::Exit,
            format!("the workload {}{}", how(exit), said()),
        )),
        (None, exit @ Exit::Signal(_)) => Err(Fault::new(
            Status::Signal,
            format!("the workload {}{}", how(exit), said()),
        )),
    }
}

/// The samples in what the workload wrote and used.
fn read(
    host: &dyn Host,
    driver: &dyn Driver,
    ended: &Ended,
    stdout: &Path,
    stderr: &Path,
) -> Result<Vec<Sample>, Trouble> {
    let contents = |file| match driver.reads_output() {
        true => contents(host, file),
        false => Ok(Vec::new()),
    };
    let (stdout, stderr) = (contents(stdout)?, contents(stderr)?);
    let output = Output {
        stdout: &stdout,
        stderr: &stderr,
        usage: Usage {
            wall_s: ended.wall.as_secs_f64(),
            user_s: ended.usage.user.as_secs_f64(),
            system_s: ended.usage.system.as_secs_f64(),
            max_rss_bytes: ended.usage.max_rss_bytes,
            exit_code: match ended.exit {
                Exit::Code(code) => code,
                Exit::Signal(signal) => 128 + signal,
            },
        },
    };
    driver.read(&output).map_err(|error| {
        let detail = format!("{error}{}", output.quoted(error.place));
        Fault::new(Status::Fail, detail).into()
    })
}

/// What a stream was captured in, as far as it can be held in memory.
fn contents(host: &dyn Host, file: &Path) -> Result<Vec<u8>, Trouble> {
    let stream = file.file_name().unwrap_or_default().to_string_lossy();
    let lost = |error: io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Trouble::from(Fault::new(
            Status::Fail,
            format!("{stream}: removed or replaced during the run: {error}"),
        )),
        ErrorKind::PermissionDenied => Trouble::from(Fault::new(
            Status::Fail,
            format!("{stream}: cannot be read: {error}; the run has changed its permissions"),
        )),
        _ => Trouble::Fatal(error),
    };
    let length = host.length(file).map_err(lost)?;
    if length > MOST_OUTPUT_BYTES {
        return Err(Fault::new(
            Status::Fail,
            format!(
                "{stream}: expected at most {MOST_OUTPUT_BYTES} bytes, found {length} bytes; let the \
                 workload say less, or send what is not needed to /dev/null"
            ),
        )
        .into());
    }
    host.read(file, 0, length).map_err(lost)
}
