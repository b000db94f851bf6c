//! `perflab filter dump`.

use std::path::PathBuf;

use clap::Args;
use perflab_bpf::Instruction;
use perflab_experiment::counted;
use perflab_filter::{
    Fields, FilterObject, FilterProgram, Ir, Layout, Problem, Tree, check_each, ebpf_with_blocks,
    listing, lower, parse, write_object,
};

use super::known::{KnownProbe, ProbeArguments, Source};
use super::native::native;
use super::object;
use crate::failure::{Code, Failure};
use crate::output::write_bytes;
use crate::terminal;
use crate::trace::Outcome;

// Arguments of `dump`.
#[derive(Debug, Args)]
pub struct DumpArguments {
    /// The expression, in quotes of the shell.
    #[arg(
        value_name = "EXPR",
        allow_hyphen_values = true,
        required_unless_present = "object"
    )]
    expression: Option<String>,

    #[command(flatten)]
    probes: ProbeArguments,

    /// Show the filter in this eBPF object, as clang or --output writes it, instead of an expression's.
    #[arg(long, value_name = "FILE", conflicts_with = "expression")]
    object: Option<PathBuf>,

    /// Write the filter as an eBPF object, instead of showing it; - is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What is shown.
enum Subject<'a> {
    Expression(&'a str, Tree),
    Object(FilterObject),
}

/// A program, and what it was made of.
struct Dumped<'k> {
    /// What is written above it.
    title: String,
    program: FilterProgram,
    /// The blocks of the expression, with the first instruction of each.
    blocks: Option<(Ir, Vec<usize>)>,
    /// The probes that it judges.
    probes: Vec<&'k KnownProbe>,
}

/// Executes `dump`.
pub fn dump(arguments: &DumpArguments) -> Result<Option<Code>, Failure> {
    // First, as no probe is needed to see that there is no filter.
    let subject = subject(arguments)?;
    let is_object = matches!(subject, Subject::Object(_));
    let (sources, outcome) = if is_object && !arguments.probes.is_given() {
        (Vec::new(), Outcome::new(true))
    } else {
        arguments.probes.find()?
    };
    let known = known(&sources);
    let dumped = match subject {
        Subject::Object(object) => vec![of_object(object, &known)],
        Subject::Expression(..) if known.is_empty() => return Ok(outcome.code()),
        Subject::Expression(expression, tree) => of_expression(expression, &tree, &known)?,
    };
    let Some(path) = &arguments.output else {
        let texts: Vec<String> = dumped.iter().map(shown).collect();
        return Ok(outcome.end(terminal::print(&texts.join("\n"))));
    };
    let [only] = dumped.as_slice() else {
        return Err(Failure::usage(format!(
            "the arguments have different types in these probes, so there are {} programs: choose probes of one \
             program with PROBES to write it",
            dumped.len()
        )));
    };
    Ok(outcome.end(write_bytes(path, &write_object(&only.program))))
}

fn subject(arguments: &DumpArguments) -> Result<Subject<'_>, Failure> {
    let Some(path) = &arguments.object else {
        let expression = arguments.expression.as_deref().unwrap_or_default();
        let mistake = |problem: Problem| Failure::usage(problem.shown(expression));
        return Ok(Subject::Expression(
            expression,
            parse(expression).map_err(mistake)?,
        ));
    };
    object(path).map(Subject::Object)
}

fn known(sources: &[Source]) -> Vec<&KnownProbe> {
    sources.iter().flat_map(|source| &source.probes).collect()
}

fn of_object<'k>(object: FilterObject, known: &[&'k KnownProbe]) -> Dumped<'k> {
    let program = object.program;
    let fit = known.iter().copied();
    let fit = fit.filter(|probe| probe.layout(&program).is_some());
    let probes: Vec<&KnownProbe> = fit.collect();
    if probes.is_empty() && !known.is_empty() {
        terminal::say("none of these probes has all that the filter takes");
    }
    Dumped {
        title: terminal::escape(&object.name),
        program,
        blocks: None,
        probes,
    }
}

/// One for each assignment of types to the names.
fn of_expression<'k>(
    expression: &str,
    tree: &Tree,
    known: &[&'k KnownProbe],
) -> Result<Vec<Dumped<'k>>, Failure> {
    let fields = known.iter().map(|probe| probe.fields());
    let fields: Vec<Fields<'_>> = fields.collect::<Result<_, _>>()?;
    let checked =
        check_each(tree, &fields).map_err(|problem| Failure::usage(problem.shown(expression)))?;
    let programs = checked.programs.iter().enumerate();
    let dumped = programs.map(|(number, program)| {
        let ir = lower(program);
        let (program, starts) = ebpf_with_blocks(&ir).map_err(Failure::usage)?;
        let answers = checked.probes.iter().zip(known);
        let own = answers.filter(|(answer, _)| matches!(answer, Ok(own) if *own == number));
        let probes: Vec<&KnownProbe> = own.map(|(_, probe)| *probe).collect();
        let mut names: Vec<&str> = probes.iter().map(|probe| probe.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        Ok(Dumped {
            title: names.join(", "),
            program,
            blocks: Some((ir, starts)),
            probes,
        })
    });
    dumped.collect()
}

/// A program as text, with the native code for the first of its probes.
fn shown(dumped: &Dumped<'_>) -> String {
    let program = &dumped.program;
    let mut text = String::new();
    if !dumped.title.is_empty() {
        text += &format!("{}\n\n", dumped.title);
    }
    let probes = dumped.probes.iter();
    let layouts: Vec<Layout> = probes.filter_map(|probe| probe.layout(program)).collect();
    let native = layouts.first().map(|layout| native(program, layout));
    let lines = match &native {
        Some(Ok(native)) => native.lines.as_slice(),
        Some(Err(_)) | None => &[],
    };
    let blocks = dumped.blocks.as_ref();
    let blocks = blocks.map(|(ir, starts)| (ir, starts.as_slice()));
    text += &listing(program, blocks, lines);
    let instructions = counted(program.code.len() / Instruction::BYTES, "instruction");
    text += &format!("\n{instructions} of eBPF");
    match &native {
        Some(Ok(native)) => {
            text += &format!(", {} of native code", counted(native.bytes, "byte"));
            let is_other = |layout: &Layout| Some(layout) != layouts.first();
            if let Some(first) = dumped.probes.first()
                && layouts.iter().any(is_other)
            {
                text += &format!(
                    " for {}; other probes have the arguments elsewhere, and native code of their own",
                    first.name
                );
            }
        }
        Some(Err(reason)) => text += &format!(", interpreted: {reason}"),
        None => {}
    }
    text.push('\n');
    text
}
