//! The generic driver: each kind of rule, and what it refuses.

use perflab_drivers::{
    Driver, Generic, Output, Place, ReadError, Rule, RuleError, Source, Stream, Usage,
};
use perflab_experiment::{Better, Sample};

fn rule(source: Source) -> Rule {
    Rule {
        name: "t".to_owned(),
        unit: "s".to_owned(),
        better: Better::Lower,
        benchmark: None,
        stream: Stream::Stdout,
        source,
        all: false,
        scale: 1.0,
        combine: None,
    }
}

fn regex(pattern: &str) -> Rule {
    rule(Source::Regex(pattern.to_owned()))
}

fn pointer(pointer: &str) -> Rule {
    rule(Source::JsonPointer(pointer.to_owned()))
}

fn column(column: &str) -> Rule {
    rule(Source::CsvColumn(column.to_owned()))
}

fn all(rule: Rule) -> Rule {
    Rule { all: true, ..rule }
}

fn every_value() -> Rule {
    Rule {
        name: "*".to_owned(),
        unit: String::new(),
        ..rule(Source::Values)
    }
}

fn samples(rules: Vec<Rule>, stdout: &str) -> Result<Vec<Sample>, ReadError> {
    let output = Output {
        stdout: stdout.as_bytes(),
        stderr: b"",
        usage: Usage::default(),
    };
    Generic::new(rules).expect("usable rules").read(&output)
}

fn values(rule: Rule, stdout: &str) -> Vec<f64> {
    samples(vec![rule], stdout)
        .expect("readable output")
        .into_iter()
        .map(|s| s.value)
        .collect()
}

fn error(rule: Rule, stdout: &str) -> String {
    samples(vec![rule], stdout)
        .expect_err("unreadable output")
        .to_string()
}

#[test]
fn a_regex_takes_its_only_group_or_the_one_called_value() {
    assert_eq!(
        values(regex("^took ([0-9.]+) s$"), "a\ntook 1.5 s\nb\n"),
        [1.5]
    );
    assert_eq!(values(regex("(a|b)=(?<value>.*)"), "b= 2 \n"), [2.0]);
}

#[test]
fn a_regex_without_a_clear_group_is_refused() {
    for (pattern, groups) in [("took", 0), ("(a)(b)", 2)] {
        match Generic::new(vec![regex(pattern)]).unwrap_err() {
            RuleError::Groups { groups: found, .. } => assert_eq!(found, groups),
            other => panic!("{other}"),
        }
    }
    let error = Generic::new(vec![regex("(")]).unwrap_err();
    assert!(matches!(error, RuleError::Pattern { .. }));
    assert_eq!(error.to_string().lines().count(), 1, "{error}");
}

#[test]
fn one_match_is_wanted_unless_all_are() {
    let text = "x=1\n\nx=2\nx=3\n";
    assert_eq!(
        error(regex("x=(.*)"), text),
        "stdout: expected exactly one value of `t` (regular expression `x=(.*)`), found 3, on \
         lines 1, 3, 4; narrow the rule, or say `all` if each is a sample"
    );
    assert_eq!(values(all(regex("x=(.*)")), text), [1.0, 2.0, 3.0]);
    for rule in [regex("y=(.*)"), all(regex("y=(.*)"))] {
        assert!(error(rule, text).ends_with("found none"));
    }
}

#[test]
fn what_a_regex_finds_must_be_a_finite_number() {
    assert!(error(regex("x=(.*)"), "\nx=fast\n").starts_with("stdout, line 2: expected a number"));
    assert!(error(regex("x=(.*)"), "x=inf\n").contains("not finite"));
    assert!(error(regex("x=(1)?"), "\n\nx=\n").starts_with("stdout, line 3"));
}

#[test]
fn a_json_pointer_leads_to_a_number() {
    let text = r#"{"end": {"bits/s": 9.5e9, "list": [1, 2.5], "text": "1"}}"#;
    assert_eq!(values(pointer("/end/bits~1s"), text), [9.5e9]);
    assert_eq!(values(pointer("/end/list/1"), text), [2.5]);
    assert_eq!(values(all(pointer("/end/list")), text), [1.0, 2.5]);
    assert_eq!(values(pointer(""), " 7 "), [7.0]);
}

