//! `perflab-kv rcu possible`: whether a flavour can be measured on this machine.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

use clap::Args;
use perflab_rcu::{Facts, Flavour, facts, prove, with_flavour};
use serde_json::{Value, json};

use super::chosen::{Chosen, Libraries};
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

    /// Bind these threads to these CPUs, in turn [default: bind none].
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    affinity: Vec<usize>,

    /// Print the answer as JSON: an object as those of `list --json`.
    #[arg(long)]
    json: bool,

    /// Look in this process, which a library may end.
    #[arg(long, hide = true)]
    here: bool,
}

/// A question that a process of its own answers: flavours of one library cannot share one, and a library may end it.
pub struct Question<'a> {
    pub flavour: &'a str,
    pub libraries: &'a Libraries,
    /// Further arguments.
    pub more: &'a [String],
}

impl Question<'_> {
    /// The answer as JSON: `flavour` and `available`, with the facts on the library, or with the `reason`.
    ///
    /// # Errors
    /// If the process cannot begin, or ends with another code than those of an answer.
    pub fn answer(&self) -> Result<Value, Failure> {
        let output = self.output().map_err(|error| {
            Failure::unavailable(format!("cannot execute this program again: {error}"))
        })?;
        if let Ok(answer) = serde_json::from_slice(&output.stdout) {
            return Ok(answer);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().last().unwrap_or_default();
        let reason = format!(
            "the process that looked ended with {}: {said}",
            output.status
        );
        if output.status.signal().is_none() {
            return Err(Failure::unavailable(reason));
        }
        Ok(json!({"flavour": self.flavour, "available": false, "reason": reason}))
    }

    fn output(&self) -> io::Result<Output> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["rcu", "possible", self.flavour, "--here"]);
        if let Some(directory) = &self.libraries.directory {
            command.arg("--libraries").arg(directory);
        }
        command.args(self.more).stdin(Stdio::null()).output()
    }
}

/// Executes the command.
pub fn possible(arguments: &PossibleArguments) -> Result<Option<Code>, Failure> {
    let flavour = arguments.chosen.flavour.as_str();
    let answer = if arguments.here {
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
