//! What an expression or an object becomes for the probes that it judges.

use std::collections::BTreeSet;
use std::path::Path;

use perflab_bpf::ContextField;
use perflab_control::{Actions, EncodedFilter, FilterTooLong, matches, patterns};
use perflab_filter::{Fields, FilterProgram, Problem, assumed, check_each, ebpf, lower, parse};

use super::judged::{say_unfit, unfit};
use crate::failure::Failure;
use crate::filter::known::{KnownProbe, fields_of};
use crate::filter::{in_words, object};
use crate::terminal;

/// What probes are judged by.
pub struct Judge {
    /// What is shown of it.
    shown: String,
    /// One for each assignment of classes that some of the probes have.
    programs: Vec<FilterProgram>,
    /// Known probes that it does not fit.
    unfit: Vec<String>,
}

impl Judge {
    /// Makes the programs of an expression, for those of PROBES that are known, and for others that may come.
    ///
    /// # Errors
    /// When it is wrong, or can judge none of the probes.
    pub fn of_expression(
        expression: &str,
        probes: &str,
        known: &BTreeSet<KnownProbe>,
    ) -> Result<Self, Failure> {
        let mistake = |problem: Problem| {
            let hint = if problem.is_missing() {
                later(probes)
            } else {
                String::new()
            };
            Failure::usage(problem.shown(expression) + &hint)
        };
        let tree = parse(expression).map_err(mistake)?;
        let mut fields = fields_of(known)?;
        if may_come(probes, known) {
            fields.extend(assumed(&tree));
        }
        let checked = check_each(&tree, &fields).map_err(mistake)?;
        let programs = checked.programs.iter();
        let programs = programs.map(|program| ebpf(&lower(program)).map_err(Failure::usage));
        Ok(Self {
            shown: expression.to_owned(),
            programs: programs.collect::<Result<_, _>>()?,
            unfit: unfit(names(known).zip(checked.probes.iter().map(Result::is_ok))),
        })
    }

    /// Reads the filter in a file.
    ///
    /// # Errors
    /// When there is none, or it can judge none of the probes.
    pub fn of_object(
        path: &Path,
        probes: &str,
        known: &BTreeSet<KnownProbe>,
    ) -> Result<Self, Failure> {
        let shown = terminal::escape(&path.to_string_lossy());
        let program = object(path)?.program;
        let fields = fields_of(known)?;
        let are_fit: Vec<bool> = fields.iter().map(|fields| fits(&program, fields)).collect();
        if !may_come(probes, known) && !are_fit.contains(&true) {
            return Err(fits_none(path, &program, &later(probes)));
        }
        Ok(Self {
            shown,
            programs: vec![program],
            unfit: unfit(names(known).zip(are_fit)),
        })
    }

    /// Names the probes of which no event is accepted, if there are any.
    pub fn say_unfit(&self) {
        say_unfit(&self.unfit, "accepted");
    }

    /// As it is sent. Probes of `except` are taken unfiltered; `also` is shown behind the expression.
    ///
    /// # Errors
    /// When it is too large.
    pub fn encoded(
        &self,
        except: &str,
        actions: Actions,
        also: &[String],
    ) -> Result<EncodedFilter, FilterTooLong> {
        let shown = [&[self.shown.clone()][..], also].concat().join(", ");
        let programs = self.programs.iter().map(FilterProgram::alternative);
        EncodedFilter::new(except, actions, &shown, programs)
    }
}

/// A filter in a file can judge none of the probes.
pub fn fits_none(path: &Path, program: &FilterProgram, hint: &str) -> Failure {
    Failure::usage(format!(
        "{} can judge none of these probes, as none has all that it takes: {} (`perflab trace list` shows their \
         arguments){hint}",
        terminal::escape(&path.to_string_lossy()),
        in_words(&program.imports)
    ))
}

/// Whether one of PROBES means no probe that is known, so that such ones may come.
fn may_come(probes: &str, known: &BTreeSet<KnownProbe>) -> bool {
    let is_known = |pattern| {
        let mut names = known.iter().filter_map(|probe| probe.name.split_once(':'));
        names.any(|(provider, name)| matches(pattern, provider, name))
    };
    let mut patterns = patterns(probes).into_iter().flatten();
    patterns.any(|pattern| !is_known(pattern))
}

/// How to filter probes that nothing is known of yet.
fn later(probes: &str) -> String {
    let probes = terminal::escape(probes);
    format!(
        "\nonly probes that are there now were looked at; name those of a library that is loaded later as well, such \
         as '{probes},PROVIDER:*'"
    )
}

/// Whether a probe, or what is known of the thread that hits it, has all that a program takes.
fn fits(program: &FilterProgram, fields: &Fields<'_>) -> bool {
    program.imports.iter().all(|import| {
        let context = ContextField::from_name(&import.name).map(ContextField::class);
        let offered = context.or_else(|| fields.field(&import.name).map(|field| field.class));
        offered == Some(import.class)
    })
}

fn names(known: &BTreeSet<KnownProbe>) -> impl Iterator<Item = &str> {
    known.iter().map(|probe| probe.name.as_str())
}
