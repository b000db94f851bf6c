//! Whatever a report holds, every rendering of it succeeds and keeps its promises.

use indexmap::IndexMap;
use perflab_compare::{
    Answer, Comparison, Design, Drift, Latency, MainMode, Row, RowWarning, Sameness, Side, Slices,
    Slow, SubjectKey, Trend, UntilDecided, Verdict, Warning, settle_drift,
};
use perflab_experiment::{Better, Metric};
use perflab_report::{TextOptions, csv, detail, drift_markdown, drift_text, json, markdown, text};
use perflab_stats::steps::Rounding;
use perflab_store::StopReason;
use proptest::prelude::*;

/// Boxed, as are all large strategies here: their value trees would not fit on the stack of a test.
fn number() -> BoxedStrategy<f64> {
    prop_oneof![
        4 => -1e6..1e6,
        2 => -1.0..1.0,
        1 => any::<f64>(),
        1 => prop::sample::select(vec![
            0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 5e-324,
        ]),
    ]
    .boxed()
}

fn name() -> BoxedStrategy<String> {
    prop_oneof![
        3 => "[a-c]{0,3}",
        1 => any::<String>(),
        1 => prop::collection::vec(any::<char>(), 0..60).prop_map(String::from_iter),
    ]
    .boxed()
}

fn unit() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec!["s", "ms", "us", "µs", "ns", "bytes", "B/s", "1/s", ""])
            .prop_map(str::to_owned),
        name(),
    ]
}

fn count() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 0_usize..40, 1 => any::<usize>()]
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop::sample::select(vec![
        Verdict::Better,
        Verdict::Worse,
        Verdict::Same,
        Verdict::NotProven,
    ])
}

prop_compose! {
    fn side()(
        n in count(),
        figures in [number(), number(), number(), number()],
        sd in prop::option::of(number()),
        ends in [prop::option::of(number()), prop::option::of(number())],
        values in prop::collection::vec(number(), 0..12),
        agrees in any::<bool>(),
    ) -> Side {
        let [min, median, mean, max] = figures;
        let [mean_low, mean_high] = ends;
        Side { n: if agrees { values.len() } else { n }, min, median, mean, max, sd, mean_low, mean_high, values }
    }
}

prop_compose! {
    fn sameness()(
        p in number(),
        p_adjusted in prop::option::of(number()),
        beside in prop::option::of(verdict()),
    ) -> Sameness {
        Sameness { p, p_adjusted, beside }
    }
}

prop_compose! {
    fn answer()(
        difference in number(),
        ends in [prop::option::of(number()), prop::option::of(number())],
        p in number(),
        p_adjusted in prop::option::of(number()),
        same in prop::option::of(sameness().boxed()),
        verdict in verdict(),
    ) -> Answer {
        let [low, high] = ends;
        Answer { difference, low, high, p, p_adjusted, same, verdict }
    }
}

prop_compose! {
    fn main_mode()(
        difference in number(),
        ends in [prop::option::of(number()), prop::option::of(number())],
    ) -> MainMode {
        let [low, high] = ends;
        MainMode { difference, low, high }
    }
}

prop_compose! {
    fn slow()(
        counts in [count(), count()],
        figures in [number(), number(), number(), number()],
        p_adjusted in prop::option::of(number()),
        verdict in verdict(),
        main in prop::option::of(main_mode().boxed()),
    ) -> Slow {
        let [difference, low, high, p] = figures;
        Slow { base: counts[0], candidate: counts[1], difference, low, high, p, p_adjusted, verdict, main }
    }
}

prop_compose! {
    fn trend()(
        points in prop::collection::vec((any::<u32>(), number()), 0..12),
        figures in [number(), number(), number()],
        options in prop::collection::vec(prop::option::of(number()), 4),
    ) -> Trend {
        let (blocks, medians) = points.into_iter().unzip();
        let [start, end, change] = figures;
        let (low, high, p, p_adjusted) = (options[0], options[1], options[2], options[3]);
        Trend { blocks, medians, start, end, change, low, high, p, p_adjusted }
    }
}

prop_compose! {
    fn drift()(trends in [trend().boxed(), trend().boxed(), trend().boxed()]) -> Drift {
        let [base, candidate, difference] = trends;
        Drift { base, candidate, difference }
    }
}

prop_compose! {
    fn latency()(
        name in prop_oneof![Just("latency_p99".to_owned()), name()],
        unit in unit().boxed(),
        quantile in prop::option::of(number()),
        sides in [side().boxed(), side().boxed()],
        relative in any::<bool>(),
        difference in number(),
        ends in [prop::option::of(number()), prop::option::of(number())],
        step in prop::option::of(number()),
    ) -> Latency {
        let [base, candidate] = sides;
        let [low, high] = ends;
        let metric = Metric { name, unit, better: Better::Lower };
        Latency { metric, quantile, base, candidate, relative, difference, low, high, step }
    }
}

