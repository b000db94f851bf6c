//! How long it takes until the agents of running processes judge by a filter.

use std::collections::BTreeSet;
use std::time::Instant;

use perflab_control::{Actions, Agent, Filtered, Switched, Then, Traced};
use perflab_experiment::counted;
use perflab_filter::{Fields, parse};
use serde::Serialize;

use super::{Made, SCHEMA, Steps, microseconds, mistake, nanoseconds, now};
use crate::failure::{Code, Failure};
use crate::filter::encoded;
use crate::filter::known::{KnownProbe, of_sites};
use crate::terminal::{self, Form};
use crate::trace::{Processes, mode};

#[derive(Debug, Serialize)]
struct Answer<'a> {
    schema: u32,
    expression: &'a str,
    /// By `CLOCK_MONOTONIC`, as the other times are.
    parsed_at_ns: u64,
    #[serde(flatten)]
    took: Steps,
    /// Programs to what is sent.
    encode_ns: u64,
    processes: Vec<ProcessAnswer>,
}

#[derive(Debug, Serialize)]
struct ProcessAnswer {
    pid: u32,
    name: String,
    asked_at_ns: u64,
    answered_at_ns: u64,
    probes: Vec<FilteredAnswer>,
}

#[derive(Debug, Serialize)]
struct FilteredAnswer {
    probe: String,
    sites: u32,
    mode: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    code_bytes: u32,
    kept_bytes: u32,
    verify_ns: u64,
    emit_ns: u64,
    publish_ns: u64,
}

/// Has agents judge by a filter.
pub fn asked(
    expression: &str,
    processes: &Processes,
    probes: &str,
    is_counted: bool,
    format: Form,
) -> Result<Option<Code>, Failure> {
    // First, as no process is needed to see that it is no expression.
    parse(expression).map_err(mistake(expression))?;
    let (processes, mut outcome) = processes.find()?;
    let mut known: BTreeSet<KnownProbe> = BTreeSet::new();
    let mut answering: Vec<&Traced> = Vec::new();
    for process in &processes {
        let listed = Agent::at(&process.socket).list(probes);
        if let Some((sites, _)) = outcome.take(process, listed) {
            known.extend(of_sites(sites));
            answering.push(process);
        }
    }
    if known.is_empty() {
        outcome.nothing(&format!("no probe is called {probes:?} there"));
        return Ok(outcome.code());
    }
    let fields = known.iter().map(KnownProbe::fields);
    let fields: Vec<Fields<'_>> = fields.collect::<Result<_, _>>()?;
    // What a laboratory does that knows the probes.
    let made = Made::new(expression, &fields)?;
    let start = Instant::now();
    let then = if is_counted { Then::Act } else { Then::Nothing };
    let actions = Actions {
        then,
        ..Actions::default()
    };
    let filter = encoded(&made.programs, "", actions, expression).map_err(Failure::usage)?;
    let encode_ns = nanoseconds(start.elapsed());
    let mut answer = Answer {
        schema: SCHEMA,
        expression,
        parsed_at_ns: made.parsed_at,
        took: made.took,
        encode_ns,
        processes: Vec::new(),
    };
    for process in answering {
        let asked_at_ns = now();
        let switched = Agent::at(&process.socket).on_when(probes, &filter);
        let answered_at_ns = now();
        if let Some(Switched { filtered, .. }) = outcome.take(process, switched) {
            answer.processes.push(ProcessAnswer {
                pid: process.pid,
                name: process.name.clone(),
                asked_at_ns,
                answered_at_ns,
                probes: filtered.iter().map(FilteredAnswer::new).collect(),
            });
        }
    }
    let text = match format {
        Form::Json => terminal::json(&answer)?,
        Form::Text => shown(&answer),
    };
    Ok(outcome.end(terminal::print(&text)))
}

impl FilteredAnswer {
    fn new(filtered: &Filtered) -> Self {
        Self {
            probe: filtered.probe.clone(),
            sites: filtered.sites,
            mode: mode(filtered.mode),
            reason: filtered.reason.clone(),
            code_bytes: filtered.code,
            kept_bytes: filtered.kept,
            verify_ns: nanoseconds(filtered.verified),
            emit_ns: nanoseconds(filtered.emitted),
            publish_ns: nanoseconds(filtered.published),
        }
    }
}

fn shown(answer: &Answer<'_>) -> String {
    let Steps {
        parse_ns,
        check_ns,
        compile_ns,
    } = answer.took;
    let here = [
        ("parsed", parse_ns),
        ("checked", check_ns),
        ("compiled to eBPF", compile_ns),
        ("encoded", answer.encode_ns),
    ];
    let mut text = lines(&here);
    for process in &answer.processes {
        let took = process.answered_at_ns.saturating_sub(process.asked_at_ns);
        let name = terminal::escape(&process.name);
        let took = microseconds(took);
        text += &format!("{} {name}: judges after {took:.1} us\n", process.pid);
        for filtered in &process.probes {
            let FilteredAnswer {
                mode,
                reason,
                code_bytes,
                kept_bytes,
                verify_ns,
                emit_ns,
                publish_ns,
                ..
            } = filtered;
            let probe = terminal::escape(&filtered.probe);
            let sites = counted(filtered.sites, "site");
            let reason = match reason.as_str() {
                "" => String::new(),
                reason => format!(": {}", terminal::escape(reason)),
            };
            text += &format!("{probe}, {sites}, {mode}{reason}\n");
            text += &lines(&[
                ("  verified and lowered", *verify_ns),
                ("  made native code", *emit_ns),
                ("  published", *publish_ns),
            ]);
            text += &format!("  {code_bytes} bytes of native code, {kept_bytes} besides\n");
        }
    }
    text
}

fn lines(steps: &[(&str, u64)]) -> String {
    let lines = steps.iter();
    let lines = lines.map(|(what, step)| format!("{what:<24}{:>9.1} us\n", microseconds(*step)));
    lines.collect()
}
