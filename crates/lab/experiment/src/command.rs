//! Commands: a list of arguments, or one line for a shell.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// A command to be executed.
///
/// In the file it is a list (the arguments, run as they are) or a string (one line, for a shell;
/// the table around it must then say `shell = true`). A value put into a shell line through a
/// placeholder is not quoted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Command {
    /// The arguments, the program first; for a shell, one element with the whole line. Never empty
    /// in an experiment that was parsed from a file.
    pub argv: Vec<String>,
    /// Whether `sh -c` runs it.
    pub shell: bool,
}

impl Command {
    /// The arguments for `execvp`, with `sh -c` in front of a line for a shell.
    pub fn exec_argv(&self) -> Vec<String> {
        let shell = ["sh".to_owned(), "-c".to_owned()];
        let prefix = if self.shell { &shell[..] } else { &[] };
        prefix.iter().chain(&self.argv).cloned().collect()
    }
}

impl Serialize for Command {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match (self.shell, self.argv.as_slice()) {
            (true, [line]) => to.serialize_str(line),
            (_, argv) => argv.serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(CommandVisitor)
    }
}

struct CommandVisitor;

impl<'de> Visitor<'de> for CommandVisitor {
    type Value = Command;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a command: a list of arguments, or a string with shell = true")
    }

    fn visit_str<E: Error>(self, line: &str) -> Result<Command, E> {
        Ok(Command {
            argv: vec![line.to_owned()],
            shell: true,
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Command, A::Error> {
        let mut argv = Vec::new();
        while let Some(argument) = list.next_element()? {
            argv.push(argument);
        }
        Ok(Command { argv, shell: false })
    }
}

impl JsonSchema for Command {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Command".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A list of arguments, or a line for a shell (then with shell = true beside it).",
            "anyOf": [
                { "type": "array", "items": { "type": "string" }, "minItems": 1 },
                { "type": "string", "minLength": 1 }
            ]
        })
    }
}
