//! What is written in a format that is also read comes back, but for what `docs/formats.md` says is lost.

use perflab_experiment::{Better, Metric, Sample};
use perflab_formats::{File, Format, Run, Target};
use proptest::prelude::*;

fn file(text: String) -> Vec<File> {
    vec![File {
        path: "file".to_owned(),
        bytes: text.into_bytes(),
    }]
}

/// Metrics of Go's own, and others; names and units without white space.
fn go_metrics() -> Vec<Metric> {
    let metric = |name: &str, unit: &str, better| Metric::new(name, unit, better);
    vec![
        metric("time", "ns/op", Better::Lower),
        metric("speed", "MB/s", Better::Higher),
        metric("rps", "1/s", Better::Higher),
        metric("p99", "ms", Better::Lower),
        metric("two-words", "µs", Better::Lower),
        metric("hits", "", Better::Higher),
        metric("odd", "x", Better::Higher),
    ]
}

/// Runs of one or two variants in which every benchmark has the same number of values of each metric.
fn go_runs() -> impl Strategy<Value = Vec<Run>> {
    let values = prop::collection::vec(-1e12..1e12_f64, 1..4);
    let sample = (
        "[a-zA-Z/=0-9-]{1,12}",
        prop::sample::subsequence(go_metrics(), 1..4),
        values,
    );
    let run = prop::collection::vec(sample, 1..4);
    prop::collection::vec((run, any::<bool>()), 1..6).prop_map(|runs| {
        let mut runs: Vec<Run> = runs
            .into_iter()
            .map(|(benchmarks, second)| {
                let mut samples: Vec<Sample> = Vec::new();
                for (benchmark, metrics, values) in benchmarks {
                    if samples
                        .iter()
                        .any(|s| s.benchmark.as_deref() == Some(&benchmark))
                    {
                        continue;
                    }
                    for value in values {
                        samples.extend(metrics.iter().map(|metric| Sample {
                            benchmark: Some(benchmark.clone()),
                            metric: metric.clone().into(),
                            value,
                            step: None,
                        }));
                    }
                }
                Run {
                    variant: Some(if second { "new" } else { "old" }.to_owned()),
                    samples,
                    ..Run::default()
                }
            })
            .collect();
        runs.sort_by_key(|run| run.variant.as_deref() == Some("new"));
        if runs.iter().all(|run| run.variant == runs[0].variant) {
            runs.iter_mut().for_each(|run| run.variant = None);
        }
        runs
    })
}

fn without_places(runs: Vec<Run>) -> Vec<Run> {
    runs.into_iter()
        .map(|run| Run {
            at: String::new(),
            ..run
        })
        .collect()
}

proptest! {
    #[test]
    fn go_text_comes_back(runs in go_runs()) {
        let text = Target::GoBench.write(&runs, str::to_owned).unwrap();
        let back = Format::GoBench.read(&file(text)).unwrap();
        prop_assert_eq!(back.notes, Vec::<String>::new());
        prop_assert_eq!(without_places(back.runs), runs);
    }

    #[test]
    fn pyperf_comes_back(
        processes in prop::collection::vec(prop::collection::vec(1e-9..1e6_f64, 1..5), 1..5),
        name in "[a-z ]{1,10}",
    ) {
        let metric = Metric { name: "time".to_owned(), unit: "s".to_owned(), better: Better::Lower };
        let runs: Vec<Run> = processes
            .iter()
            .map(|values| Run {
                samples: values
                    .iter()
                    .map(|value| Sample {
                        benchmark: Some(name.clone()),
                        metric: metric.clone().into(),
                        value: *value, step: None,
                    })
                    .collect(),
                ..Run::default()
            })
            .collect();
        let text = Target::Pyperf.write(&runs, str::to_owned).unwrap();
        let back = Format::Pyperf.read(&file(text)).unwrap();
        prop_assert_eq!(without_places(back.runs), runs);
    }

    #[test]
    fn hyperfine_comes_back(
        commands in prop::collection::hash_map("[a-z .0-9]{1,20}", prop::collection::vec(0.0..1e6_f64, 1..6), 1..4),
    ) {
        let metric = Metric { name: "wall".to_owned(), unit: "s".to_owned(), better: Better::Lower };
        let mut runs = Vec::new();
        for (command, times) in &commands {
            runs.extend(times.iter().map(|time| Run {
                variant: Some(command.clone()),
                command: Some(command.clone()),
                exit_code: Some(0),
                samples: vec![Sample { benchmark: None, metric: metric.clone().into(), value: *time, step: None, }],
                ..Run::default()
            }));
        }
        let text = Target::Hyperfine.write(&runs, str::to_owned).unwrap();
        let back = Format::Hyperfine.read(&file(text)).unwrap();
        prop_assert_eq!(without_places(back.runs), runs);
    }

    /// Whatever the names are, every target writes or says why not.
    #[test]
    fn any_names_can_be_written(
        names in prop::collection::vec(any::<[String; 5]>(), 1..4),
        values in prop::collection::vec(proptest::num::f64::ANY, 1..4),
    ) {
        let runs: Vec<Run> = names
            .iter()
            .map(|[variant, benchmark, metric, unit, parameter]| Run {
                variant: Some(variant.clone()),
                workload: Some("work".to_owned()),
                parameters: [(parameter.clone(), variant.clone())].into_iter().collect(),
                samples: values
                    .iter()
                    .filter(|value| value.is_finite())
                    .map(|value| Sample {
                        benchmark: Some(benchmark.clone()),
                        metric: Metric { name: metric.clone(), unit: unit.clone(), better: Better::Higher }.into(),
                        value: *value, step: None,
                    })
                    .collect(),
                ..Run::default()
            })
            .collect();
        for target in Target::ALL {
            match target.write(&runs, str::to_owned) {
                Ok(text) => prop_assert!(text.ends_with('\n')),
                Err(fault) => prop_assert!(!fault.to_string().is_empty()),
            }
        }
        if let Ok(text) = Target::OpenMetrics.write(&runs, str::to_owned) {
            prop_assert!(text.ends_with("# EOF\n"));
        }
    }
}

#[test]
fn names_that_would_become_one_are_refused() {
    let run = |benchmark: &str| Run {
        samples: vec![Sample {
            benchmark: Some(benchmark.to_owned()),
            metric: go_metrics()[0].clone().into(),
            value: 1.0,
            step: None,
        }],
        ..Run::default()
    };
    let fault = Target::GoBench
        .write(&[run("a b"), run("a_b")], str::to_owned)
        .unwrap_err();
    assert!(fault.to_string().contains("`a_b`"), "{fault}");
}
