//! What an expression or an object becomes for the probes that it judges.

use std::collections::BTreeSet;
use std::path::Path;

use perflab_bpf::ContextField;
use perflab_control::{Actions, EncodedFilter, FilterTooLong};
use perflab_filter::{Fields, FilterProgram, Problem, assumed, check_each, ebpf, lower, parse};

use super::judged::named;
use crate::failure::Failure;
use crate::filter::known::KnownProbe;
use crate::filter::{encoded, object};
use crate::terminal;

/// What probes are judged by.
pub struct Judge {
    /// What is shown of it.
    shown: String,
    /// One for each assignment of classes that some of the probes have.
    programs: Vec<FilterProgram>,
    /// Names of known probes that it does not fit.
    unfit: Vec<String>,
}

impl Judge {
    /// Makes the programs of an expression, for known probes; if there are none, for those that may come.
    ///
    /// # Errors
    /// When it is wrong, or can judge none of the probes.
    pub fn of_expression(expression: &str, known: &BTreeSet<KnownProbe>) -> Result<Self, Failure> {
        let mistake = |problem: Problem| Failure::usage(problem.shown(expression));
        let tree = parse(expression).map_err(mistake)?;
        let fields = fields(known)?;
        let checked = if fields.is_empty() {
            check_each(&tree, &assumed(&tree))
        } else {
            check_each(&tree, &fields)
        };
        let checked = checked.map_err(mistake)?;
        let programs = checked.programs.iter();
        let programs = programs.map(|program| ebpf(&lower(program)).map_err(Failure::usage));
        Ok(Self {
            shown: expression.to_owned(),
            programs: programs.collect::<Result<_, _>>()?,
            unfit: unfit(known, checked.probes.iter().map(Result::is_ok)),
        })
    }

    /// Reads the filter in a file.
    ///
    /// # Errors
    /// When there is none, or it can judge none of the probes.
    pub fn of_object(path: &Path, known: &BTreeSet<KnownProbe>) -> Result<Self, Failure> {
        let shown = terminal::escape(&path.to_string_lossy());
        let program = object(path)?.program;
        let fields = fields(known)?;
        let are_fit: Vec<bool> = fields.iter().map(|fields| fits(&program, fields)).collect();
        if !are_fit.is_empty() && !are_fit.contains(&true) {
            let imports = program.imports.iter();
            let imports: Vec<String> = imports
                .map(|import| format!("{} ({})", import.name, import.class))
                .collect();
            return Err(Failure::usage(format!(
                "{shown} can judge none of these probes, as none has all that it takes: {} (`perflab trace list` shows \
                 their arguments)",
                imports.join(", ")
            )));
        }
        Ok(Self {
            shown,
            programs: vec![program],
            unfit: unfit(known, are_fit),
        })
    }

    /// Names the probes of which no event is accepted, if there are any.
    pub fn say_unfit(&self) {
        if !self.unfit.is_empty() {
            let unfit = named(self.unfit.iter().map(String::as_str));
            terminal::say(&format!(
                "no event of {unfit} is accepted: an argument that the filter names is missing there, or has another \
                 type"
            ));
        }
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
        encoded(&self.programs, except, actions, &shown)
    }
}

fn fields(known: &BTreeSet<KnownProbe>) -> Result<Vec<Fields<'_>>, Failure> {
    known.iter().map(KnownProbe::fields).collect()
}

/// Whether a probe, or what is known of the thread that hits it, has all that a program takes.
fn fits(program: &FilterProgram, fields: &Fields<'_>) -> bool {
    program.imports.iter().all(|import| {
        let context = ContextField::from_name(&import.name).map(ContextField::class);
        let offered = context.or_else(|| fields.field(&import.name).map(|field| field.class));
        offered == Some(import.class)
    })
}

/// Names of the probes that are not fit. Two of one name may have other arguments.
fn unfit(known: &BTreeSet<KnownProbe>, are_fit: impl IntoIterator<Item = bool>) -> Vec<String> {
    let unfit = known.iter().zip(are_fit).filter(|(_, is_fit)| !is_fit);
    let mut names: Vec<String> = unfit.map(|(probe, _)| probe.name.clone()).collect();
    names.dedup();
    names
}
