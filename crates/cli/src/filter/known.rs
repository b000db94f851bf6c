//! The probes that an expression is checked against.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use perflab_control::{Agent, Site, Traced};
use perflab_filter::{Fields, FilterProgram, Layout, check_arguments, layout};
use perflab_recorder::{FileProbe, file_probes};

use crate::failure::Failure;
use crate::terminal;
use crate::trace::{NONE, Outcome, Processes, are_meant, place, probes};

// Which probes.
#[derive(Debug, Args)]
pub struct ProbeArguments {
    /// Which probes, as provider:name with *; several with commas.
    #[arg(value_name = "PROBES", default_value = "*", value_parser = probes)]
    probes: String,

    /// A program or shared object whose probes are looked at, instead of running processes.
    #[arg(value_name = "FILE", conflicts_with = "pid")]
    file: Option<PathBuf>,

    #[command(flatten)]
    processes: Processes,

    /// Arguments that a probe has, as `perflab trace list` shows them, instead of probes.
    #[arg(
        long,
        value_name = "LIST",
        value_parser = argument_list,
        conflicts_with_all = ["probes", "pid", "file"]
    )]
    arguments: Option<ArgumentList>,
}

impl ProbeArguments {
    /// Whether any probes are named, or arguments.
    pub fn is_given(&self) -> bool {
        self.arguments.is_some() || self.file.is_some() || !self.processes.pid.is_empty()
    }

    /// The processes that are named, and which of their probes.
    pub fn of_processes(&self) -> Option<(&Processes, &str)> {
        (!self.processes.pid.is_empty()).then_some((&self.processes, self.probes.as_str()))
    }

    /// The probes. What is wrong with a process is reported, and that there are none.
    ///
    /// # Errors
    /// When processes cannot be looked for, or the file has no probes.
    pub fn find(&self) -> Result<(Vec<Source>, Outcome), Failure> {
        let (sources, mut outcome) = match (&self.arguments, &self.file) {
            (Some(list), _) => (vec![list.source()], Outcome::new(true)),
            (None, Some(file)) => (vec![of_file(file, &self.probes)?], Outcome::new(true)),
            (None, None) => {
                let (processes, mut outcome) = self.processes.find()?;
                let sources = of_processes(&processes, &self.probes, &mut outcome);
                if sources.is_empty() {
                    outcome.nothing(NONE);
                }
                (sources, outcome)
            }
        };
        if sources.iter().all(|source| source.probes.is_empty()) {
            outcome.nothing(&format!("no probe is called {:?} there", self.probes));
        }
        Ok((sources, outcome))
    }
}

/// A probe at a place of the source, and its arguments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KnownProbe {
    /// `provider:name`.
    pub name: String,
    /// The place, as `perflab trace list --sites` shows it; empty if there is none.
    pub place: String,
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

    /// Where its sites pass what a program takes; nothing if it lacks something.
    pub fn layout(&self, program: &FilterProgram) -> Option<Layout> {
        let arguments = self.arguments.iter();
        let arguments = arguments.map(|(kind, name)| (kind.as_str(), name.as_str()));
        layout(program, arguments).ok()
    }
}

/// What an expression may name of each of these probes.
///
/// # Errors
/// As [`KnownProbe::fields`].
pub fn fields_of<'k>(
    probes: impl IntoIterator<Item = &'k KnownProbe>,
) -> Result<Vec<Fields<'k>>, Failure> {
    probes.into_iter().map(KnownProbe::fields).collect()
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
fn of_processes(processes: &[Traced], pattern: &str, outcome: &mut Outcome) -> Vec<Source> {
    let mut sources = Vec::new();
    for process in processes {
        let answer = Agent::at(&process.socket).list(pattern);
        let Some((sites, _)) = outcome.take(process, answer) else {
            continue;
        };
        sources.push(Source {
            title: format!("{} {}", process.pid, terminal::escape(&process.name)),
            probes: of_sites(sites).collect(),
        });
    }
    sources
}

/// The probes of sites, as often as they have sites.
pub fn of_sites(sites: Vec<Site>) -> impl Iterator<Item = KnownProbe> {
    sites.into_iter().map(|site| KnownProbe {
        name: format!("{}:{}", site.provider, site.name),
        place: place(&site),
        arguments: site.arguments,
    })
}

/// The probes of processes that answer. One that does not is reported when it is asked for more.
pub fn of_answering(processes: &[Traced], pattern: &str) -> BTreeSet<KnownProbe> {
    let answers = processes
        .iter()
        .filter_map(|process| Agent::at(&process.socket).list(pattern).ok());
    answers.flat_map(|(sites, _)| of_sites(sites)).collect()
}

/// The probes of a file. Sites that cannot be read are reported.
///
/// # Errors
/// When the file cannot be read, or has no probes.
fn of_file(path: &Path, pattern: &str) -> Result<Source, Failure> {
    let title = terminal::escape(&path.to_string_lossy());
    let found = file_probes(path)
        .map_err(|error| Failure::no_data(terminal::escape(&error.to_string())))?;
    for problem in &found.problems {
        terminal::say(&format!("{title}: {}", terminal::escape(problem)));
    }
    if found.probes.is_empty() {
        return Err(Failure::no_data(format!("{title} has no probes")));
    }
    Ok(Source {
        probes: wanted(found.probes, pattern),
        title,
    })
}

/// The probes of a program that is about to start, as far as they can be read from its file: those of a script are
/// unknown, as are those of shared objects that the program loads.
pub fn of_program(path: &Path, pattern: &str) -> BTreeSet<KnownProbe> {
    let found = file_probes(path);
    found.map_or_else(|_| BTreeSet::new(), |found| wanted(found.probes, pattern))
}

fn wanted(probes: BTreeSet<FileProbe>, pattern: &str) -> BTreeSet<KnownProbe> {
    let probes = probes.into_iter();
    let probes = probes.filter(|probe| are_meant(pattern, &probe.provider, &probe.name));
    let probes = probes.map(|probe| KnownProbe {
        name: format!("{}:{}", probe.provider, probe.name),
        place: terminal::escape(&format!("{}:{}", probe.source, probe.line)),
        arguments: probe.arguments,
    });
    probes.collect()
}

/// Arguments as a person writes them.
#[derive(Debug, Clone)]
pub struct ArgumentList(Vec<(String, String)>);

impl ArgumentList {
    /// A probe with these arguments and no name.
    fn source(&self) -> Source {
        let probe = KnownProbe {
            name: String::new(),
            arguments: self.0.clone(),
            place: String::new(),
        };
        Source {
            title: String::new(),
            probes: [probe].into(),
        }
    }
}

/// Reads `NAME: TYPE, NAME: TYPE`, as `perflab trace list` shows arguments. The names of an `enum` have commas, too.
fn argument_list(text: &str) -> Result<ArgumentList, String> {
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
    let each = arguments.iter();
    check_arguments(each.map(|(kind, name)| (kind.as_str(), name.as_str())))?;
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
