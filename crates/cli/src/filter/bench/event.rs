//! Events that somebody writes down.

use std::collections::HashSet;

use perflab_bpf::Value;
use perflab_filter::{Class, Fields, FilterProgram, Import};

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
    let values: Vec<(String, String)> = values.collect::<Result<_, String>>()?;
    let mut names = HashSet::new();
    match values.iter().find(|(name, _)| !names.insert(name)) {
        Some((name, _)) => Err(format!("`{name}` is given twice")),
        None => Ok(EventValues(values)),
    }
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

    /// The values of what a program takes of a probe with these arguments.
    ///
    /// # Errors
    /// When one is not of its type, or of nothing that any of these programs takes.
    pub fn of<'e>(
        &'e self,
        program: &FilterProgram,
        all: &[FilterProgram],
        fields: &Fields<'_>,
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
        imports.map(|import| self.value(import, fields)).collect()
    }

    fn value(&self, import: &Import, fields: &Fields<'_>) -> Result<Value<'_>, Failure> {
        let Import { class, name } = import;
        let given = self.0.iter().find(|(own, _)| own == name);
        let text = given.map(|(_, value)| value.as_str());
        if *class == Class::Text {
            return Ok(Value::Text(Some(text.unwrap_or_default().as_bytes())));
        }
        let number = fields.read(name, text.unwrap_or("0"));
        number.map(Value::Number).map_err(|expected| {
            let shown = text.unwrap_or_default();
            Failure::usage(format!(
                "--event: `{shown}` is no {class} for `{name}`: {expected}"
            ))
        })
    }
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
        let kinds = [("cstr", "name"), ("i64", "bytes"), ("f64", "ratio")];
        let fields = Fields::new(kinds).unwrap();
        let values = |text: &str| {
            let event = event_values(text).unwrap();
            let values = event
                .of(&program, &all, &fields)
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
            (
                "ratio=x",
                "--event: `x` is no double for `ratio`: expected a double of 64 bits",
            ),
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
