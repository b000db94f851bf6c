//! What a report says where some runs are in a slow mode.

use indexmap::IndexMap;
use perflab_compare::{
    Comparison, Design, Group, RowWarning, Selection, Steps, Subject, SubjectKey, analyse,
};
use perflab_experiment::{Better, Metric};
use perflab_stats::Observation;

/// Ten blocks of 3 + 3 runs, of which the candidate's are slow in each third block.
fn reported(anytime: bool) -> Comparison {
    let group = |variant: &str, is_slow: fn(u32) -> bool| Group {
        variant: variant.to_owned(),
        observations: (0..30)
            .map(|run| Observation {
                block: run / 3,
                unit: run,
                value: if is_slow(run) { 15.0 } else { 10.0 } + 0.01 * f64::from(run * 7 % 30),
            })
            .collect(),
    };
    let subject = Subject {
        key: SubjectKey {
            workload: "w".to_owned(),
            parameters: IndexMap::new(),
            benchmark: None,
            metric: Metric {
                name: "wall".to_owned(),
                unit: "s".to_owned(),
                better: Better::Lower,
            },
            observed: false,
        },
        steps: Steps::Known(None),
        groups: vec![group("old", |_| false), group("new", |run| run % 9 == 0)],
    };
    let design = Design {
        blocks: 10,
        planned: 60,
        recorded: 60,
        failed: IndexMap::new(),
        seed: Some(1),
        randomised: true,
        until_decided: None,
        undecided: Vec::new(),
        ..Design::default()
    };
    let selection = Selection {
        baseline: Some("old".to_owned()),
        anytime,
        ..Selection::default()
    };
    analyse("slow", None, &[subject], design, &selection).unwrap()
}

#[test]
fn only_an_interval_that_is_stated_is_warned_of() {
    let fixed = &reported(false).rows[0];
    assert_eq!(fixed.slow.as_ref().unwrap().candidate, 4);
    assert!(fixed.mean.low.is_some());
    assert!(
        fixed
            .warnings
            .contains(&RowWarning::SlowMode { has_mean: true })
    );
    let decided = &reported(true).rows[0];
    assert_eq!((decided.mean.low, decided.mean.high), (None, None));
    assert_eq!(decided.warnings, [RowWarning::SlowMode { has_mean: false }]);
}
