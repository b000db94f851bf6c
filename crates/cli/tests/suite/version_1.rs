//! Results whose records have version 1 of the format: they open, compare and render as they did.

use std::fs;
use std::path::{Path, PathBuf};

use perflab_store::OpenedResult;
use serde_json::Value;

use crate::support::{Laboratory, copy};

/// Results that an earlier perflab made, each with the report that it printed as JSON: with systems and two benchmarks,
/// imported, and ended when everything was decided.
const RESULTS: [&str; 3] = ["served", "imported", "decided"];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/version-1")
}

fn laboratory(result: &str) -> Laboratory {
    let laboratory = Laboratory::new();
    copy(&fixtures().join(result), &laboratory.path(result));
    laboratory
}

/// Whether all that was there is there, under names of today where they have changed.
fn assert_holds(now: &Value, before: &Value, place: &str) {
    match before {
        Value::Object(fields) => {
            for (name, before) in fields {
                let name = match name.as_str() {
                    "part" => "benchmark",
                    "claims" => "tests",
                    "detectable" => "mde",
                    name => name,
                };
                let place = format!("{place}/{name}");
                // It was that of the means of the runs, where a run has several samples.
                if name == "median" {
                    assert!(now[name].is_f64(), "{place}");
                } else {
                    assert_holds(&now[name], before, &place);
                }
            }
        }
        Value::Array(list) => {
            assert_eq!(now.as_array().map(Vec::len), Some(list.len()), "{place}");
            for (index, before) in list.iter().enumerate() {
                assert_holds(&now[index], before, &format!("{place}/{index}"));
            }
        }
        Value::String(text) => {
            let text = text.replace(" parts", " benchmarks");
            assert_eq!(now.as_str(), Some(text.as_str()), "{place}");
        }
        _ => assert_eq!(now, before, "{place}"),
    }
}

#[test]
fn nothing_of_their_environment_is_lost() {
    for result in RESULTS {
        let path = fixtures().join(result);
        let text = fs::read_to_string(path.join("fingerprint.json")).unwrap();
        let before: Value = serde_json::from_str(&text).unwrap();
        let environment = OpenedResult::open(&path).unwrap().environment;
        let now = serde_json::to_value(environment).unwrap();
        assert_holds(&now, &before, result);
    }
}

#[test]
fn reports_are_the_same_in_every_number() {
    for result in RESULTS {
        let laboratory = laboratory(result);
        let arguments = ["compare", result, "--format", "json", "--gate", "none"];
        let now = laboratory.call(&arguments).code(0).json();
        let before = fs::read(fixtures().join(format!("{result}.json"))).unwrap();
        let before: Value = serde_json::from_slice(&before).unwrap();
        assert_holds(&now, &before, result);
    }
}

#[test]
fn they_are_shown_rendered_and_exported() {
    for result in RESULTS {
        let laboratory = laboratory(result);
        let shown = laboratory.call(&["show", result, "--run", "1"]).code(0);
        assert_eq!(
            shown.out.contains("wall 0.0"),
            result != "imported",
            "{}",
            shown.out
        );
        laboratory.call(&["show", "."]).code(0).prints(&[result]);
        laboratory
            .call(&["report", result, "--out", "pages"])
            .code(0);
        assert!(laboratory.path("pages/index.html").exists());
        laboratory
            .call(&["export", result, "--to", "csv"])
            .code(0)
            .prints(&["benchmark,metric"]);
    }
}
