//! Events that somebody writes down.

use perflab_bpf::Value;
use perflab_filter::{Class, FilterProgram, Import};

use crate::failure::Failure;

/// Names and values, as they were given.
#[derive(Debug, Clone)]
pub struct EventValues(Vec<(String, String)>);

/// Reads `NAME=VALUE, NAME=VALUE`.
pub fn event_values(text: &str) -> Result<EventValues, String> {
    let parts = text.split(',').map(str::trim);
    let parts = parts.filter(|part| !part.is_empty());
    let values = parts.map(|part| {
        let (name, value) = part
            .split_once('=')
            .ok_or_else(|| format!("`{part}` is no value, expected NAME=VALUE"))?;
        Ok((name.trim_end().to_owned(), value.trim_start().to_owned()))
    });
    values.collect::<Result<_, String>>().map(EventValues)
}

impl EventValues {
    /// An event whose values are all 0 or empty.
    pub fn empty() -> Self {
        Self(Vec::new())
    }

    /// As it is shown.
    pub fn shown(&self) -> String {
        let values = self.0.iter().map(|(name, value)| format!("{name}={value}"));
        values.collect::<Vec<_>>().join(" ")
    }

    /// The values of what a program takes.
    ///
    /// # Errors
    /// When one is not of its class, or of nothing that any of these programs takes.
    pub fn of<'e>(
        &'e self,
        program: &FilterProgram,
        all: &[FilterProgram],
    ) -> Result<Vec<Value<'e>>, Failure> {
        let is_known = |name: &str| {
            let mut imports = all.iter().flat_map(|program| &program.imports);
            imports.any(|import| import.name == name)
        };
        if let Some((name, _)) = self.0.iter().find(|(name, _)| !is_known(name)) {
            return Err(Failure::usage(format!(
                "--event: the expression takes no `{name}` from an event"
            )));
        }
        let imports = program.imports.iter();
        imports.map(|import| self.value(import)).collect()
    }

    fn value(&self, import: &Import) -> Result<Value<'_>, Failure> {
        let given = self.0.iter().find(|(name, _)| *name == import.name);
        let text = given.map(|(_, value)| value.as_str());
        let number = |number: Option<u64>| {
            let shown = text.unwrap_or_default();
            let wrong = || {
                format!(
                    "--event: `{shown}` is no {} for `{}`",
                    import.class, import.name
                )
            };
            number
                .map(Value::Number)
                .ok_or_else(|| Failure::usage(wrong()))
        };
        match import.class {
            Class::Text => Ok(Value::Text(Some(text.unwrap_or_default().as_bytes()))),
            Class::Integer => number(integer(text.unwrap_or("0"))),
            Class::Double => {
                let value = text.unwrap_or("0").parse::<f64>().ok();
                number(value.map(f64::to_bits))
            }
        }
    }
}

/// Reads an integer with or without a sign, decimal or hexadecimal.
fn integer(text: &str) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    let signed = text.parse::<i64>().map(i64::cast_unsigned);
    signed.or_else(|_| text.parse()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(imports: &[(Class, &str)]) -> FilterProgram {
        let imports = imports.iter().map(|(class, name)| Import {
            class: *class,
            name: (*name).to_owned(),
        });
        FilterProgram {
            imports: imports.collect(),
            code: Vec::new(),
            literals: Vec::new(),
        }
    }

    #[test]
    fn values_of_each_class() {
        let program = program(&[
            (Class::Text, "name"),
            (Class::Integer, "bytes"),
            (Class::Double, "ratio"),
            (Class::Integer, "flags"),
        ]);
        let all = [program.clone()];
        let values = |text: &str| {
            let event = event_values(text).unwrap();
            let values = event
                .of(&program, &all)
                .map_err(|failure| failure.to_string())?;
            Ok::<_, String>(
                values
                    .iter()
                    .map(|value| format!("{value:?}"))
                    .collect::<Vec<_>>(),
            )
        };
        let shown = |values: [Value<'_>; 4]| values.map(|value| format!("{value:?}")).to_vec();
        let zero = Value::Number(0);
        let found = values("name = a b, bytes=-1, ratio=0.5, flags=0xff").unwrap();
        let half = Value::Number(0.5_f64.to_bits());
        let minus = Value::Number(u64::MAX);
        assert_eq!(
            found,
            shown([Value::Text(Some(b"a b")), minus, half, Value::Number(255)])
        );
        let found = values("").unwrap();
        assert_eq!(found, shown([Value::Text(Some(b"")), zero, zero, zero]));
        for (text, said) in [
            ("bytes=many", "--event: `many` is no integer for `bytes`"),
            ("ratio=x", "--event: `x` is no double for `ratio`"),
            (
                "nmae=x",
                "--event: the expression takes no `nmae` from an event",
            ),
        ] {
            assert_eq!(values(text).unwrap_err(), said);
        }
        assert_eq!(
            event_values("name").unwrap_err(),
            "`name` is no value, expected NAME=VALUE"
        );
        assert_eq!(event_values("a=1,b = 2").unwrap().shown(), "a=1 b=2");
    }
}