#[test]
fn a_json_pointer_that_leads_elsewhere_says_how_far_it_came() {
    let text = r#"{"end": {"sum": 1, "list": [1, 2], "text": "1"}}"#;
    for (rule, words) in [
        (
            pointer("/end/sun"),
            "at `/end` an object with `sum, list, text`",
        ),
        (pointer("/and/sum"), "at the top an object with `end`"),
        (pointer("/end/sum/x"), "at `/end/sum` the number 1"),
        (pointer("/end/text"), "found the text `1`"),
        (
            pointer("/end/list"),
            "found an array of 2; point at one element, or say `all`",
        ),
        (all(pointer("/end/sum")), "expected an array of numbers"),
        (all(pointer("/end")), "found an object"),
    ] {
        let error = error(rule, text);
        assert!(error.contains(words), "{error}");
    }
    assert!(error(pointer("/a"), "{\n\"a\": }").starts_with("stdout, line 2: expected one JSON"));
    assert!(error(all(pointer("/a")), r#"{"a": []}"#).ends_with("found none"));
    assert!(error(all(pointer("/a")), r#"{"a": [1, null]}"#).contains("`/a/1`, found null"));
}

#[test]
fn an_invalid_json_pointer_is_refused_at_once() {
    for text in ["a/b", "/a~2", "/a~"] {
        let error = Generic::new(vec![pointer(text)]).unwrap_err();
        assert!(matches!(error, RuleError::Pointer { .. }), "{text}");
    }
}

#[test]
fn a_csv_column_is_found_by_name_or_number() {
    let text = "name,\"time, s\"\n\"a \"\"b\"\"\n\",1.5\n";
    assert_eq!(values(column("time, s"), text), [1.5]);
    assert_eq!(values(column("2"), text), [1.5]);
    assert_eq!(values(all(column("1")), "1\n2\n"), [1.0, 2.0]);
}

#[test]
fn a_csv_column_has_a_number_in_every_record() {
    assert!(error(column("x"), "a,b\n1,2\n").contains("found `a, b`"));
    assert!(error(column("a"), "a,a\n1,2\n").contains("name it by its number"));
    assert!(
        error(all(column("2")), "a,b\n1,2\n3\n").starts_with("stdout, line 3: expected at least 2")
    );
    assert!(error(all(column("b")), "a,b\n1,x\n").starts_with("stdout, line 2: expected a number"));
    assert!(error(column("1"), "nan\n1\n").contains("not finite"));
    assert!(error(column("1"), "").ends_with("found none"));
    assert!(error(column("b"), "a,b\n1,2\n3,4\n").contains("found 2, on lines 2, 3"));
    for text in ["", "0", "99999999999999999999999"] {
        let error = Generic::new(vec![column(text)]).unwrap_err();
        assert!(matches!(error, RuleError::Column { .. }), "{text}");
    }
}

#[test]
fn value_lines_bring_name_and_unit() {
    let text = "start\nVALUE 10 bits/s tcp to host\nVALUE\t2.5  ms   p50\r\nVALUES 3 s no\n";
    let found: Vec<_> = samples(vec![every_value()], text)
        .unwrap()
        .into_iter()
        .map(|s| (s.metric.name.clone(), s.metric.unit.clone(), s.value))
        .collect();
    assert_eq!(
        found,
        [
            ("tcp to host".to_owned(), "bits/s".to_owned(), 10.0),
            ("p50".to_owned(), "ms".to_owned(), 2.5)
        ]
    );
    assert!(
        Generic::new(vec![every_value()])
            .unwrap()
            .metrics()
            .is_empty()
    );
}

#[test]
fn value_lines_of_one_name_are_taken_alone_and_in_one_unit() {
    let p50 = || Rule {
        name: "p50".to_owned(),
        unit: "ms".to_owned(),
        ..rule(Source::Values)
    };
    let text = "VALUE 1 ms p50\nVALUE 9 ms p99\n";
    assert_eq!(values(p50(), text), [1.0]);
    assert!(error(p50(), "VALUE 1 s p50\n").contains("expected `p50` in `ms`, found it in `s`"));
    assert!(error(p50(), "VALUE 9 ms p99\n").contains("exactly one value of `p50`"));
    assert!(error(p50(), &text.repeat(2)).contains("found 2, on lines 1, 3"));
    assert_eq!(values(all(p50()), &text.repeat(2)), [1.0, 1.0]);
    assert!(error(every_value(), &text.repeat(2)).contains("`p50`"));
    assert_eq!(values(all(every_value()), &text.repeat(2)).len(), 4);
}

#[test]
fn value_lines_name_their_benchmarks() {
    let every_benchmark = |name: &str, unit: &str| Rule {
        name: name.to_owned(),
        unit: unit.to_owned(),
        benchmark: Some("*".to_owned()),
        ..rule(Source::Values)
    };
    let both = || {
        vec![
            every_benchmark("cost", "ns"),
            every_benchmark("size", "bytes"),
        ]
    };
    let text = "VALUE 3 ns cost chain/1\nVALUE 64 bytes size  chain/1 of 5\nVALUE 9 s costs\nVALUE 5 s cost\n";
    let found: Vec<_> = samples(both(), text)
        .unwrap()
        .into_iter()
        .map(|s| (s.metric.name.clone(), s.benchmark.unwrap(), s.value))
        .collect();
    let expected = [("cost", "chain/1", 3.0), ("size", "chain/1 of 5", 64.0)];
    let expected = expected.map(|(name, of, value)| (name.to_owned(), of.to_owned(), value));
    assert_eq!(found, expected);
    // One of several rules may find nothing, all of them may not.
    let found = samples(both(), "VALUE 3 ns cost chain/1\n").unwrap();
    assert_eq!(found.len(), 1);
    let error = samples(both(), "VALUE 3 ns other chain/1\n").unwrap_err();
    let error = error.to_string();
    assert!(error.contains("exactly one value of `cost`"), "{error}");
    let cost = || vec![every_benchmark("cost", "ns")];
    let error = |text: &str| samples(cost(), text).unwrap_err().to_string();
    let said = error("VALUE 3 us cost chain/1\n");
    assert!(said.contains("`cost` in `ns`"), "{said}");
    let said = error("VALUE 3 ns cost a\nVALUE 3 ns cost a\n");
    assert!(said.contains("found 2, on lines 1, 2"), "{said}");
    let driver = Generic::new(both()).unwrap();
    assert_eq!(driver.metrics().len(), 2);
    for wrong in [
        every_benchmark("*", ""),
        Rule {
            benchmark: Some("*".to_owned()),
            ..regex("(.)")
        },
    ] {
        let error = Generic::new(vec![wrong]).unwrap_err();
        assert!(matches!(error, RuleError::EveryBenchmark { .. }), "{error}");
    }
}

#[test]
fn malformed_value_lines_are_refused() {
    for line in [
        "VALUE ",
        "VALUE 1",
        "VALUE 1 s",
        "VALUE 1 s ",
        "VALUE x s n",
        "VALUE nan s n",
    ] {
        assert!(
            error(every_value(), line).starts_with("stdout, line 1"),
            "{line}"
        );
    }
    let two_units = "VALUE 1 s n\nVALUE 1 ms n\n";
    assert!(error(all(every_value()), two_units).contains("in one unit"));
}

#[test]
fn values_are_scaled_and_belong_to_their_part() {
    let scaled = Rule {
        scale: 1000.0,
        combine: None,
        benchmark: Some("GET".to_owned()),
        ..regex("x=(.*)")
    };
    let found = samples(vec![scaled.clone()], "x=0.5").unwrap();
    assert_eq!(
        (found[0].value, found[0].benchmark.as_deref()),
        (500.0, Some("GET"))
    );
    assert!(error(scaled, "\nx=1e307").starts_with("stdout, line 2"));
}

#[test]
fn a_rule_reads_its_own_stream() {
    let on_stderr = Rule {
        stream: Stream::Stderr,
        ..regex("x=(.*)")
    };
    let driver = Generic::new(vec![on_stderr]).unwrap();
    let output = |stdout, stderr| Output {
        stdout,
        stderr,
        usage: Usage::default(),
    };
    assert_eq!(
        driver.read(&output(b"x=1", b"\xffx=2")).unwrap()[0].value,
        2.0
    );
    let error = driver.read(&output(b"x=1", b"")).unwrap_err();
    assert_eq!(error.place, Place::Whole(Stream::Stderr));
}

#[test]
fn rules_that_contradict_are_refused() {
    let benchmark = |benchmark: &str| Rule {
        benchmark: Some(benchmark.to_owned()),
        ..regex("x=(.*)")
    };
    let twice = Generic::new(vec![benchmark("a"), benchmark("a")]).unwrap_err();
    assert_eq!(
        twice,
        RuleError::Twice {
            name: "t".to_owned()
        }
    );
    let other_unit = Rule {
        unit: "ms".to_owned(),
        ..benchmark("b")
    };
    let other_way = Rule {
        better: Better::Higher,
        ..benchmark("b")
    };
    for other in [other_unit, other_way] {
        let error = Generic::new(vec![benchmark("a"), other]).unwrap_err();
        assert_eq!(
            error,
            RuleError::Disagree {
                name: "t".to_owned()
            }
        );
    }
    assert_eq!(
        Generic::new(vec![benchmark("a"), benchmark("b")])
            .unwrap()
            .metrics()
            .len(),
        1
    );

    let named = Rule {
        name: "n".to_owned(),
        ..regex("x=(.*)")
    };
    let error = samples(vec![named, every_value()], "x=1\nVALUE 1 s n\n").unwrap_err();
    assert!(error.to_string().contains("from one rule"), "{error}");
}

#[test]
fn rules_that_make_no_sense_are_refused() {
    assert_eq!(Generic::new(vec![]).unwrap_err(), RuleError::None);
    let nameless = Rule {
        name: " ".to_owned(),
        ..regex("(.)")
    };
    assert_eq!(
        Generic::new(vec![nameless]).unwrap_err(),
        RuleError::Nameless { position: 1 }
    );
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Generic::new(vec![Rule {
            scale,
            ..regex("(.)")
        }])
        .unwrap_err();
        assert!(matches!(error, RuleError::Scale { .. }), "{scale}");
    }
    let scaled = Rule {
        scale: 2.0,
        ..rule(Source::Values)
    };
    assert!(matches!(
        Generic::new(vec![scaled]),
        Err(RuleError::ScaledValues { .. })
    ));
    let unit = Rule {
        unit: "s".to_owned(),
        ..every_value()
    };
    assert!(matches!(
        Generic::new(vec![unit]),
        Err(RuleError::UnitOfEveryName { .. })
    ));
    let no_unit = Rule {
        unit: String::new(),
        ..rule(Source::Values)
    };
    assert!(matches!(
        Generic::new(vec![no_unit]),
        Err(RuleError::NoUnit { .. })
    ));
}
