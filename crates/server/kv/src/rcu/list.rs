//! `perflab-kv rcu list`: the flavours, and which of them this machine has.

use std::io;
use std::process::{Command, Output, Stdio};

use clap::Args;
use perflab_rcu::NAMES;
use serde_json::{Value, json};

use super::chosen::Libraries;
use crate::failure::{Code, Failure};
use crate::output::{print, print_json};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  perflab-kv rcu list")]
pub struct ListArguments {
    #[command(flatten)]
    libraries: Libraries,

    /// Print a list of objects as JSON: flavour, available, and facts on its library, or the reason.
    #[arg(long)]
    json: bool,
}

/// Executes the command.
pub fn list(arguments: &ListArguments) -> Result<Option<Code>, Failure> {
    let answers: Vec<Value> = NAMES
        .iter()
        .map(|flavour| answer(flavour, &arguments.libraries))
        .collect::<Result<_, _>>()?;
    if arguments.json {
        print_json(&answers)?;
    } else {
        print(&answers.iter().map(line).collect::<String>())?;
    }
    Ok(None)
}

/// What a flavour's own process says: flavours of one library cannot share one, and a library may end it.
fn answer(flavour: &str, libraries: &Libraries) -> Result<Value, Failure> {
    let output = ask(flavour, libraries).map_err(|error| {
        Failure::unavailable(format!("cannot execute this program again: {error}"))
    })?;
    let answer = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().last().unwrap_or_default();
        json!({
            "flavour": flavour,
            "available": false,
            "reason": format!("its process ended with {}: {said}", output.status),
        })
    });
    Ok(answer)
}

fn ask(flavour: &str, libraries: &Libraries) -> io::Result<Output> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["rcu", "possible", flavour, "--json"]);
    if let Some(directory) = &libraries.directory {
        command.arg("--libraries").arg(directory);
    }
    command.stdin(Stdio::null()).output()
}

/// An answer, as people read it.
fn line(answer: &Value) -> String {
    let text = |name: &str| answer.get(name).and_then(Value::as_str);
    let flavour = text("flavour").unwrap_or_default();
    let rest = match text("reason") {
        Some(reason) => format!("unavailable: {reason}"),
        None => facts(answer),
    };
    format!("{flavour:<22} {rest}\n")
}

/// What there is of these facts, in words.
fn facts(answer: &Value) -> String {
    let words = [
        ("library", ""),
        ("generation", "generation "),
        ("barrier", "barrier "),
        ("has_sys_membarrier", "has_sys_membarrier "),
    ];
    let found = words.iter().filter_map(|(name, word)| {
        let value = answer.get(name)?.as_str()?;
        Some(format!("{word}{value}"))
    });
    let found: Vec<String> = found.collect();
    if found.is_empty() {
        "no library".to_owned()
    } else {
        found.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_for_people() {
        let memb = json!({
            "flavour": "memb",
            "available": true,
            "library": "/usr/lib/liburcu-memb.so.8",
            "build_id": "00ff",
            "generation": "0.13",
            "barrier": "mfence",
        });
        let lock = json!({"flavour": "rwlock", "available": true});
        let signal = json!({"flavour": "signal", "available": false, "reason": "no such file"});
        let shown: String = [memb, lock, signal].iter().map(line).collect();
        let expected = "\
memb                   /usr/lib/liburcu-memb.so.8, generation 0.13, barrier mfence
rwlock                 no library
signal                 unavailable: no such file
";
        assert_eq!(shown, expected);
    }
}
