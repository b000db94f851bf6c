//! The probes that an expression is checked against.

use std::collections::BTreeSet;
use std::path::Path;

use perflab_control::{Agent, Traced, matches, patterns};
use perflab_filter::Fields;
use perflab_recorder::file_probes;

use crate::failure::Failure;
use crate::terminal;
use crate::trace::Outcome;

/// A probe and its arguments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KnownProbe {
    /// `provider:name`.
    pub name: String,
    /// Types and names.
    arguments: Vec<(String, String)>,
}

impl KnownProbe {
    /// What an expression may name.
    ///
    /// # Errors
    /// When a type is none that this perflab knows.
    pub fn fields(&self) -> Result<Fields<'_>, Failure> {
        fields(&self.arguments)
            .map_err(|reason| Failure::no_data(format!("{}: {reason}", self.name)))
    }
}

fn fields(arguments: &[(String, String)]) -> Result<Fields<'_>, String> {
    let arguments = arguments.iter();
    let arguments = arguments.map(|(kind, name)| (kind.as_str(), name.as_str()));
    Fields::new(arguments).map_err(|error| terminal::escape(&error.to_string()))
}

/// Where probes were found, and which.
pub struct Source {
    /// A line that says where; empty for what has no name.
    pub title: String,
    /// The probes.
    pub probes: BTreeSet<KnownProbe>,
}

/// The probes of processes. What is wrong with a process is reported.
pub fn of_processes(processes: &[Traced], pattern: &str, outcome: &mut Outcome) -> Vec<Source> {
    let mut sources = Vec::new();
    for process in processes {
        let answer = Agent::at(&process.socket).list(pattern);
        let Some((sites, _)) = outcome.take(process, answer) else {
            continue;
        };
        let probes = sites.into_iter().map(|site| KnownProbe {
            name: format!("{}:{}", site.provider, site.name),
            arguments: site.arguments,
        });
        sources.push(Source {
            title: format!("{} {}", process.pid, terminal::escape(&process.name)),
            probes: probes.collect(),
        });
    }
    sources
}

/// The probes of a file. Sites that cannot be read are reported.
///
/// # Errors
/// When the file cannot be read, or has no probes.
pub fn of_file(path: &Path, pattern: &str) -> Result<Source, Failure> {
    let title = terminal::escape(&path.to_string_lossy());
    let found = file_probes(path)
        .map_err(|error| Failure::no_data(terminal::escape(&error.to_string())))?;
    for problem in &found.problems {
        terminal::say(&format!("{title}: {}", terminal::escape(problem)));
    }
    if found.probes.is_empty() {
        return Err(Failure::no_data(format!("{title} has no probes")));
    }
    let wanted: Vec<(&str, &str)> = patterns(pattern).map_err(Failure::usage)?.collect();
    let is_wanted = |provider: &str, name: &str| {
        let mut wanted = wanted.iter();
        wanted.any(|pattern| matches(*pattern, provider, name))
    };
    let probes = found.probes.into_iter();
    let probes = probes
        .filter(|probe| is_wanted(&probe.provider, &probe.name))
        .map(|probe| KnownProbe {
            name: format!("{}:{}", probe.provider, probe.name),
            arguments: probe.arguments,
        });
    Ok(Source {
        probes: probes.collect(),
        title,
    })
}

/// Arguments as a person writes them.
#[derive(Debug, Clone)]
pub struct ArgumentList(Vec<(String, String)>);

impl ArgumentList {
    /// A probe with these arguments and no name.
    pub fn source(&self) -> Source {
        let probe = KnownProbe {
            name: String::new(),
            arguments: self.0.clone(),
        };
        Source {
            title: String::new(),
            probes: [probe].into(),
        }
    }
}

/// Reads `NAME: TYPE, NAME: TYPE`, as `perflab trace list` shows arguments. The names of an `enum` have commas, too.
pub fn argument_list(text: &str) -> Result<ArgumentList, String> {
    let mut open = 0;
    let parts = text.split(|letter: char| {
        open += i32::from(letter == '(') - i32::from(letter == ')');
        letter == ',' && open == 0
    });
    let arguments = parts.map(str::trim).filter(|part| !part.is_empty());
    let arguments = arguments.map(|part| {
        let (name, kind) = part.split_once(':').ok_or_else(|| {
            format!(
                "`{part}` is no argument, expected NAME: TYPE as `perflab trace list` shows them"
            )
        })?;
        Ok((kind.trim().to_owned(), name.trim().to_owned()))
    });
    let arguments: Vec<(String, String)> = arguments.collect::<Result<_, String>>()?;
    fields(&arguments)?;
    Ok(ArgumentList(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_as_they_are_listed() {
        let ArgumentList(list) =
            argument_list("name: cstr, kind: enum(GET=0,SET=1),bytes :i64,").unwrap();
        let expected = [
            ("cstr", "name"),
            ("enum(GET=0,SET=1)", "kind"),
            ("i64", "bytes"),
        ];
        let expected = expected.map(|(kind, name)| (kind.to_owned(), name.to_owned()));
        assert_eq!(list, expected);
        assert!(argument_list("").unwrap().0.is_empty());
        let reason = |text| argument_list(text).unwrap_err();
        assert!(reason("name").starts_with("`name` is no argument"));
        assert_eq!(reason("name: string"), "`string` is no type of an argument");
    }
}
