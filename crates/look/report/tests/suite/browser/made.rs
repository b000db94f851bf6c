//! Records of an experiment with one workload, made by hand.

use indexmap::IndexMap;
use perflab_experiment::{Better, Experiment, Plan, Sample, Status};
use perflab_store::{Origin, RunRecord, Usage};
use serde_json::json;

use crate::common::metric;

/// An experiment of these variants, of which the first is the baseline.
pub fn experiment(variants: &[&str], design: &str) -> Experiment {
    let tables: String = variants
        .iter()
        .map(|name| format!("[variants.{name}]\n"))
        .collect();
    let text = format!(
        "name = \"made\"\n[design]\nbaseline = \"{}\"\n{design}\n{tables}[workloads.load]\ndriver = \"generic\"\n\
         command = [\"true\"]\n[[workloads.load.metrics]]\nname = \"rps\"\nunit = \"1/s\"\nbetter = \"higher\"\n\
         values = true\n",
        variants[0]
    );
    Experiment::parse(&text, "made.toml").unwrap()
}

/// A plan of as many runs as there are records.
pub fn plan(records: &[RunRecord]) -> Plan {
    let variants: Vec<&str> = records
        .iter()
        .map(|record| record.variant.as_str())
        .collect();
    let cells: Vec<_> = variants
        .iter()
        .map(|variant| json!({"id": variant, "variant": variant, "workload": "load", "parameters": {}}))
        .collect();
    let runs: Vec<_> = (0..)
        .zip(records)
        .map(|(cell, record)| {
            json!({"run": cell + 1, "block": record.block, "cell": cell, "seed": 0, "unit": record.unit})
        })
        .collect();
    serde_json::from_value(json!({"schema": 1, "seed": 7, "cells": cells, "runs": runs})).unwrap()
}

pub fn record(run: u32, block: u32, variant: &str, samples: Vec<Sample>) -> RunRecord {
    RunRecord {
        schema: RunRecord::SCHEMA,
        run,
        block,
        cell: format!("{variant}/load"),
        variant: variant.to_owned(),
        workload: "load".to_owned(),
        parameters: IndexMap::new(),
        unit: run,
        started: String::new(),
        status: Status::Pass,
        detail: None,
        source: None,
        host: None,
        observers: Vec::new(),
        programs: IndexMap::new(),
        argv: Vec::new(),
        exit_code: Some(0),
        signal: None,
        usage: Some(Usage {
            wall_s: 1.0,
            user_s: 0.0,
            system_s: 0.0,
            max_rss_bytes: None,
            voluntary_switches: 0,
            involuntary_switches: 0,
        }),
        steps: Vec::new(),
        environment_padding_bytes: 0,
        layout: None,
        settings: IndexMap::new(),
        load1: None,
        steal_share: None,
        samples,
        sample_files: Vec::new(),
        evidence: IndexMap::new(),
    }
}

/// A sample of a rate.
pub fn rps(benchmark: Option<&str>, value: f64) -> Sample {
    Sample {
        benchmark: benchmark.map(str::to_owned),
        metric: metric("rps", "1/s", Better::Higher).into(),
        value,
        step: None,
    }
}

pub fn origin() -> Origin {
    Origin {
        perflab: "0.1.0".into(),
        created: "2026-03-01T12:00:00Z".into(),
        name: "made".into(),
        argv: Vec::new(),
        directory: None,
        until_decided: None,
        imported: None,
    }
}

/// Ten blocks of one run each of `old` and `new`, of which the second is a tenth faster.
pub fn records() -> Vec<RunRecord> {
    let value = |run: u32| 1000.0 + f64::from(run * 7 % 13);
    (1_u32..=20)
        .map(|run| {
            let block = run.div_ceil(2);
            let (variant, factor) = if run % 2 == 0 {
                ("new", 1.1)
            } else {
                ("old", 1.0)
            };
            record(run, block, variant, vec![rps(None, value(run) * factor)])
        })
        .collect()
}
