//! From the name in an experiment to a driver.

use perflab_experiment::TOOLS;
use thiserror::Error;

use crate::command::Command;
use crate::driver::Driver;
use crate::fio::Fio;
use crate::fs_mark::FsMark;
use crate::generic::{Generic, Rule, RuleError};
use crate::iperf3::Iperf3;
use crate::memtier_benchmark::MemtierBenchmark;
use crate::pgbench::Pgbench;
use crate::redis_benchmark::RedisBenchmark;
use crate::sysbench::Sysbench;
use crate::tcpbench::Tcpbench;
use crate::time::Time;
use crate::wrk::Wrk;

/// The drivers of tools, sorted by name. A new one is added here and to the names that an
/// experiment may use, [`TOOLS`].
pub(crate) const DRIVERS: &[&dyn Driver] = &[
    &Fio,
    &FsMark,
    &Iperf3,
    &MemtierBenchmark,
    &Pgbench,
    &RedisBenchmark,
    &Sysbench,
    &Tcpbench,
    &Time,
    &Wrk,
];

/// The driver of the tool of this name.
pub fn tool(name: &str) -> Option<&'static dyn Driver> {
    DRIVERS.iter().copied().find(|driver| driver.name() == name)
}

fn names() -> impl Iterator<Item = &'static str> {
    ["command", "generic"]
        .into_iter()
        .chain(TOOLS.iter().copied())
}

fn list() -> String {
    names().collect::<Vec<_>>().join(", ")
}

/// Why there is no driver for a name and its rules.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ChoiceError {
    /// No driver has this name.
    #[error(
        "expected the name of a driver ({}), found `{name}`{}",
        list(),
        .nearest.map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
    )]
    Unknown {
        /// The name asked for.
        name: String,
        /// The known name that looks most like it, if any does.
        nearest: Option<&'static str>,
    },
    /// Rules were given to a driver that has none.
    #[error(
        "driver `{name}` reads its tool's output by itself: expected no rules, found {count}; \
         remove them, or use the driver `generic`"
    )]
    NeedlessRules {
        /// The driver's name.
        name: &'static str,
        /// How many rules were given.
        count: usize,
    },
    /// The rules of the generic driver cannot be used.
    #[error(transparent)]
    Rule(#[from] RuleError),
}

/// The driver called `name`; `rules` are for `generic` alone.
///
/// # Errors
/// An unknown name, rules that cannot be used, or rules for a driver that takes none.
pub fn by_name(name: &str, rules: Vec<Rule>) -> Result<Box<dyn Driver>, ChoiceError> {
    if name == "generic" {
        return Ok(Box::new(Generic::new(rules)?));
    }
    let driver = match name {
        "command" => &Command,
        _ => tool(name).ok_or_else(|| ChoiceError::Unknown {
            name: name.to_owned(),
            nearest: nearest(name),
        })?,
    };
    match rules.len() {
        0 => Ok(Box::new(driver)),
        count => Err(ChoiceError::NeedlessRules {
            name: driver.name(),
            count,
        }),
    }
}

/// The most similar known name, if it is similar enough to have been meant.
fn nearest(name: &str) -> Option<&'static str> {
    // Typing errors in names of this length stay above 0.8; unrelated words stay below.
    const MEANT: f64 = 0.8;
    names()
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness >= MEANT)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, Stream};
    use perflab_experiment::Better;

    fn rule() -> Rule {
        Rule {
            name: "rate".to_owned(),
            unit: "1/s".to_owned(),
            better: Better::Higher,
            benchmark: None,
            stream: Stream::Stdout,
            source: Source::Regex("rate: (.*)".to_owned()),
            all: false,
            scale: 1.0,
            combine: None,
        }
    }

    #[test]
    fn every_tool_has_a_driver_and_may_be_named() {
        let written: Vec<&str> = DRIVERS.iter().copied().map(Driver::name).collect();
        assert_eq!(written, TOOLS);
    }

    #[test]
    fn every_known_name_gives_the_driver_of_that_name() {
        for name in names() {
            let rules = if name == "generic" {
                vec![rule()]
            } else {
                vec![]
            };
            assert_eq!(by_name(name, rules).unwrap().name(), name);
        }
    }

    #[test]
    fn an_unknown_name_gets_the_nearest() {
        for (wrong, meant) in [
            ("redis_benchmark", Some("redis-benchmark")),
            ("redis-bench", Some("redis-benchmark")),
            ("comand", Some("command")),
            ("Generic", Some("generic")),
            ("netperf", None),
            ("", None),
        ] {
            match by_name(wrong, vec![]).unwrap_err() {
                ChoiceError::Unknown { name, nearest } => {
                    assert_eq!((name.as_str(), nearest), (wrong, meant));
                }
                other => panic!("{other}"),
            }
        }
    }

    #[test]
    fn rules_go_with_the_generic_driver_only() {
        let error = by_name("command", vec![rule(), rule()]).unwrap_err();
        assert_eq!(
            error,
            ChoiceError::NeedlessRules {
                name: "command",
                count: 2
            }
        );
        assert!(matches!(
            by_name("generic", vec![]),
            Err(ChoiceError::Rule(_))
        ));
    }
}
