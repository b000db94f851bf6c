//! What an expression or an object becomes for the probes that it judges.

use std::collections::BTreeSet;
use std::path::Path;

use perflab_bpf::ContextField;
use perflab_control::{Actions, EncodedFilter, FilterTooLong};
use perflab_filter::{Fields, FilterProgram, assumed, check_each, ebpf, lower, parse};

use super::judged::{say_unfit, unfit};
use crate::failure::Failure;
use crate::filter::known::{KnownProbe, fields_of};
use crate::filter::{in_words, mistake, object};
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
    /// Makes the programs of an expression, for known probes; if there are none, for those that may come.
    ///
    /// # Errors
    /// When it is wrong, or can judge none of the probes.
    pub fn of_expression(expression: &str, known: &BTreeSet<KnownProbe>) -> Result<Self, Failure> {
        let mistake = mistake(expression);
        let tree = parse(expression).map_err(&mistake)?;
        let fields = fields_of(known)?;
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
            unfit: unfit(names(known).zip(checked.probes.iter().map(Result::is_ok))),
        })
    }

    /// Reads the filter in a file.
    ///
    /// # Errors
    /// When there is none, or it can judge none of the probes.
    pub fn of_object(path: &Path, known: &BTreeSet<KnownProbe>) -> Result<Self, Failure> {
        let shown = terminal::escape(&path.to_string_lossy());
        let program = object(path)?.program;
        let fields = fields_of(known)?;
        let are_fit: Vec<bool> = fields.iter().map(|fields| fits(&program, fields)).collect();
        if !are_fit.is_empty() && !are_fit.contains(&true) {
            return Err(Failure::usage(format!(
                "{shown} can judge none of these probes, as none has all that it takes: {} (`perflab trace list` shows \
                 their arguments)",
                in_words(&program.imports)
            )));
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
