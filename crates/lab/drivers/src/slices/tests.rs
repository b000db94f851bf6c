use std::collections::HashMap;

use super::*;
use crate::choice::tool;
use crate::command_lines::args;
use crate::driver::Driver;
use crate::error::ReadError;
use crate::output::Output;
use perflab_experiment::Better;

fn tool_of(name: &str) -> &'static dyn Driver {
    tool(name).unwrap()
}

/// A driver that combines as a test says. `hits` are a part of the work.
#[derive(Debug)]
struct Ruled {
    rules: HashMap<&'static str, Combine>,
    knows_its_tool: bool,
}

impl Driver for Ruled {
    fn name(&self) -> &'static str {
        "ruled"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        args.to_vec()
    }

    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }

    fn read(&self, _: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        Ok(Vec::new())
    }

    fn combine(&self, metric: &str) -> Option<Combine> {
        self.rules.get(metric).copied()
    }

    fn knows_its_tool(&self) -> bool {
        self.knows_its_tool
    }

    fn is_of_part(&self, metric: &str) -> bool {
        self.knows_its_tool && metric == "hits"
    }
}

fn tool_with(rules: &[(&'static str, Combine)]) -> Ruled {
    Ruled {
        rules: rules.iter().copied().collect(),
        knows_its_tool: true,
    }
}

fn user_with(rules: &[(&'static str, Combine)]) -> Ruled {
    Ruled {
        knows_its_tool: false,
        ..tool_with(rules)
    }
}

fn slice(values: &[(&str, f64)]) -> Vec<Sample> {
    let sample = |&(name, value): &(&str, f64)| Sample {
        benchmark: Some("GET".to_owned()),
        metric: Metric::new(name, "", Better::Higher).into(),
        value,
        step: None,
    };
    values.iter().map(sample).collect()
}

#[test]
fn each_rule_combines_in_its_own_way() {
    let slices = [
        slice(&[("a", 2.0), ("dropped", 1.0)]),
        slice(&[("a", 6.0), ("dropped", 1.0)]),
    ];
    for (rule, alike, expected) in [
        // 1 of work takes 1/2 and 1/6: 2 take 2/3.
        (Combine::Rate, Alike::Work, 3.0),
        (Combine::Rate, Alike::Time, 4.0),
        (Combine::Mean, Alike::Work, 4.0),
        (Combine::Sum, Alike::Work, 8.0),
        (Combine::Max, Alike::Work, 6.0),
        (Combine::Min, Alike::Work, 2.0),
    ] {
        let samples = combined(&slices, alike, &tool_with(&[("a", rule)])).unwrap();
        assert_eq!(samples.len(), 1);
        assert!((samples[0].value - expected).abs() < 1e-12);
        assert_eq!(samples[0].benchmark.as_deref(), Some("GET"));
    }
}

#[test]
fn rates_below_0_have_no_combination() {
    let slices = [slice(&[("a", 10.0)]), slice(&[("a", -10.000_000_1)])];
    let driver = user_with(&[("a", Combine::Rate)]);
    let error = combined(&slices, Alike::Work, &driver).unwrap_err();
    assert!(
        error.contains("none below 0") && error.contains("`combine`"),
        "{error}"
    );
    let driver = user_with(&[("a", Combine::Mean)]);
    assert!(combined(&slices, Alike::Work, &driver).is_ok());
}

#[test]
fn a_median_passes_over_what_interrupts_few_slices() {
    let driver = user_with(&[("a", Combine::Median)]);
    for (values, expected) in [
        (&[5.0, 1.0, 90.0][..], 5.0),
        (&[90.0, 4.0, 1.0, 6.0], 5.0),
        (&[7.0], 7.0),
    ] {
        let slices: Vec<_> = values.iter().map(|value| slice(&[("a", *value)])).collect();
        let samples = combined(&slices, Alike::Time, &driver).unwrap();
        assert_eq!(samples[0].value, expected);
    }
}

#[test]
fn what_a_user_reads_must_be_in_each_slice_and_what_a_tool_may_lack_is_left_out() {
    let rules = [("a", Combine::Mean), ("b", Combine::Mean)];
    let (tool, user) = (tool_with(&rules), user_with(&rules));
    let of = |slices: &[Vec<Sample>], driver: &Ruled| {
        let samples = combined(slices, Alike::Work, driver);
        samples.map(|samples| samples.len())
    };
    let (one, two) = (slice(&[("a", 1.0)]), slice(&[("a", 1.0), ("b", 1.0)]));
    let error = of(&[one.clone(), two.clone()], &user).unwrap_err();
    assert!(
        error.contains("`b` of GET in each slice, found 0 in slice 1 and 1 in slice 2"),
        "{error}"
    );
    let error = of(&[two.clone(), two.clone(), one.clone()], &user).unwrap_err();
    assert!(
        error.contains("found 1 in slice 1 and 0 in slice 3"),
        "{error}"
    );
    assert_eq!(of(&[two.clone(), one.clone()], &tool), Ok(1));
    let both = [one.clone(), one.clone()].concat();
    assert_eq!(of(&[both.clone(), both], &user), Ok(1));
    // One slice has none, another two.
    let moved = [
        [two.clone(), two].concat(),
        [one.clone(), one.clone()].concat(),
    ];
    let error = of(&moved, &user).unwrap_err();
    assert!(
        error.contains("found 2 in slice 1 and 0 in slice 2"),
        "{error}"
    );
    let without_rule = [one.clone(), [one, slice(&[("dropped", 1.0)])].concat()];
    assert_eq!(of(&without_rule, &user), Ok(1));
}

#[test]
fn other_metrics_of_a_tool_count_by_what_a_slice_did() {
    let rules = [
        ("rate", Combine::Rate),
        ("hits", Combine::Rate),
        ("with_connections", Combine::Rate),
        ("latency", Combine::Mean),
    ];
    let (tool, user) = (tool_with(&rules), user_with(&rules));
    let of = |slices: &[Vec<Sample>], alike, driver: &Ruled| -> Vec<f64> {
        let samples = combined(slices, alike, driver).unwrap();
        samples.iter().map(|sample| sample.value).collect()
    };
    // One second of 900 operations, and one of 100.
    let slices = [
        slice(&[("rate", 900.0), ("latency", 1.0)]),
        slice(&[("rate", 100.0), ("latency", 9.0)]),
    ];
    assert_eq!(of(&slices, Alike::Time, &tool), [500.0, 1.8]);
    assert_eq!(of(&slices, Alike::Time, &user), [500.0, 5.0]);
    // 100 operations of which 50 hit in 1 s, and 100 of which none does in 3 s. All of them count a second time, with
    // 1 s more for each slice.
    let slices = [
        slice(&[("rate", 100.0), ("hits", 50.0), ("with_connections", 50.0)]),
        slice(&[
            ("rate", 100.0 / 3.0),
            ("hits", 0.0),
            ("with_connections", 25.0),
        ]),
    ];
    let found = of(&slices, Alike::Work, &tool);
    for (found, expected) in found.iter().zip([50.0, 12.5, 200.0 / 6.0]) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
    // Work of its own.
    assert_eq!(of(&slices, Alike::Work, &user)[1], 0.0);
    let opposite = [slice(&[("rate", 1.0)]), slice(&[("rate", -1.0)])];
    let error = combined(&opposite, Alike::Work, &user).unwrap_err();
    assert!(error.contains("`rate` of GET"), "{error}");
}

#[test]
fn slices_that_all_show_the_same_value_hide_as_much_as_one() {
    let step = |rule: Combine, values: [f64; 2]| {
        let slices = values.map(|value| {
            let mut slice = slice(&[("a", value)]);
            slice[0].step = Some(0.5);
            slice
        });
        let samples = combined(&slices, Alike::Work, &tool_with(&[("a", rule)])).unwrap();
        samples[0].step
    };
    for (rule, same, different) in [
        (Combine::Rate, Some(0.5), None),
        (Combine::Mean, Some(0.5), None),
        (Combine::Sum, Some(1.0), None),
        (Combine::Median, Some(0.5), Some(0.5)),
        (Combine::Max, Some(0.5), Some(0.5)),
    ] {
        assert_eq!(step(rule, [2.0, 2.0]), same, "{rule:?}");
        assert_eq!(step(rule, [2.0, 2.5]), different, "{rule:?}");
    }
}

#[test]
fn as_many_slices_as_can_be() {
    for (most, possible, expected) in [
        (80, 80, 80),
        (80, 79, 79),
        (80, 2, 2),
        (80, 0, 2),
        (3, 2, 2),
        (2, 2, 2),
        (1, 0, 2),
    ] {
        assert_eq!(most_slices(2, most, |count| count <= possible), expected);
    }
}

#[test]
fn tools_say_whether_their_executions_take_the_same_time() {
    for (tool, line, expected) in [
        ("wrk", "http://127.0.0.1/", Alike::Time),
        ("pgbench", "-t 100", Alike::Work),
        ("pgbench", "-T 5 bench", Alike::Time),
        ("memtier_benchmark", "-n 100", Alike::Work),
        ("memtier_benchmark", "--test-time 5", Alike::Time),
        ("sysbench", "cpu run", Alike::Time),
        ("sysbench", "cpu --events=0 run", Alike::Time),
        ("sysbench", "cpu --events=10 --time=0 run", Alike::Work),
        ("fio", "--time_based --runtime=1", Alike::Time),
        ("fio", "--size=1M", Alike::Work),
        ("redis-benchmark", "-n 100", Alike::Work),
    ] {
        let alike = tool_of(tool).alike(&args(line));
        assert_eq!(alike, expected, "{tool} {line}");
    }
    let keys = tool_of("memtier_benchmark").slices(&args("-n allkeys"), 2);
    assert!(keys.unwrap_err().to_string().contains("all keys"));
}

#[test]
fn work_that_is_too_little_names_what_would_do() {
    assert_eq!(share("wrk", "-d", 90, 30, 1).unwrap(), 3);
    let error = share("wrk", "-d", 20, 30, 1).unwrap_err().to_string();
    assert!(error.contains("at most 20 slices"), "{error}");
    let error = share("wrk", "-d", 1, 30, 1).unwrap_err().to_string();
    assert!(error.contains("at least 30"), "{error}");
}
