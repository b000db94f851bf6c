//! What the runs of an experiment need, looked for before the first of them.
//!
//! Only what every run would lack is reported: a file that a build, a system or `prepare` may make is
//! not looked for, and neither is what a shell would start.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use perflab_experiment::{
    Build, Cell, Command, Experiment, Layout, ReadyCheck, StopAction, System, Variant, Versions,
    Workload, names_slice,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::counters;
use crate::driver::driver_of;
use crate::environment::Environment;
use crate::fill::{Fill, Ports, Share};
use crate::host::Host;
use crate::places::{missing_cpus, share_cores};
use crate::this_machine::locate::no_directory;

/// What keeps every run of some cell from being measured, one line each.
#[derive(Debug, Default)]
pub struct Preflight {
    /// Mistakes in the experiment.
    pub mistakes: Vec<String>,
    /// What this machine lacks.
    pub missing: Vec<String>,
    /// What it lacks as well, unless a build installs it.
    pub doubtful: Vec<String>,
    /// Advice on the measurement, which can be made.
    pub notes: Vec<String>,
}

/// Looks for all that the runs of these cells of an experiment need. `scratch` stands for the directories that a
/// run would have.
pub fn preflight(
    experiment: &Experiment,
    cells: &[Cell],
    home: &Path,
    scratch: &Path,
    host: &dyn Host,
) -> Preflight {
    let mut look = Look {
        host,
        experiment,
        home,
        scratch,
        base: host.environment(&experiment.design.environment),
        seen: BTreeSet::new(),
        found: Preflight::default(),
    };
    look.found.missing.extend(missing_cpus(experiment, host));
    look.found.notes.extend(share_cores(experiment, host));
    for cell in cells {
        look.cell(cell);
    }
    look.found
}

struct Look<'a> {
    host: &'a dyn Host,
    experiment: &'a Experiment,
    home: &'a Path,
    scratch: &'a Path,
    base: Environment,
    seen: BTreeSet<(OsString, PathBuf, OsString, [bool; 2])>,
    found: Preflight,
}

/// Where the program of a command is looked for.
struct Place<'a> {
    directory: &'a Path,
    path: &'a OsStr,
    /// Whether something that is executed before it may make the file, or the directory.
    made: bool,
    /// Whether a build may have installed it.
    built: bool,
}

