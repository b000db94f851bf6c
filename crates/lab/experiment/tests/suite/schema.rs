//! The JSON Schema describes the file that is really read.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as a test may"
)]

use std::fs;

use perflab_experiment::Experiment;
use serde_json::Value;

const FULL: &str = include_str!("../files/full.toml");
const SEVERAL: &str = include_str!("../files/several.toml");
const SLICES: &str = include_str!("../files/slices.toml");
const TOGETHER: &str = include_str!("../files/together.toml");

fn file(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

/// Checks a value by the part of JSON Schema (draft 2020-12) that the schema uses; a keyword that
/// is not known here is a failure, so that nothing passes unread.
fn check(value: &Value, schema: &Value, root: &Value, place: &str) -> Result<(), String> {
    let Some(schema) = schema.as_object() else {
        return if schema == &Value::Bool(true) {
            Ok(())
        } else {
            Err(format!("{place}: not allowed"))
        };
    };
    let require = |fine: bool, what: &str| {
        if fine {
            Ok(())
        } else {
            Err(format!("{place}: {what}"))
        }
    };
    for (keyword, argument) in schema {
        let all = |check_one: &dyn Fn(&Value) -> bool| {
            argument
                .as_array()
                .unwrap()
                .iter()
                .filter(|s| check_one(s))
                .count()
        };
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" | "deprecated"
            | "examples" | "format" => {}
            "$ref" => {
                let target = root
                    .pointer(argument.as_str().unwrap().strip_prefix('#').unwrap())
                    .unwrap();
                check(value, target, root, place)?;
            }
            "anyOf" => require(
                all(&|s| check(value, s, root, place).is_ok()) > 0,
                "fits none of the choices",
            )?,
            "oneOf" => require(
                all(&|s| check(value, s, root, place).is_ok()) == 1,
                "fits not one of the choices",
            )?,
            "enum" => require(
                argument.as_array().unwrap().contains(value),
                "not in the enumeration",
            )?,
            "const" => require(argument == value, "not the constant")?,
            "type" => {
                let types = if argument.is_array() {
                    argument.as_array().unwrap().clone()
                } else {
                    vec![argument.clone()]
                };
                let fits = types.iter().any(|name| match name.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "integer" => value.is_i64() || value.is_u64(),
                    "number" => value.is_number(),
                    "null" => value.is_null(),
                    other => panic!("unknown type {other}"),
                });
                require(fits, &format!("not of type {argument}"))?;
            }
            "minimum" => require(
                value
                    .as_f64()
                    .is_none_or(|v| v >= argument.as_f64().unwrap()),
                "too small",
            )?,
            "maximum" => require(
                value
                    .as_f64()
                    .is_none_or(|v| v <= argument.as_f64().unwrap()),
                "too large",
            )?,
            "exclusiveMinimum" => require(
                value
                    .as_f64()
                    .is_none_or(|v| v > argument.as_f64().unwrap()),
                "too small",
            )?,
            "exclusiveMaximum" => require(
                value
                    .as_f64()
                    .is_none_or(|v| v < argument.as_f64().unwrap()),
                "too large",
            )?,
            "minItems" => require(
                value
                    .as_array()
                    .is_none_or(|v| v.len() as u64 >= argument.as_u64().unwrap()),
                "too few",
            )?,
            "minLength" => require(
                value
                    .as_str()
                    .is_none_or(|v| v.len() as u64 >= argument.as_u64().unwrap()),
                "too short",
            )?,
            "minProperties" => require(
                value
                    .as_object()
                    .is_none_or(|v| v.len() as u64 >= argument.as_u64().unwrap()),
                "too few",
            )?,
            "pattern" => {
                let pattern = regex::Regex::new(argument.as_str().unwrap()).unwrap();
                require(
                    value.as_str().is_none_or(|v| pattern.is_match(v)),
                    "does not match",
                )?;
            }
            "required" => {
                for key in argument.as_array().unwrap() {
                    require(
                        value.get(key.as_str().unwrap()).is_some(),
                        &format!("lacks {key}"),
                    )?;
                }
            }
            "items" => {
                for (index, element) in value.as_array().into_iter().flatten().enumerate() {
                    check(element, argument, root, &format!("{place}[{index}]"))?;
                }
            }
            "properties" => {
                for (key, schema) in argument.as_object().unwrap() {
                    if let Some(value) = value.get(key) {
                        check(value, schema, root, &format!("{place}.{key}"))?;
                    }
                }
            }
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                for (key, value) in value.as_object().into_iter().flatten() {
                    if known.is_none_or(|known| !known.contains_key(key)) {
                        check(value, argument, root, &format!("{place}.{key}"))?;
                    }
                }
            }
            other => panic!("{place}: keyword {other} is not known to this test"),
        }
    }
    Ok(())
}

