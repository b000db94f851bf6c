//! The files of a sound result, one of which an input takes the place of.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use perflab_experiment::{Experiment, Plan};

use crate::shared::{meta_of, sealed_line};

const EXPERIMENT: &str = include_str!("../seeds/small.toml");

static PLAN: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let experiment = Experiment::parse(EXPERIMENT, "small.toml").expect("it is sound");
    serde_json::to_vec(&Plan::new(&experiment, 7)).expect("a plan can be written")
});

/// All but the records.
#[derive(Debug)]
pub struct Files<'i> {
    /// `experiment.toml`.
    pub experiment: &'i [u8],
    plan: &'i [u8],
    environment: &'i [u8],
    /// One whose hashes do not fit the other files.
    meta: Option<Vec<u8>>,
    /// `stopped.json`, where there is one.
    pub stopped: Option<Vec<u8>>,
}

impl<'i> Files<'i> {
    /// Those in which `e`xperiment, `p`lan, `f`ingerprint, `m`eta, or `=` for the meta file as it is, `s`topped, or
    /// `S` for that file as it is, is the content; sound ones for any other letter.
    pub fn with(which: u8, content: &'i [u8]) -> Self {
        let mut files = Self {
            experiment: EXPERIMENT.as_bytes(),
            plan: PLAN.as_slice(),
            environment: b"{\"schema\":1}",
            meta: None,
            stopped: None,
        };
        match which {
            b'e' => files.experiment = content,
            b'p' => files.plan = content,
            b'f' => files.environment = content,
            b'm' => files.meta = Some(sealed_line(content)),
            b'=' => files.meta = Some(content.to_vec()),
            b's' => files.stopped = Some(sealed_line(content)),
            b'S' => files.stopped = Some(content.to_vec()),
            _ => {}
        }
        files
    }

    /// Puts them into a directory, instead of those that are there.
    pub fn write(&self, directory: &Path) {
        let fitting = || meta_of(self.experiment, self.plan, self.environment);
        let meta = self.meta.clone().unwrap_or_else(fitting);
        for (name, content) in [
            ("experiment.toml", self.experiment),
            ("plan.json", self.plan),
            ("fingerprint.json", self.environment),
            ("meta.json", &meta),
        ] {
            fs::write(directory.join(name), content).expect("a file can be written");
        }
        let note = directory.join("stopped.json");
        match &self.stopped {
            Some(content) => fs::write(note, content).expect("a file can be written"),
            None => drop(fs::remove_file(note)),
        }
    }
}
