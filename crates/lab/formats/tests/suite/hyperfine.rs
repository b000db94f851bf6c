//! The files of the real tool: what is read from its JSON gives back its own exports.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use perflab_formats::hyperfine::{
    Entry, ReadError, Unit, WriteError, read_json, write_asciidoc, write_csv, write_json,
    write_markdown, write_orgmode,
};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hyperfine")
}

/// The unit asked for with `--time-unit`, by the name of the recording.
fn asked_for(name: &str) -> Option<Unit> {
    match name {
        "seconds" => Some(Unit::Second),
        "milliseconds" => Some(Unit::Millisecond),
        "microseconds" => Some(Unit::Microsecond),
        _ => None,
    }
}

fn entry(command: &str, mean: f64) -> Entry {
    Entry {
        command: command.to_owned(),
        mean,
        stddev: Some(0.1),
        median: mean,
        user: 0.0,
        system: 0.0,
        min: mean,
        max: mean,
        times: None,
        memory_usage_byte: None,
        exit_codes: vec![Some(0)],
        metric: None,
        parameters: IndexMap::new(),
    }
}

#[test]
fn every_export_is_reproduced_byte_for_byte() {
    for (version, recordings) in [("1.15.0", 9), ("1.20.0", 11)] {
        let mut seen = 0;
        for file in std::fs::read_dir(fixtures().join(version)).unwrap() {
            let json = file.unwrap().path();
            if json.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            seen += 1;
            let name = json.file_stem().unwrap().to_str().unwrap();
            let recorded =
                |extension| std::fs::read_to_string(json.with_extension(extension)).unwrap();
            let entries = read_json(recorded("json").as_bytes()).unwrap();
            let unit = asked_for(name).unwrap_or_else(|| Unit::automatic(&entries));
            let at = |format| format!("{version} {name} {format}");
            assert_eq!(
                write_json(&entries).unwrap(),
                recorded("json"),
                "{}",
                at("json")
            );
            assert_eq!(
                write_csv(&entries).unwrap(),
                recorded("csv"),
                "{}",
                at("csv")
            );
            assert_eq!(
                write_markdown(&entries, unit).unwrap(),
                recorded("md"),
                "{}",
                at("md")
            );
            assert_eq!(
                write_asciidoc(&entries, unit).unwrap(),
                recorded("adoc"),
                "{}",
                at("adoc")
            );
            assert_eq!(
                write_orgmode(&entries, unit).unwrap(),
                recorded("org"),
                "{}",
                at("org")
            );
        }
        assert_eq!(seen, recordings, "{version}");
    }
}

#[test]
fn every_member_is_read() {
    let text = std::fs::read(fixtures().join("1.20.0/parameters.json")).unwrap();
    let entries = read_json(&text).unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].command, "sleep 0.005s");
    assert_eq!(entries[0].parameters["delay"], "0.005");
    assert_eq!(entries[0].times.as_ref().unwrap().len(), 3);
    assert_eq!(entries[0].memory_usage_byte.as_ref().unwrap().len(), 3);
    assert_eq!(entries[0].exit_codes, [Some(0); 3]);

    let text = std::fs::read(fixtures().join("1.15.0/one-run.json")).unwrap();
    let entries = read_json(&text).unwrap();
    assert_eq!(
        (entries[0].stddev, &entries[0].memory_usage_byte),
        (None, &None)
    );
}

#[test]
fn members_of_other_versions_do_no_harm() {
    let text = r#"{"version": 2, "results": [{"command": "a", "mean": 1, "stddev": null,
        "median": 1, "user": 0, "system": 0, "min": 1, "max": 1, "new": [],
        "exit_codes": [0, null]}]}"#;
    let entries = read_json(text.as_bytes()).unwrap();
    assert_eq!(entries[0].exit_codes, [Some(0), None]);
    assert!(write_json(&entries).unwrap().contains("null"));
}

#[test]
fn what_is_not_such_a_file_is_refused() {
    for (text, words) in [
        ("", "EOF"),
        ("[]", "line 1 column"),
        ("{}", "missing field `results`"),
        ("{\"results\": [\n{\"command\": 1}]}", "line 2 column"),
        ("{\"results\": []} x", "trailing"),
    ] {
        let error = read_json(text.as_bytes()).unwrap_err();
        assert!(matches!(error, ReadError::Malformed { .. }));
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn a_time_below_zero_is_refused_with_its_place() {
    let mut bad = entry("b", 1.0);
    bad.times = Some(vec![1.0, -1.0]);
    let text = write_json(&[entry("a", 1.0), bad]).unwrap();
    let error = read_json(text.as_bytes()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("`times` of result 2, command `b`"),
        "{error}"
    );
}

#[test]
fn what_is_not_finite_is_not_written() {
    for value in [f64::NAN, f64::INFINITY] {
        let bad = [Entry {
            user: value,
            ..entry("a", 1.0)
        }];
        for written in [
            write_json(&bad),
            write_csv(&bad),
            write_markdown(&bad, Unit::Second),
            write_asciidoc(&bad, Unit::Second),
            write_orgmode(&bad, Unit::Second),
        ] {
            assert!(matches!(
                written,
                Err(WriteError::NotFinite { field: "user", .. })
            ));
        }
    }
}

#[test]
fn csv_puts_parameters_under_their_own_names() {
    let with = |command: &str, parameters: &[(&str, &str)]| Entry {
        parameters: parameters
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect(),
        ..entry(command, 1.0)
    };
    let text = write_csv(&[
        with("a", &[("x", "1"), ("y", "2")]),
        with("b", &[("y", "4"), ("x", "3")]),
    ])
    .unwrap();
    assert!(text.lines().nth(2).unwrap().ends_with(",3,4"), "{text}");
    for other in [
        &[("x", "1")][..],
        &[("x", "1"), ("z", "2")],
        &[("x", "1"), ("y", "2"), ("z", "3")],
    ] {
        let written = write_csv(&[with("a", &[("x", "1"), ("y", "2")]), with("b", other)]);
        assert!(matches!(written, Err(WriteError::Parameters { .. })));
    }
}

#[test]
fn a_mean_of_zero_and_an_empty_table_are_written_too() {
    let text = write_markdown(&[entry("a", 1.0), entry("b", 0.0)], Unit::Second).unwrap();
    assert!(text.lines().nth(2).unwrap().ends_with("| inf |"), "{text}");
    assert!(text.lines().nth(3).unwrap().ends_with("| 1.00 |"), "{text}");
    assert_eq!(
        write_markdown(&[], Unit::automatic(&[]))
            .unwrap()
            .lines()
            .count(),
        2
    );
    assert_eq!(
        write_csv(&[]).unwrap(),
        "command,mean,stddev,median,user,system,min,max\n"
    );
}

#[test]
fn the_automatic_unit_depends_on_the_first_mean() {
    for (mean, unit) in [
        (1.0, Unit::Second),
        (0.999, Unit::Millisecond),
        (0.001, Unit::Millisecond),
        (0.000_999, Unit::Microsecond),
    ] {
        assert_eq!(
            Unit::automatic(&[entry("a", mean), entry("b", 5.0)]),
            unit,
            "{mean}"
        );
    }
}
