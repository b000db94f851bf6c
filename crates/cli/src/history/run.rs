//! `perflab history run`: campaigns, one after the other, until all revisions are measured.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use perflab_experiment::{Experiment, counted, duration};
use perflab_history::{
    Asked, BuildError, Builder, Built, CampaignFacts, Held, HistoryDir, HistoryFile, Purpose,
    Repository, Revision, Timeline, campaign_experiment, commands_at, order,
};
use perflab_report::operand;
use perflab_runner::ThisMachine;
use perflab_store::RunRecord;

use super::arguments::RunArguments;
use super::campaign::{Campaign, Session};
use super::dry_run::dry_run;
use super::file::{Read, read};
use crate::failure::{Code, Failure};
use crate::settings;
use crate::standby::{lock, stand_by};
use crate::terminal;

/// Room for the files of builds that are not needed at the moment.
const ROOM_BYTES: u64 = 10 << 30;

/// Executes the command.
pub fn run(arguments: &RunArguments) -> Result<Option<Code>, Failure> {
    let read = read(&arguments.file)?;
    let end = match &arguments.budget {
        None => None,
        Some(text) => {
            let budget = duration::parse(text)
                .map_err(|error| Failure::usage(format!("--budget: {error}")))?;
            Instant::now().checked_add(budget)
        }
    };
    let asked = asked(arguments)?;
    check(&read)?;
    if arguments.dry_run {
        let repository = read.repository()?;
        warn_if_shallow(repository.as_ref())?;
        let timeline = Timeline::new(&read.file, &read.source(repository.as_ref())?, &asked)?;
        terminal::print(&dry_run(&read.file, &read.experiment, &timeline))?;
        return Ok(None);
    }
    settings::check(
        &read.experiment,
        &read.experiment_path,
        arguments.allow_machine_settings,
    )?;
    let lock = lock(arguments.wait)?;
    let machine = stand_by(Some(&lock))?;
    let out = read.out(arguments.out.as_deref());
    let name_of = |text: &str| {
        HistoryFile::parse(text, "history.toml")
            .ok()
            .map(|file| file.name)
    };
    // A file without a name would have that of its copy.
    let named = HistoryFile {
        name: read.file.name.clone(),
        ..read.file.clone()
    };
    let (directory, held) = HistoryDir::hold(&out, &named.name, &read.text, |text| {
        name_of(text).filter(|name| name != "history")
    })?;
    // Paths in the records of runs must not depend on where perflab was called.
    let home = directory.path().canonicalize().map_err(|error| {
        Failure::environment(format!(
            "cannot find {}: {error}",
            directory.path().display()
        ))
    })?;
    if !arguments.quiet {
        terminal::say(&format!("{}: into {}", named.name, out.display()));
    }
    let mut builder = Builder::new(&machine, &named, &read.home, &home)?;
    warn_if_shallow(builder.repository())?;
    let timeline = {
        let source = read.source(builder.repository())?;
        Timeline::new(&named, &source, &asked)?
    };
    let mut work = Work {
        read: &read,
        file: &named,
        directory: &directory,
        held: &held,
        home: &home,
        machine: &machine,
        timeline: &timeline,
        arguments,
        end,
        begun: 0,
    };
    work.all(&mut builder)?;
    if !arguments.quiet {
        terminal::say(&format!("now: perflab history show {}", operand(&out)));
    }
    Ok(None)
}

/// The revisions that the command line asks for.
fn asked(arguments: &RunArguments) -> Result<Asked, Failure> {
    let Some(fill) = &arguments.fill else {
        return Ok(Asked {
            since: arguments.since.clone(),
            until: arguments.until.clone(),
            every: arguments.every,
        });
    };
    match fill.split_once("..") {
        Some((from, to)) if !from.is_empty() && !to.is_empty() && !to.starts_with('.') => {
            Ok(Asked {
                since: Some(from.to_owned()),
                until: Some(to.to_owned()),
                every: Some(perflab_history::Every::default()),
            })
        }
        _ => Err(Failure::usage(format!(
            "--fill: expected two revisions as A..B, found {fill}"
        ))),
    }
}

/// Says that a history was cut off when it was cloned.
fn warn_if_shallow(repository: Option<&Repository>) -> Result<(), Failure> {
    let Some(repository) = repository else {
        return Ok(());
    };
    if repository.is_shallow()? {
        terminal::say(
            "note: the repository is a shallow clone, so its history begins where that was cut off: `git fetch \
             --unshallow` gets all of it",
        );
    }
    Ok(())
}

