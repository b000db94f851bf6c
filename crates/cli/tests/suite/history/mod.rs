//! Histories: what is measured of a repository, that it is measured once, and that the repository is only read.

mod addresses;
mod changes;
mod failing;
mod flags;
mod interrupted;
mod kept;
mod measuring;
mod named;
mod proven;
mod shown;
mod sources;
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use perflab_testing::needs;
use serde_json::Value;

use crate::support::{Laboratory, Said, git};

/// Measures each revision twice; it prints how large its file is.
const EXPERIMENT: &str = r#"
[design]
runs = 2
block = 1
[variants.any]
vars = { tree = "." }
[workloads.w]
driver = "generic"
command = ["cat", "{tree}/built"]
[[workloads.w.metrics]]
name = "size"
unit = "bytes"
better = "lower"
regex = '^(\d+)'
"#;

const HISTORY: &str = r#"
name = "h"
[source]
git = "repo"
[build]
steps = [["sh", "build.sh"]]
[measure]
experiment = "exp.toml"
together = 3
"#;

/// A laboratory with a repository, an experiment and a history file.
struct Histories {
    laboratory: Laboratory,
}

impl Histories {
    fn new(history: &str) -> Self {
        needs("git", "git");
        let laboratory = Laboratory::new();
        laboratory.write("exp.toml", EXPERIMENT);
        laboratory.write("history.toml", history);
        fs::create_dir(laboratory.path("repo")).unwrap();
        let made = Self { laboratory };
        made.git(
            &["init", "--quiet", "--initial-branch", "main"],
            "2026-01-01",
        );
        made
    }

    /// One with revisions of these sizes, a day each from the first of January on.
    fn with(history: &str, sizes: &[u32]) -> Self {
        let made = Self::new(history);
        for (day, size) in (1..).zip(sizes) {
            made.commit(
                &format!("echo {size} > built"),
                &format!("2026-01-{day:02}"),
            );
        }
        made
    }

    /// Executes git in the repository, on a day.
    fn git(&self, words: &[&str], day: &str) -> String {
        git(&self.laboratory.path("repo"), Some(day), words)
    }

    /// Commits a build script; the hash.
    fn commit(&self, script: &str, day: &str) -> String {
        self.laboratory
            .write("repo/build.sh", format!("{script}\n"));
        self.git(&["add", "--all"], day);
        self.git(
            &["commit", "--quiet", "--allow-empty", "--message", script],
            day,
        );
        self.git(&["rev-parse", "HEAD"], day)
    }

    fn run(&self, more: &[&str]) -> Said {
        self.laboratory
            .call(&[&["history", "run", "history.toml", "--out", "h"], more].concat())
    }

    /// Writes the history file, and asks what it would measure.
    fn dry_run_of(&self, history: &str) -> Said {
        self.laboratory.write("history.toml", history);
        self.run(&["--dry-run"])
    }

    fn show(&self) -> Said {
        self.laboratory.call(&["history", "show", "h"])
    }

    /// The lines of a journal.
    fn journal(&self, name: &str) -> Vec<Value> {
        let text = self.laboratory.read(&format!("h/{name}"));
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Leaves so many runs of a campaign, as if the laboratory had been killed then.
    fn cut(&self, campaign: u32, runs: usize) {
        let directory = format!("h/campaigns/{campaign:06}");
        let text = self.laboratory.read(&format!("{directory}/runs.jsonl"));
        let left: String = text.split_inclusive('\n').take(runs).collect();
        self.laboratory
            .write(&format!("{directory}/runs.jsonl"), left);
        for run in runs + 1..=text.lines().count() {
            let path = self.laboratory.path(&format!("{directory}/runs/{run:06}"));
            fs::remove_dir_all(path).unwrap();
        }
        let summaries = self.laboratory.path("h/summaries");
        fs::remove_dir_all(summaries).unwrap();
    }

    /// How often each variant was measured in all campaigns.
    fn measured(&self) -> BTreeMap<String, usize> {
        let mut measured = BTreeMap::new();
        let campaigns = fs::read_dir(self.laboratory.path("h/campaigns")).unwrap();
        for campaign in campaigns {
            let text =
                fs::read_to_string(campaign.unwrap().path().join("runs.jsonl")).unwrap_or_default();
            for line in text.lines() {
                let record: Value = serde_json::from_str(line).unwrap();
                *measured
                    .entry(record["variant"].as_str().unwrap().to_owned())
                    .or_default() += 1;
            }
        }
        measured
    }
}

/// All files below a directory with their contents.
fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(contents(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap_or_default());
        }
    }
    found
}
