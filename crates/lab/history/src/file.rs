//! The history file: which revisions of what are measured, and how.

use std::time::Duration;

use indexmap::IndexMap;
use perflab_experiment::duration::{self, DurationText};
use perflab_experiment::{Command, Layout, Refresh};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::builds::BuildKey;
use crate::every::Every;

/// The version of the file's format.
pub(crate) const SCHEMA: u32 = 1;

/// Time limit of a build, and of all commands that are executed for a revision.
const LIMIT: Duration = Duration::from_secs(3600);

/// Revisions of a campaign where the file does not say, the control not counted.
const TOGETHER: u32 = 8;

/// A history: a repository, how a revision of it is built and measured, and which revisions are.
///
/// Only [`HistoryFile::parse`] guarantees that the parts fit together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryFile {
    /// Version of the file's format: 1.
    #[serde(default = "schema_version")]
    #[schemars(range(min = 1, max = 1))]
    pub schema: u32,
    /// Name of the history; by default the file's name.
    #[serde(default)]
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9_.-]*$"))]
    pub name: String,
    /// What the history is to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Where revisions come from.
    pub source: SourceTable,
    /// Which of them are measured.
    #[serde(default)]
    pub revisions: Revisions,
    /// How one is built.
    #[serde(default)]
    pub build: BuildTable,
    /// How they are measured.
    pub measure: Measure,
    /// How they are tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestsTable>,
    /// What else changed with time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quirks: Vec<Quirk>,
}

/// The table `[source]`: where revisions come from. Exactly one of `git`, `versions` and `list`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct SourceTable {
    /// A git repository: a path relative to the file, or an address that git can clone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<String>,
    /// The branch, or any revision, whose history this is; by default what `HEAD` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Whether only first parents are followed, so that a merged branch is one revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_parent: Option<bool>,
    /// Whether submodules are checked out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub submodules: bool,
    /// Names of versions, each with its date.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub versions: IndexMap<String, String>,
    /// A command that prints a line `NAME DATE` for each version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<Command>,
    /// Commands that put a version into the current directory, where it does not come from git.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub obtain: Vec<Command>,
    /// Commands of this table that are strings are run by `sh -c`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shell: bool,
}

/// The table `[revisions]`: which revisions are measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Revisions {
    /// The first: a revision, or a date, which stands for the last revision up to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The last, in the same way; by default the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Which of those between; both ends are always measured.
    pub every: Every,
    /// Pattern of tags, with `*` for any text, for `every = "tag"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<String>,
    /// Measured in every campaign; all values are relative to it. By default the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
}

/// The table `[build]`: how a revision is built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct BuildTable {
    /// Commands, executed one after the other in the directory of the revision.
    pub steps: Vec<Command>,
    /// Commands of this table that are strings are run by `sh -c`.
    pub shell: bool,
    /// The directory, relative to that of the revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Files and directories of the revision that the build depends on; by default all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// The programs whose size and symbols are recorded, relative to the directory of the revision.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
    /// Commands that say what builds: a build is made again where they print something else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub version: Vec<Command>,
    /// Environment variables on top of the clean set.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub env: IndexMap<String, String>,
    /// Time limit of each command of `steps`, of `obtain` and of quirks.
    #[serde(with = "duration")]
    #[schemars(with = "DurationText")]
    pub timeout: Duration,
}

impl Default for BuildTable {
    fn default() -> Self {
        Self {
            steps: Vec::new(),
            shell: false,
            directory: None,
            inputs: Vec::new(),
            programs: Vec::new(),
            version: Vec::new(),
            env: IndexMap::new(),
            timeout: LIMIT,
        }
    }
}

/// The table `[measure]`: how revisions are measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Measure {
    /// The experiment file, relative to this file.
    pub experiment: String,
    /// The variant whose place the revisions take; by default the only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Revisions of a campaign, the control not counted.
    #[serde(default = "together")]
    #[schemars(range(min = 1))]
    pub together: u32,
    /// Runs of each revision in a campaign, instead of the experiment's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub runs: Option<u32>,
    /// What is renewed between runs, instead of the experiment's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh: Option<Refresh>,
    /// How objects are laid out with `refresh = "relink"`, instead of the experiment's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
}

/// The table `[tests]`: how revisions are tested, once they are built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct TestsTable {
    /// Commands, executed one after the other in the directory of the revision. One that fails ends the tests.
    pub commands: Vec<Command>,
    /// The format of the report: `cargo-test`, `ctest`, `go-test`, `junit`, `nextest`, `pytest`, `result-lines` or `tap`;
    /// by default it is told by its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The file with the report, relative to the directory of the revision; by default what the commands print.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// How often the tests of a build are executed.
    #[serde(default = "once")]
    #[schemars(range(min = 1))]
    pub runs: u32,
    /// Commands of this table that are strings are run by `sh -c`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shell: bool,
    /// Time limit of each command.
    #[serde(with = "duration", default = "limit")]
    #[schemars(with = "DurationText")]
    pub timeout: Duration,
}

impl TestsTable {
    /// A hash of it, by which runs of the same tests are known.
    pub fn hash(&self) -> String {
        let text = toml::to_string(self).unwrap_or_default();
        BuildKey::of([text.as_bytes()]).to_string()
    }
}

fn once() -> u32 {
    1
}

fn limit() -> Duration {
    LIMIT
}

/// A table of `[[quirks]]`: what else changed at some time, which no revision says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Quirk {
    /// When: a revision, the first that has it, or a date.
    pub at: String,
    /// What changed, in a line.
    pub what: String,
    /// Commands that are executed before the build of each revision from then on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<Command>,
    /// Commands that are executed before the build of each revision before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Command>,
    /// Commands of this table that are strings are run by `sh -c`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shell: bool,
}

fn schema_version() -> u32 {
    SCHEMA
}

fn together() -> u32 {
    TOGETHER
}

impl HistoryFile {
    /// JSON Schema of the history file.
    pub fn schema() -> serde_json::Value {
        let mut schema = schemars::schema_for!(Self);
        schema.insert("title".to_owned(), "perflab history".into());
        schema.to_value()
    }
}