/// Refuses an experiment in which revisions cannot take the place of a variant, before anything is built.
fn check(read: &Read) -> Result<(), Failure> {
    let nowhere = Revision {
        id: "0".repeat(40),
        time: 0,
        subject: String::new(),
        parents: Vec::new(),
        tags: Vec::new(),
    };
    let ready = perflab_history::Ready {
        revision: &nowhere,
        name: "0",
        tree: Path::new("/"),
    };
    let experiment = campaign_experiment(&read.experiment, &read.file.measure, ready, &[], 0)?;
    parsed(&experiment, read).map(drop)
}

/// The text of an experiment, which must be one that can be read.
pub(super) fn parsed(experiment: &Experiment, read: &Read) -> Result<String, Failure> {
    let text = toml::to_string(experiment).map_err(|error| {
        Failure::usage(format!(
            "cannot write the experiment of a campaign: {error}"
        ))
    })?;
    Experiment::parse(&text, "experiment.toml").map_err(|error| {
        Failure::usage(format!(
            "revisions cannot take the place of the variant in {}: {error}",
            read.experiment_path.display()
        ))
    })?;
    Ok(text)
}

/// What is to be done, and how far it is.
struct Work<'w> {
    read: &'w Read,
    file: &'w HistoryFile,
    directory: &'w HistoryDir,
    held: &'w Held,
    home: &'w Path,
    machine: &'w ThisMachine,
    timeline: &'w Timeline,
    arguments: &'w RunArguments,
    end: Option<Instant>,
    begun: u32,
}

