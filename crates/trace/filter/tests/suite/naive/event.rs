//! Events with their values in plain forms, not in the words that a handler gets.

use super::{Datum, Kind, Name, Refused};

/// One hit of a probe.
#[derive(Debug, Clone)]
pub struct Event {
    pub arguments: Vec<Argument>,
    /// What `$ctx.` names, without that.
    pub context: Vec<(&'static str, Value)>,
}

#[derive(Debug, Clone)]
pub struct Argument {
    /// The type as it is written in a probe's description.
    pub kind: String,
    pub name: String,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Of any integer type: as it is in a register of 64 bits.
    Integer(i64),
    Double(f64),
    /// Text or bytes, as long as the program says; nothing if the address is null but the text is not empty.
    Text(Option<Vec<u8>>),
}

impl Event {
    /// An event with these arguments, in a thread of a program like LTTng's test of filters.
    pub fn new(arguments: Vec<Argument>) -> Self {
        let context = vec![
            ("vtid", Value::Integer(1001)),
            ("vpid", Value::Integer(1000)),
            ("cpu_id", Value::Integer(2)),
            ("pthread_id", Value::Integer(0x7f12_3456_7700)),
            ("ip", Value::Integer(0x40_1136)),
            ("procname", Value::Text(Some(b"gen-ust-events".to_vec()))),
        ];
        Self { arguments, context }
    }

    /// Type and name of each argument.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.arguments
            .iter()
            .map(|argument| (argument.kind.as_str(), argument.name.as_str()))
    }

    fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }

    fn context(&self, name: &str) -> Option<&Value> {
        let found = self.context.iter().find(|(each, _)| *each == name);
        found.map(|(_, value)| value)
    }

    pub(super) fn is_missing(&self, name: &Name) -> bool {
        match name {
            Name::Argument(name) | Name::Byte(name, _) => self.argument(name).is_none(),
            Name::Context(_) => false,
            Name::Missing(_) => true,
        }
    }

    pub(super) fn kind(&self, name: &Name) -> Result<Kind, Refused> {
        let value = match name {
            Name::Missing(_) => None,
            Name::Argument(name) => self.argument(name).map(|argument| &argument.value),
            Name::Context(name) => {
                let value = self.context(name);
                Some(value.ok_or(Refused("an unknown name of the context"))?)
            }
            Name::Byte(name, _) => match self.argument(name) {
                Some(argument) if argument.kind.starts_with("bytes") => return Ok(Kind::Integer),
                Some(_) => return Err(Refused("an index of what is not bytes")),
                None => None,
            },
        };
        Ok(match value {
            None => Kind::Unknown,
            Some(Value::Integer(_)) => Kind::Integer,
            Some(Value::Double(_)) => Kind::Double,
            Some(Value::Text(_)) => Kind::Text,
        })
    }

    /// Nothing for a text that is absent and for a byte beyond the end.
    pub(super) fn datum(&self, name: &Name) -> Option<Datum> {
        let value = match name {
            Name::Missing(_) => None,
            Name::Argument(name) => Some(&self.argument(name)?.value),
            Name::Context(name) => self.context(name),
            Name::Byte(name, index) => {
                let Value::Text(Some(bytes)) = &self.argument(name)?.value else {
                    return None;
                };
                let byte = bytes.get(usize::try_from(*index).ok()?)?;
                return Some(Datum::Integer(i64::from(*byte)));
            }
        };
        Some(match value? {
            Value::Integer(value) => Datum::Integer(*value),
            Value::Double(value) => Datum::Double(*value),
            // A text ends at its length or at its first zero.
            Value::Text(text) => {
                let before_zero = text.as_ref()?.iter().take_while(|byte| **byte != 0);
                Datum::Text(before_zero.copied().collect())
            }
        })
    }
}
