//! Flaky tests: against the sum over all ways to cut a history (`vectors/flaky.py`), and what is said of plain cases.

use proptest::prelude::*;
use serde_json::Value;

use super::support::number;
use crate::Error;
use crate::flaky::{Judgement, Level, Posterior, Since, Trials, Verdict, judge};

fn history(value: &Value) -> Vec<Trials> {
    let pairs = value.as_array().expect("a list");
    let trials = |pair: &Value| Trials {
        passed: number(&pair[0]) as u32,
        failed: number(&pair[1]) as u32,
    };
    pairs.iter().map(trials).collect()
}

/// One run at each revision: `P`, `F`, or none.
fn word(letters: &str) -> Vec<Trials> {
    let trials = letters.chars().map(|letter| Trials {
        passed: u32::from(letter == 'P'),
        failed: u32::from(letter == 'F'),
    });
    trials.collect()
}

fn of(letters: &str) -> Judgement {
    judge(&word(letters), 0.95).expect("it has runs")
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
}

#[test]
fn all_ways_to_cut_a_history_give_the_same() {
    let all: Value = serde_json::from_str(include_str!("../../tests/vectors/flaky.json"))
        .expect("the file is JSON");
    let cases = all.as_array().expect("a list");
    assert!(cases.len() >= 35);
    for case in cases {
        let history = history(&case["history"]);
        let found = judge(&history, 0.95).expect("it has runs");
        near(found.passes, number(&case["passes"]));
        near(found.fails, number(&case["fails"]));
        near(found.flaky, number(&case["flaky"]));
        near(found.rate, number(&case["rate"]));
        let since = Posterior::since(&history);
        for (name, since) in ["passes", "fails", "flaky"].into_iter().zip(since) {
            for (found, expected) in since
                .iter()
                .zip(super::support::numbers(&case["since"][name]))
            {
                near(*found, expected);
            }
        }
    }
}

#[test]
fn both_outcomes_of_one_revision_prove_it() {
    let mut runs = word("PPPPPPPP");
    runs[4].failed = 1;
    let found = judge(&runs, 0.95).expect("it has runs");
    assert_eq!(found.mixed, [4]);
    assert!(matches!(found.verdict, Verdict::Flaky(_)), "{found:?}");
    // In the only revision there is, whatever was asked for.
    let once = judge(
        &[Trials {
            passed: 1,
            failed: 1,
        }],
        0.999_999,
    )
    .expect("it has runs");
    near(once.flaky, 1.0);
    // Long ago, it is no longer known.
    let later = [runs.as_slice(), &word(&"P".repeat(200))].concat();
    let later = judge(&later, 0.95).expect("it has runs");
    assert_eq!(
        (later.mixed.as_slice(), later.verdict),
        ([4].as_slice(), Verdict::Steady(Level::Passes))
    );
    assert!(later.flaky < 0.8);
}

#[test]
fn a_break_is_told_from_a_flaky_test() {
    let passes = "P".repeat(30);
    assert_eq!(of(&passes).verdict, Verdict::Steady(Level::Passes));
    assert_eq!(of(&"F".repeat(5)).verdict, Verdict::Steady(Level::Fails));
    // The first failure may be either.
    let once = of(&format!("{passes}F"));
    assert_eq!(once.verdict, Verdict::NotProven);
    assert!(once.fails > 0.1 && once.flaky > 0.4);
    let exactly = Since {
        likeliest: 30,
        range: (30, 30),
    };
    let is_there = |verdict| matches!(verdict, Verdict::Broken(since) | Verdict::Fixed(since) if since.likeliest == 30);
    assert!(is_there(of(&format!("{passes}FF")).verdict));
    assert!(is_there(of(&format!("{}PP", "F".repeat(30))).verdict));
    assert_eq!(
        of(&format!("{passes}FFFF")).verdict,
        Verdict::Broken(exactly)
    );
    // Runs of that revision say as much as other revisions.
    let mut again = word(&format!("{passes}F"));
    again[30].failed = 2;
    assert!(is_there(judge(&again, 0.95).expect("it has runs").verdict));
    // A test that is flaky for all one knows is not steady, though its last runs are alike.
    let quiet = of(&format!("PFPPFPPFPPFP{}", "P".repeat(12)));
    assert_eq!(quiet.verdict, Verdict::NotProven);
    assert!(quiet.flaky > 0.5 && quiet.flaky < 0.95, "{quiet:?}");
    // Failures now and then.
    let now_and_then = format!("{passes}FPPPPPPPPPFPPPPP");
    assert!(matches!(of(&now_and_then).verdict, Verdict::Flaky(since) if since.likeliest == 0));
    assert!(
        matches!(of(&format!("{passes}PFPPFPFPPF")).verdict, Verdict::Flaky(since) if since.likeliest > 20)
    );
}

#[test]
fn revisions_without_runs_widen_the_place() {
    let found = of(&format!("{}...FFFF", "P".repeat(20)));
    let Verdict::Broken(since) = found.verdict else {
        panic!("{found:?}");
    };
    assert_eq!(since.range, (20, 23));
}

#[test]
fn what_has_no_answer_is_refused() {
    assert!(matches!(judge(&[], 0.95), Err(Error::TooFew { .. })));
    assert!(matches!(
        judge(&word("..."), 0.95),
        Err(Error::TooFew { .. })
    ));
    for confidence in [0.0, 1.0, f64::NAN] {
        assert!(judge(&word("P"), confidence).is_err());
    }
}

#[test]
fn many_runs_and_revisions_stay_finite() {
    let most = u32::MAX;
    for trials in [
        Trials {
            passed: most,
            failed: most,
        },
        Trials {
            passed: most,
            failed: 1,
        },
        Trials {
            passed: 0,
            failed: most,
        },
    ] {
        let found = judge(&vec![trials; 3000], 0.95).expect("it has runs");
        near(found.passes + found.fails + found.flaky, 1.0);
    }
    let ends = [
        Trials {
            passed: most,
            failed: 0,
        },
        Trials {
            passed: 0,
            failed: most,
        },
    ];
    let found = judge(&ends, 0.95).expect("it has runs");
    assert_eq!(
        found.verdict,
        Verdict::Broken(Since {
            likeliest: 1,
            range: (1, 1)
        })
    );
}

proptest! {
    #[test]
    fn passing_and_failing_are_alike(counts in prop::collection::vec((0..4_u32, 0..4_u32), 1..20)) {
        prop_assume!(counts.iter().any(|(passed, failed)| passed + failed > 0));
        let runs: Vec<Trials> = counts.iter().map(|(passed, failed)| Trials { passed: *passed, failed: *failed }).collect();
        let turned: Vec<Trials> = counts.iter().map(|(passed, failed)| Trials { passed: *failed, failed: *passed }).collect();
        let (found, turned) = (judge(&runs, 0.9).unwrap(), judge(&turned, 0.9).unwrap());
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        prop_assert!(close(found.passes, turned.fails) && close(found.fails, turned.passes));
        prop_assert!(close(found.rate, 1.0 - turned.rate) && close(found.flaky, turned.flaky));
        prop_assert!(close(found.passes + found.fails + found.flaky, 1.0));
        match (found.verdict, turned.verdict) {
            (Verdict::Broken(a), Verdict::Fixed(b)) | (Verdict::Fixed(a), Verdict::Broken(b)) | (Verdict::Flaky(a), Verdict::Flaky(b)) => {
                prop_assert_eq!(a, b);
            }
            (Verdict::Steady(a), Verdict::Steady(b)) => prop_assert_ne!(a, b),
            (a, b) => prop_assert_eq!(a, b),
        }
    }
}
