//! `perflab-kv rcu possible`: whether a flavour can be measured on this machine.

use clap::Args;
use perflab_rcu::{Facts, Flavour, facts, prove, with_flavour};
use serde::Serialize;
use serde_json::{Map, Value};

use super::chosen::Chosen;
use super::crew::Crew;
use super::loops::Shared;
use crate::failure::{Code, Failure};
use crate::output::{print, print_json};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  perflab-kv rcu possible signal")]
pub struct PossibleArguments {
    #[command(flatten)]
    chosen: Chosen,

    /// Threads that read while the grace period is made.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1000))]
    readers: u16,

    /// Print the answer as JSON: flavour, available, and facts on the library, or the reason.
    #[arg(long)]
    json: bool,
}

/// Whether a flavour can be had, as a program reads it.
#[derive(Debug, Serialize)]
pub struct Answer {
    pub flavour: String,
    pub available: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is known of its library.
    #[serde(flatten)]
    pub facts: Map<String, Value>,
}

/// Executes the command.
pub fn possible(arguments: &PossibleArguments) -> Result<Option<Code>, Failure> {
    let found = look(arguments);
    let code = found.is_err().then_some(Code::Impossible);
    if arguments.json {
        print_json(&answer(&arguments.chosen.flavour, found))?;
    } else {
        match found {
            Ok(facts) => print(&lines(&facts))?,
            Err(reason) => print(&format!("{reason}\n"))?,
        }
    }
    Ok(code)
}

fn answer(flavour: &str, found: Result<Facts, Failure>) -> Answer {
    let flavour = flavour.to_owned();
    match found {
        Ok(facts) => Answer {
            flavour,
            available: true,
            reason: None,
            facts: facts
                .each()
                .map(|(name, text)| (name.to_owned(), Value::from(text)))
                .collect(),
        },
        Err(reason) => Answer {
            flavour,
            available: false,
            reason: Some(reason.to_string()),
            facts: Map::new(),
        },
    }
}

fn lines(facts: &Facts) -> String {
    let lines: Vec<String> = facts
        .each()
        .map(|(name, text)| format!("{name}: {text}\n"))
        .collect();
    lines.concat()
}

fn look(arguments: &PossibleArguments) -> Result<Facts, Failure> {
    arguments.chosen.libraries.choose()?;
    let choice = arguments.chosen.choice().map_err(Failure::unavailable)?;
    with_flavour!(choice, F => prove_with::<F>(arguments.readers.into()))
}

/// Loads the flavour, and makes a grace period while so many threads read.
fn prove_with<F: Flavour>(readers: usize) -> Result<Facts, Failure> {
    F::load().map_err(Failure::unavailable)?;
    let crew = Crew {
        readers,
        cpus: &[],
        layout: 0,
        quiescent_every: 1024,
    };
    let shared = Shared::<F>::new(readers, 0);
    crew.read_during(&shared, |_| {
        prove::<F>(readers as u64).map_err(Failure::no_number)?;
        Ok(facts::<F>())
    })
}
