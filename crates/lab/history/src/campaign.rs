//! Campaigns: revisions that are measured together with the control, as an experiment of their own.

use std::collections::HashSet;
use std::path::Path;

use indexmap::IndexMap;
use perflab_experiment::{Experiment, Revised, RevisedError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::builds::Built;
use crate::file::Measure;
use crate::revision::Revision;
use crate::timeline::literal;

/// Version of the format of a line.
const SCHEMA: u32 = 1;

/// The variables by which an experiment refers to a revision.
const VARIABLES: [&str; 4] = ["tree", "revision", "name", "date"];

/// A line of `campaigns.jsonl`: what was planned, before anything of it was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CampaignFacts {
    /// Version of this format: 1.
    pub schema: u32,
    /// The campaign's number, from 1: the name of the directory with its result.
    pub campaign: u32,
    /// When it was planned, RFC 3339 in UTC.
    pub started: String,
    /// What it is for.
    pub purpose: Purpose,
    /// The revision that the others are relative to.
    pub control: Revision,
    /// The revisions that are measured beside the control; the control itself where nothing else is.
    pub revisions: Vec<Revision>,
    /// Revisions that would have been measured, but could not be built.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unbuilt: Vec<Revision>,
    /// The bisection that it belongs to. The revisions of such a campaign are not measured for the history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<Ends>,
    /// Of a confirmation of a change of the history: the revisions on its two sides, the older one first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirms: Option<[String; 2]>,
    /// The number of the build of each revision, by [`Revision::name`].
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub builds: IndexMap<String, u32>,
}

/// What a campaign is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// Revisions that were not measured yet.
    Plan,
    /// Revisions between two, measured when asked for.
    Fill,
    /// A patch on a revision, and the revision without it.
    Patch,
    /// Both sides of a change, measured again with fresh builds.
    Confirm,
    /// The ends of a bisection, and a revision between them.
    Bisect,
}

/// The ends of a bisection, and what is measured between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ends {
    /// The [`Revision::id`] of the older one.
    pub good: String,
    /// That of the newer one.
    pub bad: String,
    /// A hash of how revisions are built and measured: of another search nothing is learnt.
    pub measured: String,
}

impl CampaignFacts {
    /// A campaign that is begun now.
    pub fn new(campaign: u32, started: String, purpose: Purpose, control: Revision) -> Self {
        Self {
            schema: SCHEMA,
            campaign,
            started,
            purpose,
            control,
            revisions: Vec::new(),
            unbuilt: Vec::new(),
            ends: None,
            confirms: None,
            builds: IndexMap::new(),
        }
    }

    /// Whether its values belong to the series of the history. Those of a bisection and of a confirmation are relative to
    /// a revision of their own.
    pub fn is_of_history(&self) -> bool {
        self.ends.is_none() && self.purpose != Purpose::Confirm
    }

    /// The revisions without a passed run of which it says nothing: of a series the control, else all.
    pub fn needed(&self) -> impl Iterator<Item = &Revision> {
        let is_of_series =
            matches!(self.purpose, Purpose::Plan | Purpose::Fill) && self.ends.is_none();
        self.measured()
            .take(if is_of_series { 1 } else { usize::MAX })
    }

    /// Whether both sides of a change of the history are measured again.
    pub fn is_confirmation(&self) -> bool {
        self.purpose == Purpose::Confirm && self.ends.is_none()
    }

    /// The revisions on the two sides of a confirmation of a change of the history, the older one first.
    pub fn sides(&self) -> Option<[String; 2]> {
        let mut later = self.revisions.iter().chain(&self.unbuilt);
        let both = || Some([self.control.id.clone(), later.next()?.id.clone()]);
        self.is_confirmation()
            .then(|| self.confirms.clone().or_else(both))?
    }

    /// All revisions that are measured, the control first.
    pub fn measured(&self) -> impl Iterator<Item = &Revision> {
        std::iter::once(&self.control).chain(self.beside_control())
    }

