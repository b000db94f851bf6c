//! Every form of a report says the same of it.

use indexmap::IndexMap;
use perflab_compare::{
    Comparison, Design, Group, Outcome, Questions, Row, Selection, Steps, Subject, SubjectKey,
    Verdict, analyse,
};
use perflab_experiment::{Better, Metric};
use perflab_report::{TextOptions, answers, csv, headline, markdown, text};
use perflab_stats::Observation;
use proptest::prelude::*;

/// Runs around a level, of which some are slow.
fn runs(level: f64, sd: f64, slow: usize, noise: &[f64]) -> Vec<Observation> {
    let observe = |(run, noise): (usize, &f64)| Observation {
        block: (run / 3) as u32,
        unit: run as u32,
        value: level * (1.0 + sd * noise) * if run % 10 < slow { 1.5 } else { 1.0 },
    };
    noise.iter().enumerate().map(observe).collect()
}

prop_compose! {
    fn subject()(
        level in prop::sample::select(vec![0.9, 0.99, 1.0, 1.0, 1.01, 1.1]),
        slow in prop::sample::select(vec![0_usize, 0, 2, 4]),
        sd in prop::sample::select(vec![0.001, 0.01]),
        base in prop::collection::vec(-1.0..1.0_f64, 18),
        candidate in prop::collection::vec(-1.0..1.0_f64, 18),
    ) -> [Vec<Observation>; 2] {
        [runs(1.0, sd, 0, &base), runs(level, sd, slow, &candidate)]
    }
}

fn analysed(
    subjects: Vec<[Vec<Observation>; 2]>,
    margin: Option<f64>,
    questions: Questions,
) -> Comparison {
    let subjects: Vec<Subject> = subjects
        .into_iter()
        .enumerate()
        .map(|(index, [base, candidate])| Subject {
            key: SubjectKey {
                workload: "w".to_owned(),
                parameters: IndexMap::new(),
                benchmark: Some(format!("benchmark{index}")),
                metric: Metric {
                    name: "wall".to_owned(),
                    unit: "s".to_owned(),
                    better: Better::Lower,
                },
                observed: false,
            },
            steps: Steps::Known(None),
            groups: vec![
                Group {
                    variant: "old".to_owned(),
                    observations: base,
                },
                Group {
                    variant: "new".to_owned(),
                    observations: candidate,
                },
            ],
        })
        .collect();
    let selection = Selection {
        baseline: Some("old".to_owned()),
        control: None,
        margin,
        confidence: 0.95,
        questions,
        anytime: false,
        in_turns: false,
    };
    let design = Design {
        blocks: 6,
        planned: 36,
        recorded: 36,
        failed: IndexMap::new(),
        seed: Some(1),
        randomised: true,
        until_decided: None,
        undecided: Vec::new(),
        ..Design::default()
    };
    analyse("random", None, &subjects, design, &selection).unwrap()
}

/// Words of a verdict that no other has.
fn said(text: &str, outcome: Outcome) -> bool {
    // Beside another verdict, a difference within the margin counts as none.
    let proven = ["faster", "slower"]
        .iter()
        .fold(text.to_owned(), |text, word| {
            text.replace(&format!("{word}, but by less than the margin"), "")
        });
    let has = |words: [&str; 2]| words.iter().any(|word| proven.contains(word));
    let (faster, slower) = (has(["faster", "fewer slow"]), has(["slower", "more slow"]));
    match outcome {
        Outcome::Mixed => faster && slower,
        Outcome::Worse => slower && !faster,
        Outcome::Better => faster && !slower,
        Outcome::Differs => proven.contains("differs"),
        Outcome::Same => text.contains("same") || text.contains("by less than the margin"),
        Outcome::NotProven => {
            let within = text.contains("by less than the margin");
            within || (!faster && !slower)
        }
    }
}

fn verdicts(row: &Row) -> Vec<Verdict> {
    let asked = [&row.typical, &row.mean].into_iter();
    let slow = row.slow.as_ref().map(|slow| slow.verdict);
    asked
        .filter(|answer| answer.p_adjusted.is_some())
        .map(|answer| answer.verdict)
        .chain(slow.filter(|verdict| *verdict != Verdict::NotProven))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn headline_answer_table_and_figures_agree(
        subjects in prop::collection::vec(subject(), 1..4),
        margin in prop::sample::select(vec![None, Some(0.02), Some(0.3)]),
        typical in any::<bool>(),
        mean in any::<bool>(),
    ) {
        let questions = Questions { typical: typical || !mean, mean };
        let report = analysed(subjects, margin, questions);
        let all: Vec<&Row> = report.rows.iter().chain(&report.pooled).collect();
        let table = text(&report, &TextOptions::default());
        let lines = csv(&report);
        for row in &all {
            let outcome = row.outcome();
            prop_assert!(said(&headline(row), outcome), "{}: {outcome:?}", headline(row));
            prop_assert!(table.contains(&headline(row)), "{}: {table}", headline(row));
            prop_assert!(markdown(&report).contains(&headline(row)));
            prop_assert!(lines.contains(&headline(row)));
            let verdicts = verdicts(row);
            prop_assert_eq!(outcome.is_regression(), verdicts.contains(&Verdict::Worse));
            let all_same = verdicts.iter().all(|verdict| *verdict == Verdict::Same);
            prop_assert_eq!(outcome == Outcome::Same, all_same);
            for answer in [&row.typical, &row.mean] {
                if let (Verdict::Same, Some(margin)) = (answer.verdict, report.margin) {
                    let (low, high) = (answer.low.unwrap(), answer.high.unwrap());
                    prop_assert!(low >= 1.0 / (1.0 + margin) - 1.0 - 1e-9 && high <= margin + 1e-9, "{answer:?}");
                }
            }
        }
        let told = answers(&report);
        prop_assert_eq!(told.len(), 1);
        let regression = all.iter().any(|row| row.outcome().is_regression());
        prop_assert_eq!(told[0].outcome.is_regression(), regression);
        let says_so = ["slower", "more slow"].iter().any(|word| told[0].text.contains(word));
        prop_assert!(!regression || says_so, "{}", told[0].text);
        let better = all.iter().any(|row| row.outcome() == Outcome::Better);
        prop_assert_eq!(told[0].outcome == Outcome::Better, better && !regression);
        prop_assert_eq!(told[0].outcome == Outcome::Same, all.iter().all(|row| row.outcome() == Outcome::Same));
    }
}
