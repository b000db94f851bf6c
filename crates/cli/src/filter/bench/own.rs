//! What a filter takes in this process: to be made, and to judge events.

use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_bpf::{Trial, TrialEvent, Way};
use perflab_filter::{Fields, FilterProgram, parse};
use serde::Serialize;

use super::event::EventValues;
use super::{Made, SCHEMA, Steps, microseconds, nanoseconds};
use crate::failure::{Code, Failure};
use crate::filter::known::{KnownProbe, ProbeArguments, fields_of};
use crate::filter::mistake;
use crate::terminal::{self, Form};

/// How often it is made; the medians are shown.
const TIMES: usize = 101;

/// Stretches of which the shortest counts, and their length.
const STRETCHES: usize = 50;
const STRETCH: Duration = Duration::from_micros(200);

#[derive(Debug, Serialize)]
struct Answer<'a> {
    schema: u32,
    expression: &'a str,
    programs: Vec<ProgramAnswer>,
}

/// A program, for the probes that it fits.
#[derive(Debug, Serialize)]
struct ProgramAnswer {
    probes: Vec<String>,
    /// Bytes of eBPF.
    ebpf_bytes: usize,
    /// Bytes of native code; 0 if there is none.
    code_bytes: usize,
    /// Bytes that are kept besides.
    kept_bytes: usize,
    /// Why there is no native code.
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    took: Took,
    events: Vec<EventAnswer>,
}

/// How long each step took.
#[derive(Debug, Clone, Copy, Serialize)]
struct Took {
    #[serde(flatten)]
    made: Steps,
    /// eBPF, verified and lowered.
    verify_ns: u64,
    /// To native code.
    emit_ns: u64,
    /// Which becomes executable.
    map_ns: u64,
}

#[derive(Debug, Serialize)]
struct EventAnswer {
    event: String,
    is_accepted: bool,
    /// Time that it takes to judge it; null without native code.
    native_ns: Option<f64>,
    interpreted_ns: f64,
}

/// Measures what a filter takes here.
pub fn own(
    expression: &str,
    probes: &ProbeArguments,
    events: &[EventValues],
    format: Form,
) -> Result<Option<Code>, Failure> {
    // First, as no probe is needed to see that it is no expression.
    parse(expression).map_err(mistake(expression))?;
    let (sources, outcome) = probes.find()?;
    let known: Vec<&KnownProbe> = sources.iter().flat_map(|source| &source.probes).collect();
    if known.is_empty() {
        return Ok(outcome.code());
    }
    let fields = fields_of(known.iter().copied())?;
    let made = Made::new(expression, &fields)?;
    let empty = [EventValues::empty()];
    let events = if events.is_empty() {
        &empty[..]
    } else {
        events
    };
    let mut programs = Vec::new();
    for (index, program) in made.programs.iter().enumerate() {
        let answers = made.checked.probes.iter().zip(&known);
        let own = answers.filter(|(answer, _)| matches!(answer, Ok(own) if *own == index));
        let own: Vec<&KnownProbe> = own.map(|(_, probe)| *probe).collect();
        let mut names: Vec<String> = own.iter().map(|probe| probe.name.clone()).collect();
        names.retain(|name| !name.is_empty());
        let of_first = own.first().map(|probe| probe.fields()).transpose()?;
        let of_first = of_first.unwrap_or_default();
        let (trial, kept_bytes) = trial(program)?;
        let (code_bytes, reason) = match trial.code() {
            Ok(code) => (code.bytes(), String::new()),
            Err(reason) => (0, reason.to_owned()),
        };
        programs.push(ProgramAnswer {
            probes: names,
            ebpf_bytes: program.code.len(),
            code_bytes,
            kept_bytes,
            reason,
            took: took(expression, &fields, index)?,
            events: judged(&trial, program, &made.programs, &of_first, events)?,
        });
    }
    let answer = Answer {
        schema: SCHEMA,
        expression,
        programs,
    };
    let text = match format {
        Form::Json => terminal::json(&answer)?,
        Form::Text => {
            let texts: Vec<String> = answer.programs.iter().map(shown).collect();
            texts.join("\n")
        }
    };
    Ok(outcome.end(terminal::print(&text)))
}

/// A program that is ready to judge, and the bytes that it takes besides its native code.
fn trial(program: &FilterProgram) -> Result<(Trial, usize), Failure> {
    let lowered = Arc::new(program.lowered().map_err(Failure::usage)?);
    let bytes = lowered.bytes();
    let trial = Trial::new(lowered);
    let beside = trial.code().map_or(0, |code| code.memory() - code.bytes());
    Ok((trial, bytes + beside))
}