    /// The revisions that are measured beside the control; none where it is measured alone.
    pub fn beside_control(&self) -> impl Iterator<Item = &Revision> {
        let revisions = self.revisions.iter();
        revisions.filter(|revision| revision.id != self.control.id)
    }

    /// Adds a revision with its build: to those that are measured, or to those that could not be built.
    pub fn add(&mut self, revision: &Revision, built: &Built) {
        self.note(revision, built);
        let list = match built.tree {
            Some(_) => &mut self.revisions,
            None => &mut self.unbuilt,
        };
        list.push(revision.clone());
    }

    /// Notes the build of a revision.
    pub fn note(&mut self, revision: &Revision, built: &Built) {
        self.builds.insert(revision.name(), built.facts.build);
    }

    /// The name of the directory of its result.
    pub fn directory(&self) -> String {
        format!("{:06}", self.campaign)
    }
}

/// A revision that can be measured.
#[derive(Debug, Clone, Copy)]
pub struct Ready<'r> {
    /// The revision.
    pub revision: &'r Revision,
    /// The directory with its files and what was built of them.
    pub tree: &'r Path,
}

/// Why there is no experiment for a campaign.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The experiment cannot stand for revisions.
    #[error(transparent)]
    Revised(#[from] RevisedError),
    /// The variant does not use the revision.
    #[error(
        "the variant `{0}` does not use `{{tree}}`, so that all revisions would be the same program; refer to the \
         directory of a revision by it, as in start = [\"{{tree}}/server\"], and give it a value for `perflab run`: \
         vars = {{ tree = \".\" }}"
    )]
    Unused(String),
    /// A path that an experiment file cannot hold.
    #[error("{} is not UTF-8; put the history elsewhere with --out", .0.display())]
    Path(std::path::PathBuf),
}

impl Measure {
    /// What of the experiment's design it replaces, with this seed of the random order.
    pub fn design(&self, seed: u64) -> Revised {
        Revised {
            runs: self.runs,
            block: None,
            refresh: self.refresh,
            layout: self.layout,
            seed: Some(seed),
        }
    }
}

/// The experiment of a campaign: `experiment` with revisions in the place of a variant, of the only one if none is named,
/// the control first, as the baseline. Each has the variables `tree`, `revision`, `name` and `date`.
///
/// # Errors
/// If the experiment cannot stand for revisions; see [`CampaignError`].
pub fn campaign_experiment(
    experiment: &Experiment,
    variant: Option<&str>,
    control: Ready<'_>,
    others: &[Ready<'_>],
    design: Revised,
) -> Result<Experiment, CampaignError> {
    let like = experiment.replaceable(variant)?;
    if !experiment.uses_variable(like, VARIABLES[0]) {
        return Err(CampaignError::Unused(like.to_owned()));
    }
    let mut made = IndexMap::new();
    let mut names = HashSet::new();
    for ready in std::iter::once(&control).chain(others) {
        let variant = ready.revision.name();
        if !names.insert(variant.clone()) {
            continue;
        }
        let tree = ready
            .tree
            .to_str()
            .ok_or_else(|| CampaignError::Path(ready.tree.to_owned()))?;
        let (name, date) = (ready.revision.name(), ready.revision.date());
        let values = [tree, &ready.revision.id, &name, &date];
        let variables = VARIABLES.iter().zip(values);
        let variables = variables.map(|(name, value)| ((*name).to_owned(), literal(value)));
        made.insert(variant, variables.collect());
    }
    Ok(experiment.revised(like, made, design)?)
}

/// Whether a revision is measured in this directory by the experiment of a campaign.
pub fn is_of_tree(experiment: &Experiment, revision: &Revision, tree: &Path) -> bool {
    let variant = experiment.variants.get(&revision.name());
    let used = variant.and_then(|variant| variant.vars.get(VARIABLES[0]));
    let tree = tree.to_str().map(literal);
    tree.is_some() && used == tree.as_ref()
}