impl Work<'_> {
    /// Campaigns until nothing is left, or no more may be begun.
    fn all(&mut self, builder: &mut Builder<'_>) -> Result<(), Failure> {
        let campaigns = self.directory.campaigns()?;
        if let Some(last) = campaigns.last() {
            self.go_on(last, builder)?;
        }
        // Whatever comes of it, nothing is tried twice in one call.
        let mut tried: HashSet<String> = HashSet::new();
        loop {
            let left = self.left(&tried)?;
            if left.is_empty() {
                self.say("all revisions are measured, or could not be built");
                return Ok(());
            }
            if self.is_over() {
                self.say(&format!(
                    "{} left to measure",
                    counted(left.len(), "revision")
                ));
                return Ok(());
            }
            self.begun += 1;
            self.campaign(&left, builder, &mut tried)?;
        }
    }

    /// Places of the revisions that are not measured yet, in the order in which to measure them.
    fn left(&self, tried: &HashSet<String>) -> Result<Vec<usize>, Failure> {
        let mut measured = HashSet::new();
        for facts in self.directory.campaigns()? {
            let Some(result) = self.directory.opened(&facts)? else {
                continue;
            };
            // A revision whose runs fail is known as well as one whose runs pass.
            let counts = |record: &&RunRecord| record.status.passed() || !self.arguments.again;
            let tried = result.records.iter().filter(counts);
            let tried: HashSet<&str> = tried.map(|record| record.variant.as_str()).collect();
            let all = std::iter::once(&facts.control).chain(&facts.revisions);
            let known = all.filter(|revision| tried.contains(revision.name()));
            measured.extend(known.map(|revision| revision.id.clone()));
        }
        let is_done = |revision: &Revision| {
            measured.contains(&revision.id)
                || tried.contains(&revision.id)
                || revision.id == self.timeline.control.id
        };
        let is_measured: Vec<bool> = self.timeline.measured().map(is_done).collect();
        let places = order(&is_measured).into_iter();
        Ok(places.map(|index| self.timeline.selected[index]).collect())
    }

    fn is_over(&self) -> bool {
        let is_late = self.end.is_some_and(|end| Instant::now() >= end);
        let most = self.arguments.campaigns.map(std::num::NonZeroU32::get);
        is_late || most.is_some_and(|most| self.begun >= most)
    }

    /// Builds the control and as many of the revisions as belong together, and measures them.
    fn campaign(
        &self,
        left: &[usize],
        builder: &mut Builder<'_>,
        tried: &mut HashSet<String>,
    ) -> Result<(), Failure> {
        let control = self.control(builder)?;
        let campaigns = self.directory.campaigns()?;
        let last = campaigns.iter().map(|facts| facts.campaign).max();
        let number = last.unwrap_or(0) + 1;
        let mut facts = CampaignFacts::new(
            number,
            jiff::Timestamp::now().to_string(),
            match self.arguments.fill {
                Some(_) => Purpose::Fill,
                None => Purpose::Plan,
            },
            self.timeline.control.clone(),
        );
        let mut ready = vec![(self.timeline.control.clone(), control)];
        for place in left {
            if facts.revisions.len() >= self.file.measure.together as usize {
                break;
            }
            let revision = &self.timeline.revisions[*place];
            let built = self.build(revision, *place, builder)?;
            tried.insert(revision.id.clone());
            match built.tree {
                Some(_) => {
                    facts.add(revision, &built);
                    ready.push((revision.clone(), built));
                }
                // That it cannot be built this way is known already.
                None if built.is_reused => {}
                None => facts.add(revision, &built),
            }
        }
        let (_, control) = &ready[0];
        facts.note(&self.timeline.control, control);
        if facts.revisions.is_empty() && facts.unbuilt.is_empty() {
            return Ok(());
        }
        if facts.revisions.is_empty() {
            // None could be built, which is worth a line, too.
            return Ok(self.directory.add(self.held, &facts)?);
        }
        let seed = rand::random::<u64>() >> 12;
        let campaign = Campaign::new(self.read, &ready, seed)?;
        self.directory.add(self.held, &facts)?;
        self.say(&format!(
            "campaign {number}: {} and the control {}",
            counted(facts.revisions.len(), "revision"),
            facts.control.name()
        ));
        campaign.execute(&self.session(), &facts)?;
        let keys: Vec<_> = ready.iter().map(|(_, built)| built.key.clone()).collect();
        Ok(builder.make_room(ROOM_BYTES, &keys)?)
    }

    /// Goes on with a campaign that was interrupted.
    fn go_on(&self, facts: &CampaignFacts, builder: &mut Builder<'_>) -> Result<(), Failure> {
        let Some(result) = self.directory.opened(facts)? else {
            // Nothing of it was measured: its revisions are still left.
            return Ok(());
        };
        if result.records.len() >= result.plan.runs.len() {
            return Ok(());
        }
        for revision in std::iter::once(&facts.control).chain(&facts.revisions) {
            let place = self.timeline.place(&revision.id);
            let built = self.build(revision, place.unwrap_or(usize::MAX), builder)?;
            if facts.builds.get(revision.name()) != Some(&built.facts.build) {
                self.say(&format!(
                    "campaign {} is not gone on with: {} was built again since",
                    facts.campaign,
                    revision.name()
                ));
                return Ok(());
            }
        }
        self.say(&format!("campaign {}: goes on", facts.campaign));
        let path = self.directory.result(facts);
        Campaign::of(self.read, &result)?.resume(&self.session(), &path)
    }

    fn session(&self) -> Session<'_> {
        Session {
            read: self.read,
            directory: self.directory,
            machine: self.machine,
            quiet: self.arguments.quiet,
        }
    }

    /// The build of the control, without which nothing can be measured.
    fn control(&self, builder: &mut Builder<'_>) -> Result<Built, Failure> {
        let control = &self.timeline.control;
        let place = self.timeline.place(&control.id).unwrap_or(0);
        let built = self.build(control, place, builder)?;
        match &built.tree {
            Some(_) => Ok(built),
            None => Err(Failure::environment(format!(
                "the control {} cannot be built, and all values are relative to it: {}; see {}, or choose another \
                 `control` in [revisions]",
                control.name(),
                built.facts.detail.as_deref().unwrap_or_default(),
                self.home
                    .join("builds")
                    .join(format!("{:06}", built.facts.build))
                    .display(),
            ))),
        }
    }

    fn build(
        &self,
        revision: &Revision,
        place: usize,
        builder: &mut Builder<'_>,
    ) -> Result<Built, BuildError> {
        let quirks = commands_at(&self.timeline.quirks, place);
        let built = builder.build(revision, &quirks, self.arguments.again)?;
        if built.is_reused {
            return Ok(built);
        }
        let took: f64 = built.facts.steps.iter().map(|step| step.seconds).sum();
        let took = Duration::try_from_secs_f64(took).unwrap_or_default();
        match &built.facts.detail {
            None => self.say(&format!(
                "built {} in {:.1} s",
                revision.name(),
                took.as_secs_f64()
            )),
            Some(detail) => self.say(&format!(
                "{} cannot be built: {detail}; see {}",
                revision.name(),
                self.home
                    .join("builds")
                    .join(format!("{:06}", built.facts.build))
                    .display()
            )),
        }
        Ok(built)
    }

    fn say(&self, text: &str) {
        if !self.arguments.quiet {
            terminal::say(&terminal::escape(text));
        }
    }
}
