//! Which events of a trace a filter accepts.

use std::collections::BTreeMap;

use perflab_bpf::{ContextField, Lowered, Value, Verdict, judge_values};
use perflab_filter::{Checked, Fields, Problem, Tree, check_each, ebpf, lower};
use perflab_trace_file::{Event, Probe, Trace, event};

use super::asked::Asked;
use super::judged::named;
use crate::failure::Failure;
use crate::terminal;

/// A filter for the events of a trace.
#[derive(Debug)]
pub struct Accepted {
    /// One for each assignment of types to the names.
    programs: Vec<Lowered>,
    /// How events are judged, by the numbers of their process and probe.
    probes: BTreeMap<(u32, u32), Judged>,
}

/// How events of a probe are judged.
#[derive(Debug)]
struct Judged {
    /// The number of the program.
    program: usize,
    /// Where its imports come from.
    sources: Vec<Source>,
}

/// Where the value of an import comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// An argument, by its place.
    Argument(usize),
    /// The number of the thread.
    Vtid,
    /// The number of the process.
    Vpid,
    /// The name of the thread.
    Procname,
}

impl Accepted {
    /// A filter for the probes that are asked for. Those that it never accepts are named on standard error.
    ///
    /// # Errors
    /// When it can judge none of them, or needs what no trace has.
    pub fn new(
        (expression, tree): (&str, &Tree),
        asked: &Asked<'_>,
        trace: &Trace,
    ) -> Result<Self, Failure> {
        let processes = trace.processes().values();
        let probes = processes
            .filter(|process| asked.is_process(process))
            .flat_map(|process| process.probes.values());
        let probes: Vec<&Probe> = probes.filter(|probe| asked.is_probe(probe)).collect();
        let fields = probes.iter().map(|probe| {
            let arguments = probe.arguments.iter();
            Fields::new(arguments.map(|own| (own.kind.as_str(), own.name.as_str())))
        });
        let fields: Vec<Fields<'_>> = fields.collect::<Result<_, _>>().map_err(Failure::no_data)?;
        let mistake = |problem: Problem| Failure::usage(problem.shown(expression));
        let checked = check_each(tree, &fields).map_err(mistake)?;
        let mut accepted = Self {
            programs: Vec::new(),
            probes: BTreeMap::new(),
        };
        for program in &checked.programs {
            let program = ebpf(&lower(program)).map_err(Failure::usage)?;
            let lowered = program.lowered().map_err(Failure::environment)?;
            accepted.programs.push(lowered);
        }
        let mut never = Vec::new();
        for (probe, answer) in probes.iter().zip(&checked.probes) {
            match answer {
                Ok(program) => {
                    let judged = Judged {
                        program: *program,
                        sources: sources(&checked.programs[*program], probe)?,
                    };
                    accepted
                        .probes
                        .insert((probe.process, probe.number), judged);
                }
                Err(_) => never.push(format!("{}:{}", probe.provider, probe.name)),
            }
        }
        if !never.is_empty() {
            never.sort_unstable();
            never.dedup();
            terminal::say(&terminal::escape(&format!(
                "no event of {} is shown: an argument that the filter names is missing there, or has another type",
                named(never.iter().map(String::as_str))
            )));
        }
        Ok(accepted)
    }

    /// Whether an event is accepted; nothing if its probe lacks what the filter names, or was not asked for.
    pub fn verdict(&self, event: &Event<'_>) -> Option<bool> {
        let judged = self
            .probes
            .get(&(event.process.number, event.probe.number))?;
        let program = self.programs.get(judged.program)?;
        let arguments: Vec<Value<'_>> = event.values().map(value).collect();
        let values = judged.sources.iter().map(|source| match source {
            Source::Argument(at) => arguments.get(*at).copied().unwrap_or(Value::Text(None)),
            Source::Vtid => Value::Number(u64::from(event.thread.tid)),
            Source::Vpid => Value::Number(u64::from(event.process.pid)),
            Source::Procname => Value::Text(Some(event.thread.name.as_bytes())),
        });
        let values: Vec<Value<'_>> = values.collect();
        Some(judge_values(program, &values) != Verdict::Reject)
    }
}

/// Where the imports of a program come from, in a trace.
fn sources(program: &Checked, probe: &Probe) -> Result<Vec<Source>, Failure> {
    let sources = program.imports.iter().map(|import| {
        let name = &import.name;
        match ContextField::from_name(name) {
            Some(ContextField::Vtid) => Ok(Source::Vtid),
            Some(ContextField::Vpid) => Ok(Source::Vpid),
            Some(ContextField::Procname) => Ok(Source::Procname),
            Some(ContextField::CpuId | ContextField::PthreadId | ContextField::Ip) => {
                Err(Failure::usage(format!(
                    "`{name}` is not in a trace, expected `$ctx.vtid`, `$ctx.vpid` or `$ctx.procname`"
                )))
            }
            // Of two arguments with one name the first counts, as in a process.
            None => {
                let mut arguments = probe.arguments.iter();
                let at = arguments.position(|own| own.name == *name);
                Ok(Source::Argument(at.unwrap_or(usize::MAX)))
            }
        }
    });
    sources.collect()
}

/// A value as a filter takes it: an integer as its type extends it, a floating-point number as its bits.
fn value(value: event::Value<'_>) -> Value<'_> {
    match value {
        event::Value::Signed(number) => Value::Number(number.cast_unsigned()),
        event::Value::Unsigned(number) | event::Value::Address(number) => Value::Number(number),
        event::Value::Bool(truth) => Value::Number(u64::from(truth)),
        event::Value::Single(number) => Value::Number(f64::from(number).to_bits()),
        event::Value::Double(number) => Value::Number(number.to_bits()),
        event::Value::Text(text) => Value::Text(text),
    }
}
