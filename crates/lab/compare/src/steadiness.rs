//! Which processes reach a steady state.

use perflab_experiment::{Better, Metric};
use perflab_stats::Error;
use perflab_stats::steady::{self, Class, Steady, Terms, Together, together};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Processes that do the same work, each with its iterations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyReport {
    /// Version of this format: 1.
    pub schema: u32,
    /// What the processes have in common.
    pub name: String,
    /// What was measured of each iteration.
    pub metric: Metric,
    /// Largest relative difference of two medians that does not matter, as 0.01.
    pub margin: f64,
    /// The processes.
    pub processes: Vec<Process>,
    /// What they do together.
    pub together: Behaviour,
    /// Iterations to leave out of each process, so that only steady ones remain; absent where a
    /// process has no steady state.
    pub discard: Option<usize>,
}

/// One process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// Its file, or its run.
    pub name: String,
    /// Number of iterations.
    pub iterations: usize,
    /// What it does.
    pub behaviour: Behaviour,
    /// First iteration of the steady state, from 1; absent where there is none.
    pub steady_from: Option<usize>,
    /// Iterations between changes.
    pub segments: Vec<Segment>,
    /// Iterations, from 1, that stand alone and were left out of the search for changes.
    pub spikes: Vec<usize>,
}

/// Iterations between two changes, or the start or the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Segment {
    /// First iteration, from 1.
    pub first: usize,
    /// Last iteration.
    pub last: usize,
    /// Mean without spikes.
    pub mean: f64,
    /// Median without spikes.
    pub median: f64,
}

/// What a process does, or several together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Behaviour {
    /// Steady from the first iteration on.
    Flat,
    /// Worse before it is steady.
    Warmup,
    /// Better before it is steady.
    Slowdown,
    /// Still changing at the end.
    NoSteadyState,
    /// Some are flat and some warm up.
    GoodInconsistent,
    /// Processes differ in another way.
    BadInconsistent,
}

impl From<Class> for Behaviour {
    fn from(class: Class) -> Self {
        match class {
            Class::Flat => Self::Flat,
            Class::Warmup => Self::Warmup,
            Class::Slowdown => Self::Slowdown,
            Class::NoSteadyState => Self::NoSteadyState,
        }
    }
}

/// The JSON Schema (draft 2020-12) of [`SteadyReport`].
pub fn steady_schema() -> serde_json::Value {
    schemars::schema_for!(SteadyReport).to_value()
}

/// Classifies processes, given by name and iterations.
///
/// # Errors
/// No process, or one that cannot be classified, with its name.
pub fn steady_report(
    name: &str,
    metric: &Metric,
    processes: &[(String, Vec<f64>)],
    margin: f64,
) -> Result<SteadyReport, (String, Error)> {
    let terms = Terms {
        better: match metric.better {
            Better::Higher => perflab_stats::Better::Higher,
            Better::Lower | Better::Neither => perflab_stats::Better::Lower,
        },
        margin,
    };
    let found: Vec<Steady> = processes
        .iter()
        .map(|(process, values)| {
            steady::steady(values, &terms).map_err(|error| (process.clone(), error))
        })
        .collect::<Result<_, _>>()?;
    let classes: Vec<Class> = found.iter().map(|process| process.class).collect();
    let none = Error::TooFew {
        what: "processes".to_owned(),
        needed: 1,
        found: 0,
    };
    let together = match together(&classes).ok_or_else(|| (name.to_owned(), none))? {
        Together::Same(class) => class.into(),
        Together::GoodInconsistent => Behaviour::GoodInconsistent,
        Together::BadInconsistent => Behaviour::BadInconsistent,
    };
    let starts: Option<Vec<usize>> = found.iter().map(|process| process.from).collect();
    let named = processes.iter().zip(found);
    Ok(SteadyReport {
        schema: 1,
        name: name.to_owned(),
        metric: metric.clone(),
        margin,
        processes: named
            .map(|((name, values), found)| process(name, values.len(), &found))
            .collect(),
        together,
        discard: starts.and_then(|starts| starts.into_iter().max()),
    })
}

fn process(name: &str, iterations: usize, found: &Steady) -> Process {
    Process {
        name: name.to_owned(),
        iterations,
        behaviour: found.class.into(),
        steady_from: found.from.map(|index| index + 1),
        segments: found
            .segments
            .iter()
            .map(|segment| Segment {
                first: segment.start + 1,
                last: segment.end,
                mean: segment.mean,
                median: segment.median,
            })
            .collect(),
        spikes: found.spikes.iter().map(|index| index + 1).collect(),
    }
}
