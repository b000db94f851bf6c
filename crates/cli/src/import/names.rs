//! From the names in foreign files to those of variants and benchmarks.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use perflab_formats::Run;
use perflab_report::operand;

use super::files::Input;
use crate::failure::Failure;

/// A command may be long; a name need not be.
const LONGEST: usize = 60;

/// The names that were given so far.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// By foreign name.
    given: HashMap<String, Given>,
    taken: HashSet<String>,
}

/// A name that was given.
#[derive(Debug)]
struct Given {
    name: String,
    /// The input that it stands for; none where a label may bring together several.
    owner: Option<usize>,
}

impl Names {
    /// Gives the runs of an input their variants, and notes which input they come from.
    ///
    /// The label is the variant if there is one; what the file itself tells apart then becomes a
    /// benchmark. Without a label, the file's own variants stand, or else the file's name.
    ///
    /// # Errors
    /// A variant that two inputs without a label have in common: they may be two sides or one.
    pub(crate) fn assign(
        &mut self,
        input: &Input,
        runs: Vec<Run>,
        number: usize,
    ) -> Result<Vec<Run>, Failure> {
        let owner = input.label.is_none().then_some(number);
        let own: HashSet<&Option<String>> = runs.iter().map(|run| &run.variant).collect();
        let several = own.len() > 1;
        runs.into_iter()
            .map(|mut run| {
                let variant = run.variant.take();
                let foreign = match (&input.label, variant) {
                    (None, Some(variant)) => variant,
                    (None, None) => stem(input),
                    (Some(label), variant) => {
                        if !label.contains(|c: char| c.is_ascii_alphanumeric()) {
                            return Err(Failure::usage(format!(
                                "`{label}={}`: expected a letter from a to z or a digit in the label, found none, so no \
                                 variant can have that name",
                                input.name
                            )));
                        }
                        if let Some(variant) = variant.filter(|_| several) {
                            into_part(&mut run, &variant);
                        }
                        label.clone()
                    }
                };
                let name = self.variant(&foreign, owner).ok_or_else(|| {
                    Failure::usage(format!(
                        "`{foreign}` in {} is another file's variant as well; say which side each \
                         file is on: LABEL={}",
                        input.name,
                        operand(&input.name)
                    ))
                })?;
                run.variant = Some(name);
                run.at = format!("{number}: {}", run.at);
                Ok(run)
            })
            .collect()
    }

    /// A name that a variant may have, another one for each foreign name; none if it has another
    /// owner.
    fn variant(&mut self, foreign: &str, owner: Option<usize>) -> Option<String> {
        if let Some(given) = self.given.get(foreign) {
            return (given.owner == owner).then(|| given.name.clone());
        }
        let plain = plain(foreign);
        let mut name = plain.clone();
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{plain}-{count}");
        }
        let given = Given {
            name: name.clone(),
            owner,
        };
        self.given.insert(foreign.to_owned(), given);
        Some(name)
    }
}

fn stem(input: &Input) -> String {
    let path = Path::new(&input.name);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ends = [".gz", ".json", ".jsonl", ".txt", ".bench"];
    let mut stem = name.as_ref();
    for end in ends {
        stem = stem.strip_suffix(end).unwrap_or(stem);
    }
    match stem {
        "-" => "stdin".to_owned(),
        stem => stem.to_owned(),
    }
}

fn into_part(run: &mut Run, variant: &str) {
    for sample in &mut run.samples {
        sample.benchmark = Some(match sample.benchmark.take() {
            Some(benchmark) => format!("{variant}/{benchmark}"),
            None => variant.to_owned(),
        });
    }
}

/// Letters, digits, `_`, `-` and `.`, beginning with a letter or digit, as names of variants are.
pub(crate) fn plain(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') {
            name.push(c);
        } else if !name.ends_with('-') {
            name.push('-');
        }
        if name.len() >= LONGEST {
            break;
        }
    }
    let name = name
        .trim_start_matches(|c: char| !c.is_ascii_alphanumeric())
        .trim_end_matches('-');
    match name {
        "" => "unnamed".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_name_becomes_a_name_of_its_own() {
        let mut names = Names::default();
        let mut name = |foreign: &str| names.variant(foreign, Some(1)).unwrap_or_default();
        assert_eq!(name("sleep 0.1"), "sleep-0.1");
        assert_eq!(name("sleep  0.1"), "sleep-0.1-2");
        assert_eq!(name("sleep 0.1"), "sleep-0.1");
        assert_eq!(name("--"), "unnamed");
        assert_eq!(name("./a|b 'c'"), "a-b-c");
        assert_eq!(name(&"x".repeat(200)).len(), LONGEST);
    }

    #[test]
    fn a_name_of_two_files_needs_a_label() {
        let mut names = Names::default();
        assert_eq!(names.variant("new", Some(1)).as_deref(), Some("new"));
        assert_eq!(names.variant("new", Some(2)), None);
        assert_eq!(names.variant("new", None), None);
        assert_eq!(names.variant("old", None).as_deref(), Some("old"));
        assert_eq!(names.variant("old", None).as_deref(), Some("old"));
    }
}
