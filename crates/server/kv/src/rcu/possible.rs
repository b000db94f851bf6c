//! `perflab-kv rcu possible`: whether a flavour can be measured on this machine.

use clap::Args;
use perflab_rcu::{Facts, Flavour, facts, prove, with_flavour};
use rustix::process::{Signal, set_parent_process_death_signal};
use serde_json::{Value, json};

use super::chosen::Chosen;
use super::cpus;
use super::crew::Crew;
use super::loops::Shared;
use super::question::Question;
use crate::failure::{Code, Failure};
use crate::output::{print, print_json};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  perflab-kv rcu possible signal")]
pub struct PossibleArguments {
    #[command(flatten)]
    chosen: Chosen,

    /// Let N threads read while the grace period is made.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1000))]
    readers: u16,

    /// Bind these threads to these CPUs, in turn. Numbers with commas between them, as 0,1 [default: bind none].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = cpus::number)]
    affinity: Vec<usize>,

    /// Print the answer as JSON: an object as those of `list --json`.
    #[arg(long)]
    json: bool,

    /// Look in this process, which a library may end.
    #[arg(long, hide = true)]
    here: bool,

    /// Make no grace period.
    #[arg(long, hide = true)]
    unproven: bool,
}

/// The argument of a question that is answered once the flavour is loaded.
pub const UNPROVEN: &str = "--unproven";

/// Executes the command.
pub fn possible(arguments: &PossibleArguments) -> Result<Option<Code>, Failure> {
    let flavour = arguments.chosen.flavour.as_str();
    let answer = if arguments.here {
        // A library may never let this process go on.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        answer(flavour, look(arguments))
    } else {
        let mut more = vec!["--readers".to_owned(), arguments.readers.to_string()];
        for cpu in &arguments.affinity {
            more.extend(["--affinity".to_owned(), cpu.to_string()]);
        }
        let question = Question {
            flavour,
            libraries: &arguments.chosen.libraries,
            more: &more,
        };
        question.answer()?
    };
    if arguments.json || arguments.here {
        print_json(&answer)?;
    } else {
        print(&lines(&answer))?;
    }
    Ok((answer["available"] != true).then_some(Code::Impossible))
}

fn answer(flavour: &str, found: Result<Facts, Failure>) -> Value {
    match found {
        Ok(facts) => {
            let mut answer = json!({"flavour": flavour, "available": true});
            for (name, text) in facts.each() {
                answer[name] = text.into();
            }
            answer
        }
        Err(reason) => {
            json!({"flavour": flavour, "available": false, "reason": reason.to_string()})
        }
    }
}

/// An answer for people: the facts, or the reason as the last line.
fn lines(answer: &Value) -> String {
    let shown = answer.as_object().into_iter().flatten();
    shown
        .filter_map(|(name, value)| match name.as_str() {
            "flavour" | "available" => None,
            "reason" => Some(format!("{}\n", value.as_str()?)),
            _ => Some(format!("{name}: {}\n", value.as_str()?)),
        })
        .collect()
}

fn look(arguments: &PossibleArguments) -> Result<Facts, Failure> {
    arguments.chosen.libraries.choose()?;
    let choice = arguments.chosen.choice().map_err(Failure::unavailable)?;
    with_flavour!(choice, F => prove_with::<F>(arguments))
}

/// Loads the flavour, and makes a grace period while threads read.
fn prove_with<F: Flavour>(arguments: &PossibleArguments) -> Result<Facts, Failure> {
    F::load().map_err(Failure::unavailable)?;
    if arguments.unproven {
        return Ok(facts::<F>());
    }
    let readers = usize::from(arguments.readers);
    let crew = Crew {
        readers,
        cpus: &arguments.affinity,
        layout: 0,
        quiescent_every: 1024,
    };
    let shared = Shared::<F>::new(readers, 0);
    crew.read_during(&shared, |_| {
        prove::<F>(readers as u64).map_err(Failure::no_number)?;
        Ok(facts::<F>())
    })
}
