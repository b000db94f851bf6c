//! Two results that were not measured together.

use std::path::Path;

use perflab_compare::{Comparison, Half, compare_apart};

use super::arguments::CompareArguments;
use crate::failure::Failure;
use crate::numbers::refuse;
use crate::selection::{input, open};

/// The report on what changed from the first result to the second.
pub(super) fn apart(
    results: [(&str, &Path); 2],
    arguments: &CompareArguments,
) -> Result<Comparison, Failure> {
    let unused = [
        ("--baseline", arguments.baseline.is_some()),
        ("--metric", !arguments.metric.is_empty()),
        ("--benchmark", !arguments.benchmark.is_empty()),
        ("--tail", !arguments.tail.is_empty()),
        ("--margin", arguments.margin.is_some()),
        ("--confidence", arguments.confidence.is_some()),
        ("--questions", !arguments.questions.is_empty()),
        ("--calibrate", arguments.calibrate.is_some()),
    ];
    let reason = "is for one result; two are compared as the experiment of the first says";
    refuse(&unused, reason)?;
    arguments.numbers.refuse_for_result(results[0].1)?;
    let reason = "is for plain files; a result knows what its runs are; leave it out";
    refuse(&[("--independent", arguments.independent)], reason)?;
    let [a, b] = [open(results[0].1)?, open(results[1].1)?];
    let [of_a, of_b] = results.map(|(_, path)| path.display().to_string());
    let first = Half::of(results[0].0, &of_a, &input(&a)?);
    let second = Half::of(results[1].0, &of_b, &input(&b)?);
    compare_apart(first, second).map_err(Failure::from)
}
