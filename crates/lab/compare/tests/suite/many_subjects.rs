//! Many subjects are compared on all processors: the rows are those of each subject alone, in their order.

use indexmap::IndexMap;
use perflab_compare::{
    AnalysisError, Comparison, Design, Group, Row, Selection, Steps, Subject, SubjectKey, analyse,
};
use perflab_experiment::{Better, Metric};
use perflab_stats::Observation;

/// One in which the candidate is larger by a hundredth for each subject before it.
fn subject(index: u32) -> Subject {
    let observations = |factor: f64| {
        let each = |run: u32| Observation {
            block: 1 + run / 2,
            unit: run,
            value: factor * (100.0 + f64::from((run * 7 + index) % 11)),
        };
        (0..20).map(each).collect()
    };
    let group = |variant: &str, factor| Group {
        variant: variant.to_owned(),
        observations: observations(factor),
    };
    Subject {
        key: SubjectKey {
            workload: "w".to_owned(),
            parameters: IndexMap::new(),
            benchmark: None,
            metric: Metric {
                name: format!("metric {index}"),
                unit: "ms".to_owned(),
                better: Better::Lower,
            },
            observed: false,
        },
        steps: Steps::Known(None),
        groups: vec![
            group("old", 1.0),
            group("new", 1.0 + f64::from(index) / 100.0),
        ],
    }
}

fn report(subjects: &[Subject]) -> Result<Comparison, AnalysisError> {
    let design = Design {
        blocks: 10,
        planned: 40,
        recorded: 40,
        failed: IndexMap::new(),
        seed: Some(1),
        randomised: true,
        until_decided: None,
        undecided: Vec::new(),
        ..Design::default()
    };
    analyse("many", None, subjects, design, &Selection::default())
}

/// Without what is shared among all tests.
fn alone(mut row: Row) -> Row {
    for answer in [&mut row.typical, &mut row.mean] {
        answer.p_adjusted = None;
        answer.verdict = perflab_compare::Verdict::NotProven;
    }
    row.mde = None;
    row
}

#[test]
fn rows_are_those_of_each_subject_alone() {
    let subjects: Vec<Subject> = (0..101).map(subject).collect();
    let all = report(&subjects).unwrap().rows;
    assert_eq!(all.len(), subjects.len());
    for (row, subject) in all.into_iter().zip(&subjects) {
        let own = report(std::slice::from_ref(subject))
            .unwrap()
            .rows
            .remove(0);
        assert_eq!(alone(row), alone(own));
    }
}

#[test]
fn of_several_faults_the_first_is_told() {
    let mut subjects: Vec<Subject> = (0..100).map(subject).collect();
    for index in [97, 60, 40, 33] {
        subjects[index].groups[1].observations[3].value = f64::NAN;
    }
    let error = report(&subjects).unwrap_err().to_string();
    assert!(error.starts_with("metric 33 of new"), "{error}");
}
