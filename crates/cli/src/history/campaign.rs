//! A campaign, measured as any experiment is.

use std::collections::HashMap;

use perflab_experiment::{Experiment, Plan, Revised};
use perflab_history::{
    BuildError, Builder, Built, CampaignFacts, Ready, Revision, campaign_experiment, is_of_tree,
};
use perflab_runner::{LabError, Needed};
use perflab_store::{Environment, OpenedResult, Origin, ResultDir};

use super::check::parsed;
use super::file::Read;
use super::session::Session;
use crate::failure::{Code, Failure};
use crate::progress::{Extent, Progress, at_once};
use crate::run::measure::{Execution, look};
use crate::run::observers::observers;
use crate::run::possible::left_out;
use crate::terminal;

/// The experiment of a campaign.
pub(super) struct Campaign {
    experiment: Experiment,
    text: String,
    seed: u64,
    /// Most runs of each revision, by its name, where they have not all the same number.
    most: Option<HashMap<String, u32>>,
}

impl Campaign {
    /// One that measures these, the first of which is the control.
    pub(super) fn new(
        read: &Read,
        ready: &[(Revision, Built)],
        design: Revised,
    ) -> Result<Self, Failure> {
        let ready: Vec<Ready<'_>> = ready
            .iter()
            .filter_map(|(revision, built)| {
                Some(Ready {
                    revision,
                    tree: built.tree.as_deref()?,
                })
            })
            .collect();
        let (control, others) = ready
            .split_first()
            .ok_or_else(|| Failure::no_data("there is nothing to measure"))?;
        let variant = read.file.measure.variant.as_deref();
        let experiment = campaign_experiment(&read.experiment, variant, *control, others, design)?;
        let text = parsed(&experiment, read)?;
        Ok(Self {
            seed: design.seed.unwrap_or_default(),
            experiment,
            text,
            most: None,
        })
    }

    /// With at most so many runs of each revision, by its name; none of those that are not named.
    pub(super) fn with_at_most(self, most: HashMap<String, u32>) -> Self {
        Self {
            most: Some(most),
            ..self
        }
    }

    /// One that was begun.
    pub(super) fn of(read: &Read, result: &OpenedResult) -> Result<Self, Failure> {
        let experiment = result
            .experiment
            .parsed
            .as_ref()
            .map_err(Failure::no_data)?;
        Ok(Self {
            text: parsed(experiment, read)?,
            experiment: experiment.clone(),
            seed: result.plan.seed,
            most: None,
        })
    }

    /// Looks for all that a plan of it needs.
    fn look(&self, session: &Session<'_>, plan: &Plan) -> Result<Environment, Failure> {
        let home = &session.read.experiment_home;
        let (machine, quiet) = (session.machine, session.quiet);
        look(&self.experiment, &plan.cells, home, machine, quiet)
    }

    /// Its plan, without what cannot be measured here.
    fn plan(&self, session: &Session<'_>) -> Result<Plan, Failure> {
        let home = &session.read.experiment_home;
        let left_out = left_out(&self.experiment, home, session.machine, session.quiet)?;
        let mut plan = Plan::new(&self.experiment, self.seed).leaving_out(left_out);
        if let Some(most) = &self.most {
            plan = plan.with_at_most(|name| most.get(name).copied().unwrap_or(0));
        }
        Ok(plan)
    }

    /// Measures all of a plan, in this environment.
    fn execute(
        &self,
        session: &Session<'_>,
        facts: &CampaignFacts,
        plan: &Plan,
        environment: &Environment,
    ) -> Result<(), Failure> {
        let home = &session.read.experiment_home;
        let origin = Origin {
            perflab: env!("CARGO_PKG_VERSION").to_owned(),
            created: jiff::Timestamp::now().to_string(),
            name: self.experiment.name.clone(),
            argv: terminal::arguments(),
            directory: home.to_str().map(str::to_owned),
            until_decided: None,
            imported: None,
        };
        let path = session.directory.result(facts);
        let mut result = ResultDir::create(&path, &self.text, plan, environment, origin)?;
        self.measure(session, facts, plan, &mut result)
    }