/// The medians of all steps that lead to one of the programs.
fn took(expression: &str, fields: &[Fields<'_>], index: usize) -> Result<Took, Failure> {
    let mut all: [Vec<u64>; 6] = Default::default();
    for _ in 0..TIMES {
        let made = Made::new(expression, fields)?;
        let Some(program) = made.programs.get(index) else {
            continue;
        };
        let start = Instant::now();
        let lowered = program.lowered().map_err(Failure::usage)?;
        let verified = start.elapsed();
        let [emitted, mapped] = Trial::new(Arc::new(lowered)).took();
        let Steps {
            parse_ns,
            check_ns,
            compile_ns,
        } = made.took;
        let rest = [verified, emitted, mapped].map(nanoseconds);
        let steps = [parse_ns, check_ns, compile_ns].into_iter().chain(rest);
        for (times, step) in all.iter_mut().zip(steps) {
            times.push(step);
        }
    }
    let [parse_ns, check_ns, compile_ns, verify_ns, emit_ns, map_ns] = all.map(|mut times| {
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or(0)
    });
    let made = Steps {
        parse_ns,
        check_ns,
        compile_ns,
    };
    Ok(Took {
        made,
        verify_ns,
        emit_ns,
        map_ns,
    })
}

/// What comes of each event, in both ways.
fn judged(
    trial: &Trial,
    program: &FilterProgram,
    all: &[FilterProgram],
    fields: &Fields<'_>,
    events: &[EventValues],
) -> Result<Vec<EventAnswer>, Failure> {
    let answers = events.iter().map(|given| {
        let values = given.of(program, all, fields)?;
        let event = trial.event(&values);
        let event = event.ok_or_else(|| Failure::usage("--event: a value is of another class"))?;
        let nothing = || Failure::usage("--event: it cannot be judged");
        Ok(EventAnswer {
            event: given.shown(),
            is_accepted: trial.judge(&event, 1, Way::Interpreted) == Some(1),
            native_ns: cost(trial, &event, Way::Native),
            interpreted_ns: cost(trial, &event, Way::Interpreted).ok_or_else(nothing)?,
        })
    });
    answers.collect()
}

/// Time of an event: that of the shortest stretch, as whatever else happens only makes it longer.
fn cost(trial: &Trial, event: &TrialEvent, way: Way) -> Option<f64> {
    let stretch = |times: u64| {
        let start = Instant::now();
        trial.judge(event, times, way)?;
        Some(start.elapsed())
    };
    let mut times = 100;
    while stretch(times)? < STRETCH {
        times *= 2;
    }
    let mut least = f64::INFINITY;
    for _ in 0..STRETCHES {
        least = least.min(stretch(times)?.as_secs_f64() * 1e9 / times as f64);
    }
    Some(least)
}

fn shown(program: &ProgramAnswer) -> String {
    let mut text = String::new();
    if !program.probes.is_empty() {
        text += &format!("{}\n", terminal::escape(&program.probes.join(", ")));
    }
    let Took {
        made,
        verify_ns,
        emit_ns,
        map_ns,
    } = program.took;
    let steps = [
        ("parsed", made.parse_ns),
        ("checked", made.check_ns),
        ("compiled to eBPF", made.compile_ns),
        ("verified and lowered", verify_ns),
        ("made native code", emit_ns),
        ("made executable", map_ns),
    ];
    for (what, step) in steps {
        text += &format!("{what:<22}{:>9.1} us\n", microseconds(step));
    }
    let all: u64 = steps.iter().map(|(_, step)| step).sum();
    text += &format!("{:<22}{:>9.1} us\n\n", "together", microseconds(all));
    let ProgramAnswer {
        ebpf_bytes,
        code_bytes,
        kept_bytes,
        reason,
        ..
    } = program;
    text += &format!("{ebpf_bytes} bytes of eBPF; an agent keeps {kept_bytes} bytes");
    text += &match reason.as_str() {
        "" => format!(" and {code_bytes} of native code\n"),
        reason => format!(", interpreted: {reason}\n"),
    };
    for event in &program.events {
        let verdict = if event.is_accepted {
            "accepted"
        } else {
            "rejected"
        };
        let native = event.native_ns.map_or_else(
            || "no native code".to_owned(),
            |native| format!("{native:.2} ns native"),
        );
        let name = match event.event.as_str() {
            "" => "an event without values".to_owned(),
            event => terminal::escape(event),
        };
        let interpreted = event.interpreted_ns;
        text += &format!("{name}: {verdict}, {native}, {interpreted:.2} ns interpreted\n");
    }
    text
}
