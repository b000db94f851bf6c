//! Filters of the commands of `trace`: from `--when` to what agents are sent.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use perflab_bpf::ContextField;
use perflab_control::{
    Actions, Agent, Alternative, EncodedFilter, FilterImport, FilterTooLong, Traced,
};
use perflab_filter::{
    Fields, FilterProgram, Problem, assumed, check_each, ebpf, lower, parse, read_object,
};

use super::judged::named;
use super::program;
use super::session::are_meant;
use crate::failure::Failure;
use crate::filter::known::{KnownProbe, of_program, of_sites};
use crate::terminal;

// Which events.
#[derive(Debug, Args)]
pub struct When {
    /// Take only events whose arguments fulfil this condition, such as 'name == "SET" && bytes > 512': see
    /// docs/filters.md.
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    when: Option<String>,

    /// Take only events that the filter in this file accepts: an eBPF object of clang, or of `perflab filter dump -o`.
    #[arg(long, value_name = "FILE", conflicts_with = "when")]
    when_object: Option<PathBuf>,
}

/// What probes are judged by.
struct Judge {
    /// What is shown of it.
    shown: String,
    /// One for each assignment of classes that some of the probes have.
    programs: Vec<FilterProgram>,
    /// Names of known probes that it does not fit.
    unfit: Vec<String>,
}

impl When {
    /// Whether any filter is asked for.
    pub fn is_given(&self) -> bool {
        self.when.is_some() || self.when_object.is_some()
    }

    /// The filter for these probes of processes, if one is asked for. Those of `except`, which may be empty, are taken
    /// unfiltered.
    ///
    /// # Errors
    /// When it is wrong, or can judge none of the probes that there are.
    pub fn for_processes(
        &self,
        processes: &[Traced],
        probes: &str,
        except: &str,
    ) -> Result<Option<EncodedFilter>, Failure> {
        self.filter(except, || {
            // One that does not answer is reported when it is asked for its events.
            let answers = processes
                .iter()
                .filter_map(|process| Agent::at(&process.socket).list(probes).ok());
            answers.flat_map(|(sites, _)| of_sites(sites)).collect()
        })
    }

    /// The same for a program that is about to start.
    ///
    /// # Errors
    /// As [`When::for_processes`].
    pub fn for_program(
        &self,
        program: &OsStr,
        probes: &str,
        except: &str,
    ) -> Result<Option<EncodedFilter>, Failure> {
        self.filter(except, || {
            let path = program::find(program);
            path.map_or_else(BTreeSet::new, |path| of_program(&path, probes))
        })
    }

    fn filter(
        &self,
        except: &str,
        known: impl FnOnce() -> BTreeSet<KnownProbe>,
    ) -> Result<Option<EncodedFilter>, Failure> {
        let known = || {
            let mut probes = known();
            probes.retain(|probe| {
                let (provider, name) = probe.name.split_once(':').unwrap_or_default();
                !are_meant(except, provider, name)
            });
            probes
        };
        let judge = match (&self.when, &self.when_object) {
            (Some(expression), _) => of_expression(expression, &known())?,
            (None, Some(path)) => of_object(path, &known())?,
            (None, None) => return Ok(None),
        };
        if !judge.unfit.is_empty() {
            let unfit = named(judge.unfit.iter().map(String::as_str));
            terminal::say(&format!(
                "no event of {unfit} is accepted: an argument that the filter names is missing there, or has another \
                 type"
            ));
        }
        judge.encoded(except).map(Some).map_err(Failure::usage)
    }
}

impl Judge {
    fn encoded(&self, except: &str) -> Result<EncodedFilter, FilterTooLong> {
        let alternatives = self.programs.iter().map(|program| Alternative {
            imports: program.imports.iter().map(|import| FilterImport {
                class: import.class as u8,
                name: &import.name,
            }),
            code: &program.code,
            literals: &program.literals,
        });
        EncodedFilter::new(except, Actions::default(), &self.shown, alternatives)
    }
}

fn of_expression(expression: &str, known: &BTreeSet<KnownProbe>) -> Result<Judge, Failure> {
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
    Ok(Judge {
        shown: expression.to_owned(),
        programs: programs.collect::<Result<_, _>>()?,
        unfit: unfit(known, checked.probes.iter().map(Result::is_ok)),
    })
}

fn of_object(path: &Path, known: &BTreeSet<KnownProbe>) -> Result<Judge, Failure> {
    let shown = terminal::escape(&path.to_string_lossy());
    let bytes = fs::read(path)
        .map_err(|error| Failure::usage(format!("cannot read the filter {shown}: {error}")))?;
    let object = read_object(&bytes).map_err(|problem| {
        let problem = terminal::escape(&problem.to_string());
        Failure::no_data(format!("{shown} cannot be used as a filter: {problem}"))
    })?;
    let program = object.program;
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
    Ok(Judge {
        shown,
        programs: vec![program],
        unfit: unfit(known, are_fit),
    })
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
