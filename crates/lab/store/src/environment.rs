//! `fingerprint.json`: the environment of a measurement, which is the machine and the programs that ran on it.

use indexmap::IndexMap;
use perflab_experiment::CpuList;
use perflab_machine::{Executable, MachineFacts};
use serde::{Deserialize, Serialize, Serializer};

/// The machine and the programs of a result, as found when the experiment began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// The machine.
    #[serde(
        default = "MachineFacts::unknown",
        serialize_with = "serialize_known_facts"
    )]
    pub machine: MachineFacts,
    /// The programs of every variant (`variants/NAME`) and workload (`workloads/NAME`).
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub programs: IndexMap<String, Programs>,
}

/// The programs of one variant or workload.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Programs {
    /// The files that run, and those that the experiment names besides, by the name used there.
    #[serde(default)]
    pub files: IndexMap<String, Executable>,
    /// What version commands printed, by command line.
    #[serde(default)]
    pub versions: IndexMap<String, String>,
}

impl Environment {
    /// The environment of runs that another laboratory made, as those of an import.
    pub fn unknown() -> Self {
        Self {
            machine: MachineFacts::unknown(),
            programs: IndexMap::new(),
        }
    }

    /// Whether another measurement was made on the same machine, as far as the files tell.
    pub fn is_of_same_machine(&self, other: &Self) -> bool {
        let is_known = self.machine != MachineFacts::unknown();
        is_known && self.machine.machine_id == other.machine.machine_id
    }

    /// How many CPUs a process could use unless it was pinned; none where that is not known.
    pub fn usable_cpus(&self) -> Option<usize> {
        let allowed = self.machine.confinement.allowed_cpus.as_deref()?;
        Some(allowed.parse::<CpuList>().ok()?.numbers().len())
    }
}

/// Of a machine of which nothing is known only the version of the format is written.
fn serialize_known_facts<S: Serializer>(
    machine: &MachineFacts,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Unknown {
        schema: u32,
    }
    if *machine == MachineFacts::unknown() {
        let schema = machine.schema;
        return Unknown { schema }.serialize(serializer);
    }
    machine.serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_that_could_be_used() {
        let of = |cpus: Option<&str>| {
            let mut environment = Environment::unknown();
            environment.machine.confinement.allowed_cpus = cpus.map(str::to_owned);
            environment.usable_cpus()
        };
        assert_eq!(of(Some("0-3,6")), Some(5));
        assert_eq!(of(Some("7")), Some(1));
        for unknown in [None, Some(""), Some("a")] {
            assert_eq!(of(unknown), None, "{unknown:?}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_written_and_not_needed() {
        let text = serde_json::to_string(&Environment::unknown()).unwrap();
        assert_eq!(text, r#"{"machine":{"schema":1}}"#);
        for text in [&text, "{}", r#"{"machine":{"schema":1},"programs":{}}"#] {
            let read: Environment = serde_json::from_str(text).unwrap();
            assert_eq!(read, Environment::unknown(), "{text}");
        }
        assert!(!Environment::unknown().is_of_same_machine(&Environment::unknown()));
    }

    #[test]
    fn what_is_read_is_written_again() {
        let mut environment = Environment::unknown();
        environment.machine.machine_id = Some("1ae7dd27a188011a".to_owned());
        let programs = Programs::default();
        environment
            .programs
            .insert("variants/a".to_owned(), programs);
        let text = serde_json::to_string_pretty(&environment).unwrap();
        let read: Environment = serde_json::from_str(&text).unwrap();
        assert_eq!(read, environment);
        assert!(read.is_of_same_machine(&environment));
        assert_eq!(serde_json::to_string_pretty(&read).unwrap(), text);
    }
}
