//! What all builds and campaigns of a call share.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use perflab_experiment::Revised;
use perflab_history::{
    BuildError, BuildKey, Builder, Built, CampaignFacts, Held, HistoryDir, Purpose, Revision,
    Wanted,
};
use perflab_machine::MachineLock;
use perflab_runner::{ThisMachine, remove_scratch};
use perflab_store::ResultDir;

use super::arguments::MeasuringArguments;
use super::file::Read;
use crate::failure::Failure;
use crate::settings;
use crate::standby::{lock, stand_by};
use crate::terminal;

/// Room for the files of builds that are not needed at the moment.
const ROOM_BYTES: u64 = 10 << 30;

/// The machine and the directory of a history, for as long as a call measures.
pub(super) struct Site {
    machine: ThisMachine,
    pub(super) directory: HistoryDir,
    pub(super) held: Held,
    /// The directory as an absolute path: paths in the records of runs must not depend on where perflab was called.
    home: PathBuf,
    /// The last to go.
    _lock: MachineLock,
}

impl Site {
    /// Takes the machine, and the directory for the history that was read.
    pub(super) fn take(
        read: &Read,
        out: &Path,
        measuring: &MeasuringArguments,
    ) -> Result<Self, Failure> {
        settings::check(
            &read.experiment,
            &read.experiment_path,
            measuring.allow_machine_settings,
        )?;
        let lock = lock(measuring.wait)?;
        let machine = stand_by(Some(&lock))?;
        let (directory, held) = HistoryDir::hold(out, &read.file.name, &read.text)?;
        let home = directory.path().canonicalize().map_err(|error| {
            let path = directory.path().display();
            Failure::environment(format!("cannot find {path}: {error}"))
        })?;
        for facts in directory.without_summary()? {
            settle(&machine, &directory.result(&facts));
        }
        Ok(Self {
            machine,
            directory,
            held,
            home,
            _lock: lock,
        })
    }

    /// What builds revisions.
    pub(super) fn builder<'s>(&'s self, read: &'s Read) -> Result<Builder<'s>, Failure> {
        Ok(Builder::new(
            &self.machine,
            &read.file,
            &read.home,
            &self.home,
        )?)
    }

    /// What all builds and campaigns share.
    pub(super) fn session<'s>(&'s self, read: &'s Read, quiet: bool) -> Session<'s> {
        Session {
            read,
            directory: &self.directory,
            held: &self.held,
            home: &self.home,
            machine: &self.machine,
            quiet,
            may_fail: false,
        }
    }
}

/// Removes what a laboratory that was killed left in a result, whether or not runs of it are missing. One that cannot be
/// trusted is left as it is: the command that reads it says why.
fn settle(machine: &ThisMachine, result: &Path) {
    if ResultDir::resume(result).is_ok() {
        remove_scratch(machine, result);
    }
}

/// What all builds and campaigns of a call share.
#[derive(Clone, Copy)]
pub(super) struct Session<'s> {
    pub(super) read: &'s Read,
    pub(super) directory: &'s HistoryDir,
    pub(super) held: &'s Held,
    /// The directory of the history, as an absolute path.
    pub(super) home: &'s Path,
    pub(super) machine: &'s ThisMachine,
    pub(super) quiet: bool,
    /// Whether campaigns are measured to their end though a revision fails again and again.
    pub(super) may_fail: bool,
}

impl Session<'_> {
    /// Builds a revision, and says so unless it was there.
    pub(super) fn build(
        &self,
        wanted: &Wanted<'_>,
        builder: &mut Builder<'_>,
    ) -> Result<Built, BuildError> {
        let built = builder.build(wanted)?;
        if !built.is_reused {
            self.tell(wanted.revision, &built);
        }
        Ok(built)
    }

    fn tell(&self, revision: &Revision, built: &Built) {
        let took: f64 = built.facts.steps.iter().map(|step| step.seconds).sum();
        match &built.facts.detail {
            None => self.say(&format!("built {} in {took:.1} s", revision.name())),
            Some(detail) => self.say(&format!(
                "{} cannot be built: {detail}; see {}",
                revision.name(),
                self.log(built).display()
            )),
        }
    }

    /// Says that a revision cannot be built, why, and what that means.
    pub(super) fn unbuilt(&self, revision: &Revision, built: &Built, meaning: &str) -> String {
        format!(
            "{} cannot be built: {}; see {}; {meaning}",
            revision.name(),
            built.facts.detail.as_deref().unwrap_or_default(),
            self.log(built).display()
        )
    }

    /// The directory with the logs of a build.
    pub(super) fn log(&self, built: &Built) -> PathBuf {
        let build = format!("{:06}", built.facts.build);
        self.home.join("builds").join(build)
    }

    /// The facts of a new campaign.
    pub(super) fn facts(
        &self,
        purpose: Purpose,
        control: Revision,
    ) -> Result<CampaignFacts, Failure> {
        let campaigns = self.directory.campaigns()?;
        let last = campaigns.iter().map(|facts| facts.campaign).max();
        let now = jiff::Timestamp::now().to_string();
        Ok(CampaignFacts::new(
            last.unwrap_or(0) + 1,
            now,
            purpose,
            control,
        ))
    }

    /// Removes builds that are not needed until there is room.
    pub(super) fn make_room(
        &self,
        needed: &[BuildKey],
        builder: &Builder<'_>,
    ) -> Result<(), Failure> {
        Ok(builder.make_room(ROOM_BYTES, needed)?)
    }

    /// Whether all runs of a campaign were recorded.
    pub(super) fn is_complete(&self, facts: &CampaignFacts) -> Result<bool, Failure> {
        let summary = self.directory.summary(facts)?;
        Ok(summary.is_some_and(|summary| summary.is_complete))
    }

    /// Prints a message, unless there is to be none.
    pub(super) fn say(&self, text: &str) {
        if !self.quiet {
            terminal::say(&terminal::escape(text));
        }
    }
}

/// Fewest runs of each side of a confirmation, where nobody asks for a number: of fewer, hardly any difference can be
/// proven.
pub(super) const FEWEST: u32 = 12;

/// Runs of each side of a confirmation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sides {
    /// As many as somebody asks for.
    pub(super) asked: Option<NonZeroU32>,
    /// Where nobody does, as many as the experiment has, but so many at least.
    pub(super) least: u32,
}

impl Sides {
    /// How many are enough.
    pub(super) fn enough(self) -> u32 {
        self.asked.map_or(self.least, NonZeroU32::get)
    }

    /// The design of the confirmation.
    pub(super) fn design(self, read: &Read) -> Revised {
        let of_file = read.file.measure.design(seed());
        let design = &read.experiment.design;
        match (self.asked, of_file.runs.unwrap_or(design.runs)) {
            (Some(runs), _) => Revised {
                runs: Some(runs.get()),
                block: Some(1),
                ..of_file
            },
            (None, few) if few < self.least => Revised {
                runs: Some(self.least.next_multiple_of(design.block.max(1))),
                ..of_file
            },
            (None, few) => Revised {
                runs: Some(few),
                ..of_file
            },
        }
    }
}

/// A seed for the random order of a campaign.
pub(super) fn seed() -> u64 {
    // A number in a TOML file is signed.
    rand::random::<u64>() >> 12
}
