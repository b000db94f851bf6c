//! `perflab-kv rcu list`: the flavours, and which of them this machine has.

use clap::Args;
use perflab_rcu::NAMES;
use serde_json::Value;

use super::chosen::Libraries;
use super::question::Question;
use crate::failure::{Code, Failure};
use crate::output::{print, print_json};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  perflab-kv rcu list")]
pub struct ListArguments {
    #[command(flatten)]
    libraries: Libraries,

    /// Print a list of objects as JSON: flavour, available, and the reason or facts on the library: library, build_id,
    /// generation, barrier, has_sys_membarrier, membarrier_query. docs/rcu.md describes them.
    #[arg(long)]
    json: bool,
}

/// Executes the command.
pub fn list(arguments: &ListArguments) -> Result<Option<Code>, Failure> {
    let questions = NAMES.iter().map(|flavour| Question {
        flavour,
        libraries: &arguments.libraries,
        more: &[],
    });
    let answers: Vec<Value> = questions
        .map(|question| question.answer())
        .collect::<Result<_, _>>()?;
    if arguments.json {
        print_json(&answers)?;
    } else {
        print(&answers.iter().map(line).collect::<String>())?;
    }
    Ok(None)
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

/// The facts of an answer, in words.
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
    use serde_json::json;

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
