//! Plain files of numbers, one for each variant.

use std::path::Path;

use perflab_compare::{
    Comparison, Group, Questions, Selection, Warning, add_calibration, plain_report, plain_subject,
};
use perflab_stats::Observation;

use super::arguments::CompareArguments;
use crate::failure::Failure;
use crate::numbers::refuse_iterations;
use crate::progress::counting;

/// LABEL=FILE, unless a file or directory of the whole name exists.
pub(super) fn labelled(text: &str) -> Option<(&str, &Path)> {
    let (label, file) = text.split_once('=')?;
    (!label.is_empty() && !Path::new(text).exists()).then_some((label, Path::new(file)))
}

/// Refuses a label without a file, as where a variable of a script is empty.
pub(super) fn refuse_unnamed(results: &[String]) -> Result<(), Failure> {
    let mut all = results.iter();
    match all.find(|text| labelled(text).is_some_and(|(_, file)| file.as_os_str().is_empty())) {
        None => Ok(()),
        Some(text) => Err(Failure::usage(format!(
            "the file name behind `{text}` is empty; write LABEL=FILE"
        ))),
    }
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
    questions: Questions,
) -> Result<Comparison, Failure> {
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
        let each = arguments.numbers.each(file, values.len())?.unwrap_or(1);
        if each == 1 && !arguments.independent {
            let advice = "Give --iterations N if each N in a row are of one process, --independent if each is a run";
            refuse_iterations(&values, &file.display().to_string(), advice)?;
        }
        let observations = values
            .iter()
            .enumerate()
            .map(|(index, value)| Observation {
                block: 1,
                unit: u32::try_from(index / each).unwrap_or(u32::MAX),
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
        margin,
        confidence: confidence.unwrap_or(0.95),
        questions,
        ..Selection::default()
    };
    let subject = plain_subject("plain files", &metric, groups.clone());
    let mut report = plain_report("plain files", &metric, groups, &selection)?;
    if let Some(reports) = arguments.calibrate {
        counting("calibrating", reports, |tick| {
            add_calibration(&mut report, &[subject], &selection, reports, tick)
        })?;
    }
    report.warnings.push(Warning::Remark(
        "nothing is known of the order of these runs: if they were not interleaved, whatever \
         changed meanwhile on the machine counts as a difference"
            .to_owned(),
    ));
    Ok(report)
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