#[test]
fn a_file_with_every_key_fits() {
    let schema = Experiment::schema();
    check(&file(FULL), &schema, &schema, "").unwrap();
}

#[test]
fn a_key_under_its_former_name_fits() {
    let schema = Experiment::schema();
    let mut text = file(FULL);
    let metrics = text.pointer_mut("/workloads");
    let metrics = metrics.and_then(Value::as_object_mut).unwrap();
    let mut metrics = metrics.values_mut().filter_map(|workload| {
        let metrics = workload.get_mut("metrics")?.as_array_mut()?;
        metrics.iter_mut().find_map(Value::as_object_mut)
    });
    let metric = metrics.next().unwrap();
    metric.remove("benchmark");
    metric.insert("part".to_owned(), "GET".into());
    check(&text, &schema, &schema, "").unwrap();
    let key = &schema["$defs"]["MetricRule"]["properties"]["part"];
    assert_eq!(key["deprecated"], true);
}

#[test]
fn every_key_of_the_schema_is_in_that_file() {
    let schema = Experiment::schema();
    let mut missing = Vec::new();
    let tables = schema["$defs"]
        .as_object()
        .unwrap()
        .values()
        .chain([&schema]);
    for key in tables
        .filter_map(|table| table["properties"].as_object())
        .flatten()
        .filter(|(_, described)| described["deprecated"] != true)
        .map(|(key, _)| key)
    {
        if !regex::Regex::new(&format!(r"(^|[\s{{.\[]){key}(\s*=|\.|\]|\s*\n)"))
            .unwrap()
            .is_match(&format!("{FULL}\n{SEVERAL}\n{SLICES}\n{TOGETHER}"))
        {
            missing.push(key);
        }
    }
    assert_eq!(
        missing,
        ["slice", "unix"],
        "`slice` excludes `slices`, `unix` the other checks; tests of their own have them"
    );
}

#[test]
fn broken_structure_does_not_fit() {
    let schema = Experiment::schema();
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/broken");
    for name in [
        "command-of-numbers",
        "confidence-of-95",
        "cpu-list-empty",
        "duration-as-number",
        "duration-unknown-unit",
        "duration-without-unit",
        "empty",
        "empty-command",
        "margin-without-percent",
        "metric-better-is-faster",
        "missing-driver",
        "missing-metric-unit",
        "name-with-upper-case",
        "negative-seed",
        "number-as-string",
        "schema-of-the-future",
        "unknown-driver",
        "unknown-key-far-from-any",
        "unknown-key-in-design",
        "unknown-key-in-inline-table",
        "unknown-key-in-metric",
        "unknown-key-in-variant",
        "unknown-refresh",
        "unknown-signal",
        "unknown-table",
        "version-of-numbers",
    ] {
        let text = fs::read_to_string(format!("{directory}/{name}.toml")).unwrap();
        assert!(
            check(&file(&text), &schema, &schema, "").is_err(),
            "{name} fits"
        );
    }
}