    /// Measures what is left of it; whether it could, as the machine is the same.
    fn resume(&self, session: &Session<'_>, facts: &CampaignFacts) -> Result<bool, Failure> {
        let mut result = ResultDir::resume(&session.directory.result(facts))?;
        let environment = self.look(session, result.plan())?;
        let differences = result
            .environment()
            .machine
            .differences(&environment.machine);
        if !differences.is_empty() {
            let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
            terminal::say(&format!(
                "note: the machine has changed since campaign {} began, so what is left of it is not measured: {}",
                facts.campaign,
                differences.join("; ")
            ));
            return Ok(false);
        }
        session.say(&format!("resuming campaign {}", facts.campaign));
        let plan = result.plan().clone();
        self.measure(session, facts, &plan, &mut result)?;
        Ok(true)
    }

    fn measure(
        &self,
        session: &Session<'_>,
        facts: &CampaignFacts,
        plan: &Plan,
        result: &mut ResultDir,
    ) -> Result<(), Failure> {
        let done = result.records()?;
        let extent = Extent {
            total: plan.runs.len(),
            done: done.len(),
            block: plan.runs.iter().filter(|run| run.block == 1).count(),
            at_once: at_once(&self.experiment, plan),
            is_limit: false,
            budget: None,
        };
        let mut progress = Progress::new(&extent, session.quiet);
        let compared: Vec<String> = facts.needed().map(Revision::name).collect();
        let needed = match session.may_fail {
            true => Needed::None,
            false => Needed::Each(&compared),
        };
        let execution = Execution {
            experiment: &self.experiment,
            home: &session.read.experiment_home,
            plan,
            machine: session.machine,
            observers: observers(&self.experiment)?,
            needed,
        };
        let path = result.path().to_path_buf();
        let outcome = execution.execute(result, &done, &mut progress, &mut |_| false)?;
        match outcome {
            Ok(()) => Ok(()),
            // A campaign of which nothing works is a fact; the next one may work.
            Err(LabError::Hopeless { .. }) if session.quiet => Ok(()),
            Err(error @ LabError::Hopeless { .. }) => {
                terminal::say(&format!(
                    "note: {error}; the raw output is below {}",
                    path.join("runs").display()
                ));
                Ok(())
            }
            Err(error) => Err(Failure::new(
                match error {
                    LabError::Interrupted => Code::Interrupted,
                    LabError::Limit(_) => Code::TimeLimit,
                    LabError::Cpus(_) | LabError::Disturbed { .. } => Code::Environment,
                    LabError::Plan(_) => Code::Usage,
                    _ => Code::NoData,
                },
                format!("{error}\nwhat was recorded is kept; the same command goes on"),
            )),
        }
    }
}

impl Session<'_> {
    /// Measures what was built, the first of which is the control.
    pub(super) fn measure(
        &self,
        mut facts: CampaignFacts,
        ready: &[(Revision, Built)],
        campaign: &Campaign,
        builder: &Builder<'_>,
    ) -> Result<(), Failure> {
        if let Some((control, built)) = ready.first() {
            facts.note(control, built);
        }
        // A campaign that cannot begin is none.
        let plan = campaign.plan(self)?;
        let environment = campaign.look(self, &plan)?;
        self.directory.add(self.held, &facts)?;
        campaign.execute(self, &facts, &plan, &environment)?;
        self.directory.keep_summaries(self.held, &[facts])?;
        let keys: Vec<_> = ready.iter().map(|(_, built)| built.key.clone()).collect();
        self.make_room(&keys, builder)
    }

    /// Resumes a campaign that was interrupted, if its builds are still there; whether it did.
    pub(super) fn go_on(
        &self,
        facts: &CampaignFacts,
        build: &mut dyn FnMut(&Revision) -> Result<Built, BuildError>,
    ) -> Result<bool, Failure> {
        let Some(result) = self.directory.opened(facts)? else {
            return Ok(false);
        };
        if result.records.len() >= result.plan.runs.len() {
            return Ok(false);
        }
        let not_resumed = |why: String| {
            self.say(&format!(
                "campaign {} is not resumed: {why}",
                facts.campaign
            ));
            Ok(false)
        };
        let campaign = Campaign::of(self.read, &result)?;
        for revision in facts.measured() {
            let name = revision.name();
            let built = build(revision)?;
            if facts.builds.get(&name) != Some(&built.facts.build) {
                return not_resumed(format!("{name} was built again since"));
            }
            let tree = built.tree.as_deref();
            if !tree.is_some_and(|tree| is_of_tree(&campaign.experiment, revision, tree)) {
                return not_resumed(format!("{name} was in another directory then"));
            }
        }
        campaign.resume(self, facts)
    }
}