prop_compose! {
    fn row()(
        names in [name(), name(), name()],
        unit in unit().boxed(),
        higher in any::<bool>(),
        parameters in prop::collection::vec((name(), name()), 0..3),
        benchmark in prop::option::of(name()),
        sides in [side().boxed(), side().boxed()],
        answers in [answer().boxed(), answer().boxed()],
        relative in any::<bool>(),
        slow in prop::option::of(slow().boxed()),
        mde in prop::option::of(number()),
        (drift, latencies) in (
            prop::option::of(drift().boxed()),
            prop::collection::vec(latency().boxed(), 0..3),
        ),
        (warnings, is_cause_unknown) in (prop::collection::vec(name(), 0..3), any::<bool>()),
    ) -> Row {
        let [workload, metric, variant] = names;
        let [base, candidate] = sides;
        let [typical, mean] = answers;
        let better = if higher { Better::Higher } else { Better::Lower };
        Row {
            key: SubjectKey {
                workload,
                parameters: parameters.into_iter().collect(),
                benchmark,
                metric: Metric { name: metric, unit, better },
                observed: false,
},
            variant,
            base,
            candidate,
            relative,
            typical,
            mean,
            slow,
            mde,
            deciles: Vec::new(),
            levels: Vec::new(),
            limits: None,
            drift,
            latencies,
            is_cause_unknown,
            grids: [None; 2],
            rounding: Rounding::default(),
            warnings: warnings.into_iter().map(RowWarning::Remark).collect(),
        }
    }
}

prop_compose! {
    fn until_decided()(
        counts in [any::<u32>(), any::<u32>()],
        stopped in prop::option::of(prop::sample::select(vec![
            StopReason::Decided, StopReason::Runs, StopReason::Budget,
        ])),
    ) -> UntilDecided {
        UntilDecided { blocks: counts[0], most: counts[1], stopped }
    }
}

prop_compose! {
    fn design()(
        blocks in any::<u32>(),
        counts in [count(), count()],
        failed in prop::collection::vec((name(), count()), 0..3),
        seed in prop::option::of(any::<u64>()),
        randomised in any::<bool>(),
        until_decided in prop::option::of(until_decided().boxed()),
        undecided in prop::collection::vec(name(), 0..2),
        turn_s in prop::option::of(any::<f64>()),
        slices in prop::option::of(any::<(u32, u32, bool)>()),
    ) -> Design {
        let failed: IndexMap<String, usize> = failed.into_iter().collect();
        let slices = slices.map(|(least, most, together)| Slices { least, most, together });
        Design { blocks, planned: counts[0], recorded: counts[1], failed, seed, randomised, until_decided, undecided, turn_s, slices }
    }
}

prop_compose! {
    fn report()(
        names in [name(), name()],
        question in prop::option::of(name()),
        control in prop::option::of(name()),
        confidence in number(),
        margin in prop::option::of(number()),
        design in design().boxed(),
        rows in prop::collection::vec(row().boxed(), 0..6),
        pooled in prop::collection::vec(row().boxed(), 0..3),
        tests in count(),
        warnings in prop::collection::vec(name(), 0..3),
    ) -> Comparison {
        let [name, baseline] = names;
        Comparison {
            name, question, baseline, control, confidence, margin, design, rows, pooled, observation: Vec::new(), tests, calibration: None, directory: None,
            warnings: warnings.into_iter().map(Warning::Remark).collect(),
        }
    }
}

fn has_control(output: &str) -> bool {
    output
        .chars()
        .any(|character| character.is_control() && character != '\n')
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn text_is_free_of_control_characters(report in report().boxed(), width in 0_usize..200, ascii in any::<bool>()) {
        let options = TextOptions { width, colour: false, ascii };
        let mut output = text(&report, &options);
        for row in &report.rows {
            output += &detail(row, &report, &options);
        }
        output += &drift_text(&report, &options);
        prop_assert!(!has_control(&output), "{output:?}");
        prop_assert!(!ascii || output.is_ascii(), "{output:?}");
    }

    #[test]
    fn colours_change_nothing_else(report in report().boxed(), width in 0_usize..200) {
        let plain = text(&report, &TextOptions { width, colour: false, ascii: false });
        let colour = text(&report, &TextOptions { width, colour: true, ascii: false });
        let mut stripped = colour;
        for code in ["\u{1b}[0m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m"] {
            stripped = stripped.replace(code, "");
        }
        prop_assert_eq!(stripped, plain);
    }

    #[test]
    fn csv_has_a_line_for_each_row_and_the_same_fields_in_each(report in report().boxed()) {
        let output = csv(&report);
        prop_assert!(!has_control(&output));
        prop_assert_eq!(output.lines().count(), 1 + report.rows.len() + report.pooled.len());
        let mut reader = csv::Reader::from_reader(output.as_bytes());
        for record in reader.records() {
            prop_assert!(record.is_ok());
        }
    }

    #[test]
    fn markdown_tables_have_as_many_cells_in_each_line(report in report().boxed()) {
        let mut report = report;
        settle_drift(&mut report);
        let output = markdown(&report) + &drift_markdown(&report);
        prop_assert!(!has_control(&output));
        let cells = |line: &str| line.replace("\\\\", "").replace("\\|", "").matches('|').count();
        let lines: Vec<&str> = output.lines().collect();
        for pair in lines.windows(2).filter(|pair| pair.iter().all(|line| line.starts_with("| "))) {
            prop_assert_eq!(cells(pair[0]), cells(pair[1]), "{:?}", pair);
        }
    }

    #[test]
    fn json_is_well_formed(report in report().boxed()) {
        let parsed: Result<serde_json::Value, _> = serde_json::from_str(&json(&report));
        prop_assert!(parsed.is_ok());
    }
}
