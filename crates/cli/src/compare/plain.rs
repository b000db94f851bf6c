//! Plain files of numbers, one for each variant.

use std::path::Path;

use perflab_report::{
    Claims, Group, Report, Selection, add_calibration, plain_report, plain_subject,
};
use perflab_stats::Observation;

use super::{CompareArguments, analysis_failure};
use crate::failure::Failure;
use crate::progress::counting;

/// LABEL=FILE, unless a file or directory of the whole name exists.
pub(super) fn labelled(text: &str) -> Option<(&str, &Path)> {
    let (label, file) = text.split_once('=')?;
    (!label.is_empty() && !Path::new(text).exists()).then_some((label, Path::new(file)))
}

/// The two results that are compared with each other, where LABEL=RESULT names them.
pub(super) fn labelled_results(results: &[String]) -> Result<Option<[(&str, &Path); 2]>, Failure> {
    let labelled: Vec<_> = results
        .iter()
        .filter_map(|result| labelled(result))
        .collect();
    if labelled.len() < results.len() || !labelled.iter().any(|(_, path)| path.is_dir()) {
        return Ok(None);
    }
    if let Some((_, file)) = labelled.iter().find(|(_, path)| !path.is_dir()) {
        return Err(Failure::usage(format!(
            "a result cannot be compared with a plain file: {} is no directory",
            file.display()
        )));
    }
    match labelled.as_slice() {
        [(a, _), (b, _)] if a == b => {
            Err(Failure::usage(format!("the label `{a}` is given twice")))
        }
        [a, b] => Ok(Some([*a, *b])),
        _ => Err(Failure::usage(format!(
            "two results can be compared with each other, not {}",
            labelled.len()
        ))),
    }
}

/// The report on files that are labelled on the command line.
pub(super) fn plain(
    arguments: &CompareArguments,
    margin: Option<f64>,
    confidence: Option<f64>,
    claims: Claims,
) -> Result<Report, Failure> {
    let mut groups: Vec<Group> = Vec::new();
    for (label, file) in arguments
        .results
        .iter()
        .filter_map(|result| labelled(result))
    {
        if groups.iter().any(|group| group.variant == label) {
            return Err(Failure::usage(format!(
                "the label `{label}` is given twice"
            )));
        }
        let values = arguments.numbers.read(file)?;
        let iterations = arguments.numbers.iterations.unwrap_or(1);
        if iterations == 1 && !arguments.independent {
            refuse_iterations(&values, file)?;
        }
        let observations = values
            .iter()
            .enumerate()
            .map(|(index, value)| Observation {
                block: 1,
                unit: u32::try_from(index).unwrap_or(u32::MAX) / iterations,
                value: *value,
            })
            .collect();
        groups.push(Group {
            variant: label.to_owned(),
            observations,
        });
    }
    let metric = arguments.numbers.metric();
    let selection = Selection {
        baseline: arguments.baseline.clone(),
        control: None,
        margin,
        confidence: confidence.unwrap_or(0.95),
        claims,
        anytime: false,
    };
    let subject = plain_subject("plain files", &metric, groups.clone());
    let mut report = plain_report("plain files", &metric, groups, &selection)
        .map_err(|error| analysis_failure(&error))?;
    if let Some(reports) = arguments.calibrate {
        counting("calibrating", reports, |tick| {
            add_calibration(&mut report, &[subject], &selection, reports, tick)
        })
        .map_err(|error| analysis_failure(&error))?;
    }
    report.warnings.push(
        "nothing is known of the order of these runs: if they were not interleaved, whatever \
         changed meanwhile on the machine counts as a difference"
            .to_owned(),
    );
    Ok(report)
}

/// Numbers that hang together from one to the next are iterations of few processes. Counted as
/// runs they would prove whatever one likes.
fn refuse_iterations(values: &[f64], file: &Path) -> Result<(), Failure> {
    if !perflab_stats::dependence::looks_dependent(values) {
        return Ok(());
    }
    Err(Failure::no_data(format!(
        "the {} numbers in {} hang together from one to the next, as iterations inside a process \
         or a machine that drifts do; counted one by one they would prove differences that are not \
         there. If each N in a row are one process, say --iterations N; if they are separate runs \
         all the same, say --independent",
        values.len(),
        file.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_from_paths() {
        assert_eq!(labelled("a=b.txt"), Some(("a", Path::new("b.txt"))));
        assert_eq!(labelled("=b.txt"), None);
        assert_eq!(labelled("results/x"), None);
    }
}
