//! The answer in a sentence: what is proven, of how many rows, and how much.

use perflab_compare::{Comparison, Outcome, Row, Sameness, Verdict};
use perflab_experiment::Better;
use perflab_report::{Sentence, answers};

use crate::common::{answer, metric, pooled, report, row, suite, wall, with_metric};

/// The one sentence about these rows.
#[track_caller]
fn sentence(rows: Vec<Row>, together: Vec<Row>) -> Sentence {
    let mut all = answers(&report("r", rows, together));
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

fn outcome(verdict: Verdict) -> Outcome {
    match verdict {
        Verdict::Better => Outcome::Better,
        Verdict::Worse => Outcome::Worse,
        Verdict::Differs => Outcome::Differs,
        Verdict::Same => Outcome::Same,
        Verdict::NotProven => Outcome::NotProven,
    }
}

fn new(benchmark: &str, difference: f64, verdict: Verdict) -> Row {
    row(benchmark, "new", 1000.0, difference, verdict)
}

#[test]
fn one_row() {
    let said = |difference, verdict| sentence(vec![new("GET", difference, verdict)], vec![]);
    for (difference, verdict, text) in [
        (
            0.05,
            Verdict::Better,
            "faster, the typical run by +5.0% [+4.4, +5.6]",
        ),
        (
            -0.05,
            Verdict::Worse,
            "slower, the typical run by -5.0% [-5.6, -4.4]",
        ),
        (
            0.001,
            Verdict::Same,
            "same within the margin, the typical run differs by +0.1% [-0.5, +0.7]",
        ),
        (
            0.001,
            Verdict::NotProven,
            "no difference of the typical run is proven (+0.1% [-0.5, +0.7]); minimum detectable effect: 0.8%",
        ),
    ] {
        let sentence = said(difference, verdict);
        assert_eq!(sentence.text, format!("new against redis, rps: {text}"));
        assert_eq!(sentence.outcome, outcome(verdict));
    }
}

#[test]
fn what_the_runs_would_have_shown_is_said_only_where_it_is_known() {
    let mut row = new("GET", 0.001, Verdict::NotProven);
    row.mde = None;
    let text = sentence(vec![row], vec![]).text;
    assert!(text.ends_with("is proven (+0.1% [-0.5, +0.7])"), "{text}");
}

#[test]
fn differences_that_are_absolute_have_the_unit() {
    let mut row = with_metric(new("", 0.002, Verdict::NotProven), wall());
    row.relative = false;
    row.typical = answer(0.002, 0.004, Verdict::NotProven);
    row.mde = Some(0.003);
    assert_eq!(
        sentence(vec![row], vec![]).text,
        "new against redis, wall: no difference of the typical run is proven (+2 ms [-2, +6]); \
         minimum detectable effect: 3.000 ms"
    );
}

#[test]
fn words_are_those_of_the_metric() {
    let of =
        |metric, verdict| sentence(vec![with_metric(new("", 0.05, verdict), metric)], vec![]).text;
    let memory = || metric("memory", "bytes", Better::Lower);
    assert!(of(memory(), Verdict::Worse).contains("memory: worse, "));
    assert!(of(memory(), Verdict::Better).contains("memory: better, "));
    assert!(of(wall(), Verdict::Worse).contains("wall: slower, "));
}

#[test]
fn several_rows_with_one_verdict() {
    let rows = |verdict, difference| {
        ["GET", "SET", "LPUSH"]
            .map(|benchmark| new(benchmark, difference, verdict))
            .to_vec()
    };
    for (verdict, difference, text) in [
        (
            Verdict::Better,
            0.05,
            "faster in all 3 (GET, SET, LPUSH: +5.0%)",
        ),
        (
            Verdict::Worse,
            -0.05,
            "slower in all 3 (GET, SET, LPUSH: -5.0%)",
        ),
        (Verdict::Same, 0.0, "same within the margin in all 3"),
        (Verdict::NotProven, 0.001, "not proven in all 3"),
    ] {
        let sentence = sentence(rows(verdict, difference), vec![]);
        assert_eq!(sentence.text, format!("new against redis, rps: {text}"));
        assert_eq!(sentence.outcome, outcome(verdict));
    }
}

/// A word that is about the margin is followed by no other one.
#[test]
fn several_rows_of_which_one_differs_by_less_than_the_margin() {
    let mut slower = new("a", -0.002, Verdict::Same);
    for answer in [&mut slower.typical, &mut slower.mean] {
        answer.same = Some(Sameness {
            p: 0.0,
            p_adjusted: Some(0.0),
            beside: Some(Verdict::Worse),
        });
    }
    let rows = vec![slower, new("b", 0.0, Verdict::Same)];
    assert_eq!(
        sentence(rows, vec![]).text,
        "new against redis, rps: slower, but by less than the margin in 1 of 2; same within the margin in 1 of 2"
    );
}

/// The worst comes first, and is the verdict.
#[test]
fn several_rows_with_every_verdict() {
    let rows = vec![
        new("a", 0.001, Verdict::NotProven),
        new("b", 0.0, Verdict::Same),
        new("c", 0.05, Verdict::Better),
        new("d", -0.031, Verdict::Worse),
        new("e", -0.129, Verdict::Worse),
    ];
    let sentence = sentence(rows, vec![]);
    assert_eq!(
        sentence.text,
        "new against redis, rps: slower in 2 of 5 (d, e: -3.1% to -12.9%); faster in 1 of 5 (c: +5.0%); \
         same within the margin in 1 of 5; not proven in 1 of 5"
    );
    assert_eq!(sentence.outcome, Outcome::Worse);
}

#[test]
fn the_verdict_of_several_is_the_worst_that_is_proven_then_the_best() {
    use Verdict::{Better, NotProven, Same, Worse};
    for (verdicts, expected) in [
        (vec![Same, Same], Same),
        (vec![Same, NotProven], NotProven),
        (vec![Same, NotProven, Better], Better),
        (vec![Better, Worse, Same], Worse),
    ] {
        let rows: Vec<Row> = ["a", "b", "c"]
            .iter()
            .zip(&verdicts)
            .map(|(benchmark, verdict)| new(benchmark, 0.05, *verdict))
            .collect();
        assert_eq!(
            sentence(rows, vec![]).outcome,
            outcome(expected),
            "{verdicts:?}"
        );
    }
}

#[test]
fn many_rows_are_counted() {
    let names = ["a", "b", "c", "d", "e", "f"];
    let rows = names
        .map(|benchmark| new(benchmark, 0.05, Verdict::Better))
        .to_vec();
    let text = sentence(rows, vec![]).text;
    assert!(
        text.ends_with("faster in all 6 (a, b, c and 3 more: +5.0%)"),
        "{text}"
    );
}

#[test]
fn rows_of_configurations_and_of_workloads_have_names() {
    let configuration = |clients: &str, workload: &str| {
        let mut row = new("", 0.05, Verdict::Better);
        row.key.benchmark = None;
        row.key.workload = workload.to_owned();
        if !clients.is_empty() {
            row.key
                .parameters
                .insert("clients".to_owned(), clients.to_owned());
        }
        row
    };
    let text = sentence(
        vec![configuration("1", "w"), configuration("50", "w")],
        vec![],
    )
    .text;
    assert!(text.contains("(clients=1, clients=50: "), "{text}");
    let text = sentence(
        vec![configuration("", "read"), configuration("", "write")],
        vec![],
    )
    .text;
    assert!(text.contains("(read, write: "), "{text}");
}

#[test]
fn parts_of_several_workloads_have_their_workload() {
    let of = |workload: &str, benchmark: &str, verdict| {
        let mut row = new(benchmark, 0.05, verdict);
        row.key.workload = workload.to_owned();
        row
    };
    let rows = vec![
        of("pipe1", "GET", Verdict::NotProven),
        of("pipe16", "GET", Verdict::Better),
        of("pipe16", "SET", Verdict::Better),
    ];
    let text = sentence(rows, vec![]).text;
    // Those that are named are of one, but the section is not.
    assert!(text.contains("(pipe16 GET, pipe16 SET: "), "{text}");
}

/// Benchmarks of another metric say nothing of what is brought together here.
#[test]
fn what_is_together_is_that_of_the_section() {
    let of_wall = |row| with_metric(row, wall());
    let configuration = || of_wall(new("", 0.05, Verdict::Better));
    let mut together = of_wall(pooled("new", 0.05, Verdict::Better));
    together.key.benchmark = Some("all 2 values of size".to_owned());
    let rows = vec![
        new("GET", 0.05, Verdict::Better),
        configuration(),
        configuration(),
    ];
    let all = answers(&report("r", rows, vec![together]));
    let text = &all[1].text;
    assert!(text.contains("; all 2 values of size together: "), "{text}");
}

#[test]
fn all_together() {
    let rows = || {
        vec![
            new("a", 0.05, Verdict::Better),
            new("b", 0.05, Verdict::Better),
        ]
    };
    let text = sentence(rows(), vec![pooled("new", 0.05, Verdict::Better)]).text;
    assert!(
        text.ends_with("; all 3 together: faster, +5.0% [+4.7, +5.3]"),
        "{text}"
    );
    let text = sentence(rows(), vec![pooled("new", 0.001, Verdict::NotProven)]).text;
    let shown = "; all 3 together: not proven, +0.1% [-0.2, +0.4]; minimum detectable effect: 0.3%";
    assert!(text.ends_with(shown), "{text}");
    // There is nothing to bring together of one row.
    let text = sentence(
        vec![new("a", 0.05, Verdict::Better)],
        vec![pooled("new", 0.05, Verdict::Better)],
    )
    .text;
    assert!(!text.contains("together"), "{text}");
}

/// A difference in percent and one in seconds are not to be seen as a range.
#[test]
fn relative_and_absolute_differences_are_not_mixed() {
    let mut absolute = new("a", 0.0, Verdict::Better);
    absolute.relative = false;
    absolute.typical = answer(700.0, 1.0, Verdict::Better);
    let rows = vec![
        absolute,
        new("b", 0.05, Verdict::Better),
        new("c", 0.06, Verdict::Better),
    ];
    let text = sentence(rows, vec![]).text;
    assert!(
        text.ends_with("faster in all 3 (a, b, c: +5.0% to +6.0%)"),
        "{text}"
    );
}

#[test]
fn a_sentence_for_each_metric_and_candidate_but_the_control() {
    let all = answers(&suite());
    let [one] = all.as_slice() else {
        panic!("{all:?}")
    };
    assert!(
        one.text
            .starts_with("redis-aof against redis, rps: slower in 2 of 3"),
        "{}",
        one.text
    );
    let mut two = suite();
    let other = with_metric(new("", 0.05, Verdict::Better), wall());
    two.rows.push(Row {
        variant: "redis-aof".into(),
        ..other.clone()
    });
    two.rows.push(other);
    let texts: Vec<String> = answers(&two)
        .into_iter()
        .map(|sentence| sentence.text)
        .collect();
    let starts: Vec<&str> = texts
        .iter()
        .filter_map(|text| text.split(": ").next())
        .collect();
    assert_eq!(
        starts,
        [
            "redis-aof against redis, rps",
            "redis-aof against redis, wall",
            "new against redis, wall"
        ]
    );
}

#[test]
fn nothing_to_say() {
    assert_eq!(answers(&report("r", vec![], vec![])), []);
    let only_control = Comparison {
        control: Some("new".into()),
        ..report("r", vec![new("a", 0.05, Verdict::Better)], vec![])
    };
    assert_eq!(answers(&only_control), []);
}

#[test]
fn numbers_that_are_none_do_not_panic() {
    for value in [f64::NAN, f64::INFINITY, -f64::INFINITY, 0.0, f64::MAX] {
        for verdict in [
            Verdict::Better,
            Verdict::Worse,
            Verdict::Same,
            Verdict::NotProven,
        ] {
            let mut rows = vec![new("a", value, verdict), new("b", 0.05, verdict)];
            rows[0].mde = Some(value);
            rows[0].typical.low = None;
            assert!(
                !sentence(rows.clone(), vec![pooled("new", value, verdict)])
                    .text
                    .is_empty()
            );
            rows.truncate(1);
            assert!(!sentence(rows, vec![]).text.is_empty());
        }
    }
}
