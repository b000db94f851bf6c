//! The systems of a variant, in the order in which they are started.
//!
//! Most variants have one, by the keys of their own table. A variant may name several, each in a table
//! `[variants.NAME.systems.SYSTEM]`; one with a `count` stands for as many of its kind.

use indexmap::IndexMap;

use crate::command::Command;
use crate::cpus::CpuList;
use crate::error::Place;
use crate::scope::Scope;
use crate::system::{Ready, Stop, SystemTable};
use crate::template::{Placeholder, Template, TemplateError};
use crate::variant::Variant;

/// A system to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    /// Its name, where the variant names its systems.
    pub name: Option<String>,
    /// Starts it.
    pub start: Command,
    /// How to see that it is ready.
    pub ready: Option<Ready>,
    /// How it is stopped.
    pub stop: Stop,
    /// Its environment variables, on top of the clean set.
    pub env: IndexMap<String, String>,
    /// The CPUs it may run on, where they are not those of all systems.
    pub cpus: Option<CpuList>,
}

/// The systems that a table stands for, with their own names, numbers and ports filled in.
fn expanded(table: &SystemTable, called: &str, variant: &Variant) -> Vec<System> {
    let names = table.names(called);
    let numbered = names.into_iter().zip(1..);
    numbered
        .filter_map(|(name, index)| {
            let mut own = table.clone();
            let fill = &mut |_: &Place, _: Scope, text: &mut String| {
                *text = with_own(text, &name, index)?;
                Ok::<(), TemplateError>(())
            };
            // Strings that are no templates are refused when the file is read.
            let _ = own.visit_templates(Scope::NamedSystem, &Place::default(), fill);
            let mut env = variant.env.clone();
            env.extend(own.env);
            Some(System {
                name: Some(name.clone()),
                start: own.start?,
                ready: own.ready,
                stop: own.stop,
                env,
                cpus: own.cpus,
            })
        })
        .collect()
}

/// A template with a system's own name, number and port filled in.
fn with_own(text: &str, name: &str, index: u32) -> Result<String, TemplateError> {
    let own = |placeholder: &Placeholder| match (placeholder.name.as_str(), &placeholder.argument) {
        ("system", None) => Some(Template::literal(name)),
        ("index", None) => Some(Template::literal(&index.to_string())),
        ("port", None) => Template::parse(&format!("{{port:{name}}}")).ok(),
        _ => None,
    };
    Ok(Template::parse(text)?.substitute(own).to_string())
}

impl Variant {
    /// Whether anything is brought up for it.
    pub fn has_systems(&self) -> bool {
        self.start.is_some() || !self.systems.is_empty()
    }

    /// Its systems, in the order in which they are started; they are stopped the other way round.
    pub fn systems(&self) -> Vec<System> {
        if let Some(start) = &self.start {
            return vec![System {
                name: None,
                start: start.clone(),
                ready: self.ready.clone(),
                stop: self.stop.clone(),
                env: self.env.clone(),
                cpus: None,
            }];
        }
        let order = in_order(&self.systems).unwrap_or_else(|_| self.systems.keys().collect());
        let tables = order.into_iter().map(|name| (name, &self.systems[name]));
        tables
            .flat_map(|(name, table)| expanded(table, name, self))
            .collect()
    }
}

/// The names of the tables, each behind those that it waits for, else as in the file; those that wait for each other
/// where some do.
pub(crate) fn in_order(
    tables: &IndexMap<String, SystemTable>,
) -> Result<Vec<&String>, Vec<&String>> {
    let mut left: Vec<&String> = tables.keys().collect();
    let mut order: Vec<&String> = Vec::new();
    while !left.is_empty() {
        let is_free = |name: &&String| {
            let mut after = tables[*name].after.iter();
            // A name that is unknown is refused elsewhere.
            !after.any(|before| left.contains(&before))
        };
        match left.iter().position(is_free) {
            Some(place) => order.push(left.remove(place)),
            None => return Err(left),
        }
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(after: &[&str]) -> SystemTable {
        SystemTable {
            after: after.iter().map(|name| (*name).to_owned()).collect(),
            ..SystemTable::default()
        }
    }

    #[test]
    fn systems_come_behind_those_that_they_wait_for() {
        let tables = |list: &[(&str, &[&str])]| -> IndexMap<String, SystemTable> {
            list.iter()
                .map(|(name, after)| ((*name).to_owned(), table(after)))
                .collect()
        };
        let all = tables(&[("c", &["a", "b"]), ("b", &["a"]), ("a", &[]), ("d", &[])]);
        let names: Vec<&str> = in_order(&all)
            .unwrap()
            .iter()
            .map(|name| name.as_str())
            .collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
        let round = tables(&[("a", &["b"]), ("b", &["a"]), ("c", &[])]);
        let names: Vec<&str> = in_order(&round)
            .unwrap_err()
            .iter()
            .map(|name| name.as_str())
            .collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn what_is_a_system_s_own_is_filled_in() {
        let text = "{system} {index} {port} {port:master} {dir} {{port}}";
        let filled = with_own(text, "backup-2", 2).unwrap();
        assert_eq!(
            filled,
            "backup-2 2 {port:backup-2} {port:master} {dir} {{port}}"
        );
    }
}