impl Look<'_> {
    fn cell(&mut self, cell: &Cell) {
        let (Ok(variant), Ok(workload)) = (
            self.experiment.variant(cell),
            self.experiment.workload(cell),
        ) else {
            return;
        };
        let (mut ports, mut random) = (Ports::default(), ChaCha8Rng::seed_from_u64(0));
        let mut fill = Fill {
            host: self.host,
            ports: &mut ports,
            random: &mut random,
            dir: self.scratch,
            run: Some(self.scratch),
            build: Some(self.scratch),
            experiment: self.home,
            share: Share::WHOLE,
        };
        if let Some(build) = &variant.build {
            self.build(
                &format!("[variants.{}.build]", cell.variant),
                build,
                &mut fill,
            );
        }
        self.variant(&format!("[variants.{}]", cell.variant), &variant, &mut fill);
        let name = format!("[workloads.{}]", cell.workload);
        self.load(&name, &variant, &workload, &mut fill);
    }

    fn build(&mut self, name: &str, build: &Build, fill: &mut Fill<'_>) {
        let path = self.base.path();
        let directory = match build.directory.as_ref().map(|text| fill.path(text)) {
            None => self.home.to_path_buf(),
            Some(Ok(directory)) => directory,
            Some(Err(_)) => return,
        };
        let mut place = Place {
            directory: &directory,
            path: &path,
            made: false,
            built: false,
        };
        self.command(
            &format!("{name} command"),
            build.command.as_ref(),
            fill,
            &place,
        );
        place.made = build.command.is_some();
        let link = build.link.as_ref().and_then(|link| link.argv.first());
        if let Some(Ok(program)) = link.map(|program| fill.text(program)) {
            self.program(&format!("{name} link"), program.as_ref(), &place);
        }
        match self.experiment.design.layout() {
            Some(Layout::Gap) => self.program("the layout `gap`", "cc".as_ref(), &place),
            Some(Layout::Align) => self.program("the layout `align`", "objcopy".as_ref(), &place),
            _ => {}
        }
    }

    fn variant(&mut self, name: &str, variant: &Variant, fill: &mut Fill<'_>) {
        let path = self.environment(&variant.env, fill).path();
        let place = Place {
            directory: self.scratch,
            path: &path,
            made: variant.build.is_some(),
            built: installs(variant),
        };
        if variant.build.is_none() {
            for file in &variant.files {
                if let Ok(path) = fill.path(file)
                    && let Err(error) = path.metadata()
                {
                    let text = format!("{name} files: {}: {error}", path.display());
                    push_new(&mut self.found.missing, text);
                }
            }
        }
        for command in variant.version.iter().flat_map(Versions::commands) {
            self.command(&format!("{name} version"), Some(command), fill, &place);
        }
        for system in variant.systems() {
            let name = match &system.name {
                Some(system) => format!("{name} system {system}"),
                None => name.to_owned(),
            };
            self.system(&name, &system, variant, fill);
        }
    }

    fn system(&mut self, name: &str, system: &System, variant: &Variant, fill: &mut Fill<'_>) {
        let cpus = system
            .cpus
            .as_ref()
            .map(|cpus| self.host.cpus(cpus.numbers()));
        if let Some(Err(error)) = cpus {
            push_new(&mut self.found.missing, error.to_string());
        }
        let path = self.environment(&system.env, fill).path();
        let mut place = Place {
            directory: self.scratch,
            path: &path,
            made: variant.build.is_some(),
            built: installs(variant),
        };
        self.command(&format!("{name} start"), Some(&system.start), fill, &place);
        place.made = true;
        if let Some(ReadyCheck::Command(command)) = system.ready.as_ref().map(|ready| &ready.check)
        {
            self.command(&format!("{name} ready"), Some(command), fill, &place);
        }
        if let StopAction::Command(command) = &system.stop.action {
            self.command(&format!("{name} stop"), Some(command), fill, &place);
        }
    }

    /// The clean set with these on top.
    fn environment<'v>(
        &self,
        variables: impl IntoIterator<Item = (&'v String, &'v String)>,
        fill: &mut Fill<'_>,
    ) -> Environment {
        let mut environment = self.base.clone();
        for (name, value) in variables {
            environment.set(name, fill.text(value).unwrap_or_default());
        }
        environment
    }

    fn load(&mut self, name: &str, variant: &Variant, workload: &Workload, fill: &mut Fill<'_>) {
        let of_variant = variant.env.iter().filter(|_| !variant.has_systems());
        let path = self
            .environment(of_variant.chain(&workload.env), fill)
            .path();
        let directory = match workload.directory.as_ref().map(|text| fill.path(text)) {
            None => self.scratch.to_path_buf(),
            Some(Ok(directory)) => directory,
            Some(Err(_)) => return,
        };
        let mut place = Place {
            directory: &directory,
            path: &path,
            made: variant.build.is_some() || variant.has_systems(),
            built: installs(variant),
        };
        self.command(
            &format!("{name} prepare"),
            workload.prepare.as_ref(),
            fill,
            &place,
        );
        place.made |= workload.prepare.is_some();
        match self.tool(name, workload, fill) {
            Ok(argv) => self.workload(name, workload, &argv, fill, &place),
            Err(mistake) => push_new(&mut self.found.mistakes, mistake),
        }
        place.made = true;
        self.command(
            &format!("{name} cleanup"),
            workload.cleanup.as_ref(),
            fill,
            &place,
        );
    }

    /// The command line of a workload; what is wrong with it.
    fn tool(
        &self,
        name: &str,
        workload: &Workload,
        fill: &mut Fill<'_>,
    ) -> Result<Vec<OsString>, String> {
        let wrong = |what: String| format!("{name} {what}");
        let driver =
            driver_of(workload).map_err(|fault| wrong(format!("driver: {}", fault.detail)))?;
        if let Some(command) = &workload.command {
            return Ok(fill.argv(command).unwrap_or_default());
        }
        let mut arguments = Vec::new();
        for text in &workload.args {
            let Ok(argument) = fill.text(text) else {
                return Ok(Vec::new());
            };
            arguments.push(argument);
        }
        driver
            .check(&arguments)
            .map_err(|error| wrong(format!("args: {error}")))?;
        if let Some(count) = self.experiment.design.least_slices()
            && driver.takes_turns().is_none()
        {
            let says_its_share = workload.args.iter().any(|text| names_slice(text));
            match says_its_share {
                true => driver.check_slice(&arguments),
                false => driver.slices(&arguments, count).map(drop),
            }
            .map_err(|error| wrong(format!("args: {error}")))?;
        }
        Ok(driver
            .argv(&arguments)
            .into_iter()
            .map(Into::into)
            .collect())
    }

    fn workload(
        &mut self,
        name: &str,
        workload: &Workload,
        argv: &[OsString],
        fill: &mut Fill<'_>,
        place: &Place<'_>,
    ) {
        let what = match workload.command {
            Some(_) => format!("{name} command"),
            None => format!("{name} driver"),
        };
        // Behind other words it is their matter what is executed, and where.
        match workload.within.first().map(|word| fill.text(word)) {
            None => {
                if let Some(program) = argv.first() {
                    self.program(&what, program, place);
                }
            }
            Some(Ok(word)) => self.program(&format!("{name} within"), word.as_ref(), place),
            Some(Err(_)) => {}
        }
        let observe = self.experiment.observe.as_ref();
        let is_observed = observe.is_some_and(|observe| !observe.counters.is_empty());
        if !workload.counters.is_empty() || is_observed {
            for (program, _) in counters::programs(argv) {
                self.program(&format!("{name} counters"), &program, place);
            }
        }
    }

    fn command(
        &mut self,
        what: &str,
        command: Option<&Command>,
        fill: &mut Fill<'_>,
        place: &Place<'_>,
    ) {
        let argv = command.and_then(|command| fill.argv(command).ok());
        if let Some(program) = argv.as_ref().and_then(|argv| argv.first()) {
            self.program(what, program, place);
        }
    }

    fn program(&mut self, what: &str, program: &OsStr, place: &Place<'_>) {
        let Place {
            directory,
            path,
            made,
            built,
        } = *place;
        let name = program.to_string_lossy();
        let by_path = name.contains('/');
        let key = (
            program.to_owned(),
            directory.to_owned(),
            path.to_owned(),
            [made, built],
        );
        if !self.seen.insert(key) {
            return;
        }
        let found = match no_directory(directory) {
            Some(_) if made => return,
            // Such a path leads nowhere before the directory is there.
            Some(why) if by_path && Path::new(program).is_relative() => vec![why],
            // Any other program is missing or not, whatever the directory.
            Some(why) => {
                let other = self.host.locate(program, self.home, path).err();
                [Some(why), other].into_iter().flatten().collect()
            }
            None => self
                .host
                .locate(program, directory, path)
                .err()
                .into_iter()
                .collect(),
        };
        if made && (by_path || path != self.base.path()) {
            return;
        }
        for mut why in found {
            if by_path && directory == self.scratch && Path::new(program).is_relative() {
                why = "its working directory is new and empty in each run; {experiment} is the \
                       directory of the experiment file"
                    .to_owned();
            }
            let list = match built {
                true => &mut self.found.doubtful,
                false => &mut self.found.missing,
            };
            let text = format!("{what}: cannot start `{name}`: {why}");
            // Nobody has seen the directory that stands for those of a run.
            let text = text.replace(&*self.scratch.to_string_lossy(), "{run}");
            push_new(list, text);
        }
    }
}

/// Several cells may lack the same.
fn push_new(list: &mut Vec<String>, text: String) {
    if !list.contains(&text) {
        list.push(text);
    }
}

/// Whether a build of the variant may install programs. A link step makes but one.
fn installs(variant: &Variant) -> bool {
    let build = variant.build.as_ref();
    build.is_some_and(|build| build.command.is_some())
}
