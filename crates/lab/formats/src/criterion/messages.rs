//! The lines of `cargo criterion --message-format=json`.

use std::collections::HashMap;

use perflab_experiment::Better;
use serde::Deserialize;

use super::iteration::per_iteration;
use crate::fault::{Fault, shown};
use crate::run::{Contents, File, Run, sample};

#[derive(Deserialize)]
struct Message {
    reason: String,
}

#[derive(Deserialize)]
struct Complete {
    id: String,
    iteration_count: Vec<f64>,
    measured_values: Vec<f64>,
    unit: String,
}

/// The run in a file of messages. Lines of other kinds, and lines that are no JSON, are left out.
///
/// # Errors
/// A message about a benchmark that is not of this shape, or none at all.
pub fn read(file: &File) -> Result<Contents, Fault> {
    let mut run = Run {
        at: "all lines".to_owned(),
        ..Run::default()
    };
    let mut known: HashMap<String, usize> = HashMap::new();
    for (number, line) in (1..).zip(file.bytes.split(|byte| *byte == b'\n')) {
        let Ok(message) = serde_json::from_slice::<Message>(line) else {
            continue;
        };
        if message.reason != "benchmark-complete" {
            continue;
        }
        let fault = |message: String| Fault::line(&file.path, number, message);
        let complete: Complete = serde_json::from_slice(line).map_err(|error| {
            fault(format!(
                "expected a message `benchmark-complete` of cargo-criterion, found: {error}"
            ))
        })?;
        if let Some(first) = known.insert(complete.id.clone(), number) {
            return Err(fault(format!(
                "`{}` was measured in line {first} before, and a file is one run; put each run into a file of its own",
                shown(&complete.id)
            )));
        }
        let values = per_iteration(
            &complete.measured_values,
            &complete.iteration_count,
            ["measured_values", "iteration_count"],
        )
        .map_err(fault)?;
        run.samples.extend(values.into_iter().map(|value| {
            let unit = &complete.unit;
            sample(Some(&complete.id), "time", unit, Better::Lower, value)
        }));
    }
    if run.samples.is_empty() {
        return Err(Fault::new(
            &file.path,
            "expected a line with the reason `benchmark-complete`, found none",
        ));
    }
    Ok(Contents {
        runs: vec![run],
        notes: Vec::new(),
    })
}
