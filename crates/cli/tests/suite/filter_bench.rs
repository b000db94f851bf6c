//! `perflab filter bench` as a user calls it.

use std::process::Output;

use serde_json::Value;

use crate::life::{Place, printed, text};
use crate::support::Laboratory;

const EXPRESSION: &str = "name == \"SET\" && bytes > 512";
const ARGUMENTS: [&str; 2] = ["--arguments", "name: cstr, bytes: i64, ratio: f64"];

fn bench(place: &Place, words: &[&str]) -> Output {
    place.filter(&[&["bench"], words].concat())
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&printed(output)).unwrap()
}

#[test]
fn what_a_filter_takes_here() {
    let place = Place::new();
    let events = ["--event", "name=SET, bytes=600", "--event", "bytes = 600"];
    let words = [&[EXPRESSION], &ARGUMENTS[..], &events].concat();
    let found = printed(&bench(&place, &words));
    for part in [
        "parsed  ",
        "checked  ",
        "compiled to eBPF  ",
        "verified and lowered  ",
        "made native code  ",
        "made executable  ",
        "together  ",
        " bytes of eBPF; an agent keeps ",
        "name=SET bytes=600: accepted, ",
        "bytes=600: rejected, ",
        " ns native, ",
        " ns interpreted\n",
    ] {
        assert!(found.contains(part), "{part} in {found}");
    }
    let answer = json(&bench(
        &place,
        &[&words[..], &["--format", "json"]].concat(),
    ));
    let program = &answer["programs"][0];
    assert_eq!(answer["expression"], EXPRESSION);
    // Without the rest of its page.
    assert!(
        (1..4096).contains(&program["code_bytes"].as_u64().unwrap()),
        "{program}"
    );
    let verdicts = [0, 1].map(|event| &program["events"][event]["is_accepted"]);
    assert_eq!(verdicts, [true, false]);
    for event in program["events"].as_array().unwrap() {
        for cost in ["native_ns", "interpreted_ns"] {
            assert!(event[cost].as_f64().unwrap() > 0.0, "{event}");
        }
    }
    for step in ["parse", "check", "compile", "verify", "emit", "map"] {
        let took = &program["took"][format!("{step}_ns")];
        assert!(took.as_u64().unwrap() > 0, "{step}: {program}");
    }
    // Without a value each is 0 or empty.
    let found = printed(&bench(&place, &[&[EXPRESSION], &ARGUMENTS[..]].concat()));
    assert!(
        found.contains("an event without values: rejected"),
        "{found}"
    );
}

/// As an agent judges them: with the numbers that their types have.
#[test]
fn values_have_the_types_of_their_arguments() {
    let place = Place::new();
    let kinds = "s: i8, u: u16, w: u64, p: ptr, b: bool, e: enum(A=1), f: f32, d: f64";
    let judged = |expression: &str, event: &str| {
        let words = [expression, "--arguments", kinds, "--event", event];
        bench(&place, &[&words[..], &["--format", "json"]].concat())
    };
    for (expression, event, expected) in [
        ("f == 0.1", "f=0.1", false),
        ("f > 0.1", "f=0.1", true),
        ("f > 1e300", "f=inf", true),
        ("d == 0.1", "d=0.1", true),
        ("s == -128", "s=-128", true),
        ("u == 65535", "u=0xffff", true),
        ("w == -1", "w=18446744073709551615", true),
        ("p == -1", "p=0xffffffffffffffff", true),
    ] {
        let answer = json(&judged(expression, event));
        let found = &answer["programs"][0]["events"][0]["is_accepted"];
        assert_eq!(found, expected, "{expression}, {event}");
    }
    for (name, value, expected) in [
        ("s", "128", "expected an integer from -128 to 127"),
        ("s", "0xff", "expected an integer from -128 to 127"),
        ("u", "-1", "expected an integer from 0 to 65535"),
        (
            "w",
            "-1",
            "expected an integer from 0 to 18446744073709551615",
        ),
        (
            "p",
            "-1",
            "expected an integer from 0 to 18446744073709551615",
        ),
        ("b", "2", "expected an integer from 0 to 1"),
        ("e", "9223372036854775808", "to 9223372036854775807"),
        ("f", "1e39", "expected a double of 32 bits"),
        ("d", "1e309", "expected a double of 64 bits"),
    ] {
        let event = format!("{name}={value}");
        let output = judged(&format!("{name} != 5"), &event);
        let said = text(&output.stderr);
        assert!(said.contains(expected), "{event}: {said}");
        assert_eq!(output.status.code(), Some(2), "{event}: {said}");
    }
}

/// More values than native code has room for.
#[test]
fn without_native_code() {
    let place = Place::new();
    let expression = format!("{}x{}", "x | (".repeat(19), ")".repeat(19));
    let words = [
        expression.as_str(),
        "--arguments",
        "x: i64",
        "--event",
        "x=1",
    ];
    let found = printed(&bench(&place, &words));
    assert!(found.contains(" bytes, interpreted: it "), "{found}");
    assert!(found.contains("x=1: accepted, no native code, "), "{found}");
    let answer = json(&bench(
        &place,
        &[&words[..], &["--format", "json"]].concat(),
    ));
    let program = &answer["programs"][0];
    assert_eq!(program["code_bytes"], 0, "{program}");
    assert!(
        program["reason"].as_str().unwrap().contains("values"),
        "{program}"
    );
    let event = program["events"][0].as_object().unwrap();
    assert_eq!(event.get("native_ns"), Some(&Value::Null), "{program}");
    assert!(event["interpreted_ns"].as_f64().unwrap() > 0.0, "{program}");
}

#[test]
fn how_long_it_takes_until_a_process_judges() {
    let place = Place::new();
    let mut life = place.started(&["trace", "on", "none"]);
    let pid = life.pid();
    let words = ["x >= 4", "life:*", "--pid", &pid];
    let found = printed(&bench(&place, &words));
    for part in [
        "encoded  ",
        &format!("{pid} life: judges after "),
        "life:work, 1 site, ",
        "  published  ",
        " besides\n",
    ] {
        assert!(found.contains(part), "{part} in {found}");
    }
    // Nothing is done with what it accepts, unless that is asked for.
    let hits = || {
        let words = ["list", "--pid", &pid, "--format", "json"];
        let listed: Value = serde_json::from_str(&printed(&place.trace(&words))).unwrap();
        let site = &listed["processes"][0]["sites"][0];
        assert_eq!(site["filter"]["expression"], "x >= 4", "{site}");
        site["hits"].as_u64().unwrap()
    };
    life.works(7);
    assert_eq!(hits(), 0);
    let counted = [&words[..], &["--count", "--format", "json"]].concat();
    let answer = json(&bench(&place, &counted));
    life.works(7);
    assert_eq!(hits(), 3);
    let process = &answer["processes"][0];
    let times = ["asked_at_ns", "answered_at_ns"].map(|time| process[time].as_u64().unwrap());
    let parsed = answer["parsed_at_ns"].as_u64().unwrap();
    assert!(parsed <= times[0] && times[0] <= times[1], "{answer}");
    let probe = &process["probes"][0];
    assert_eq!(
        (&probe["probe"], &probe["sites"]),
        (&"life:work".into(), &1.into())
    );
    let mode = probe["mode"].as_str().unwrap();
    assert!(["native", "interpreted"].contains(&mode), "{probe}");
    assert!(probe["kept_bytes"].as_u64().unwrap() > 0, "{probe}");
    assert!(probe["verify_ns"].as_u64().unwrap() > 0, "{probe}");
}

/// Medians that are known: 3 predicates take 30, and the candidate twice that.
#[test]
fn charts_of_a_result() {
    let laboratory = Laboratory::new();
    let tool = "\
for n in 1 3 9; do echo \"VALUE $((n * 10 * $1)) ns evaluation text-and/$n\"; done
for n in 0 9; do echo \"VALUE $((n * 10 + 50)) ns event recorded/$n\"; done
for n in 1 9; do echo \"VALUE $((n * 100)) us ready ready/$n\"; done
";
    laboratory.program("tool", tool);
    let metric = |name: &str, unit: &str| {
        format!(
            "[[workloads.w.metrics]]\nname = \"{name}\"\nunit = \"{unit}\"\nbetter = \"lower\"\n\
             benchmark = \"*\"\nvalues = true\n"
        )
    };
    let metrics = [("evaluation", "ns"), ("event", "ns"), ("ready", "us")];
    let metrics = metrics.map(|(name, unit)| metric(name, unit)).concat();
    laboratory
        .run(&format!(
            "[design]\nruns = 6\nmetrics = [\"evaluation\", \"event\", \"ready\"]\n\
             [variants.one]\nvars = {{ times = \"1\" }}\n[variants.two]\nvars = {{ times = \"2\" }}\n\
             [workloads.w]\ndriver = \"generic\"\ncommand = [\"{{experiment}}/tool\", \"{{times}}\"]\n{metrics}"
        ))
        .code(0);
    let shown = laboratory.call(&["filter", "bench", "--result", "result", "--plots", "charts"]);
    let shown = shown.code(0).out;
    for part in [
        "evaluation (ns): text-and\n        1     3     9\none  10.0  30.0  90.0\ntwo  20.0  60.0   180\n",
        "times one\n        1     3     9\ntwo  2.00  2.00  2.00\n",
        "event (ns): recorded\n",
        "T = tK + te + tt, 9 texts, medians\n",
        "one                            900     90.00     50.00                140.90\n",
        "two                            900    180.00     50.00                230.90\n",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let drawing = laboratory.read("charts/evaluation-text-and.svg");
    assert!(
        drawing.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""),
        "{drawing}"
    );
    assert!(drawing.contains("svg.plot .line"), "{drawing}");
    assert!(drawing.ends_with("</svg>\n"), "{drawing}");
    assert!(!laboratory.read("charts/ready-ready.svg").is_empty());
}

/// Names that differ in characters that no file has, or in case only, and some that are too long for a file.
#[test]
fn each_chart_has_a_file_of_its_own() {
    let laboratory = Laboratory::new();
    let long = "ä".repeat(150);
    let charts = [
        "a/b",
        "a b",
        "A.B",
        &format!("{long}1"),
        &format!("{long}2"),
    ];
    let lines = charts.iter().flat_map(|chart| {
        [1, 2].map(|number| format!("echo 'VALUE {number} ns cost {chart}/{number}'\n"))
    });
    laboratory.program("tool", &lines.collect::<String>());
    laboratory
        .run(
            "[design]\nruns = 6\n[variants.one]\n[variants.two]\n[workloads.w]\ndriver = \"generic\"\n\
             command = [\"{experiment}/tool\"]\n[[workloads.w.metrics]]\nname = \"cost\"\nunit = \"ns\"\n\
             better = \"lower\"\nbenchmark = \"*\"\nvalues = true\n",
        )
        .code(0);
    laboratory
        .call(&["filter", "bench", "--result", "result", "--plots", "charts"])
        .code(0);
    let long = |letters, end| format!("cost-{}{end}", "ä".repeat(letters));
    for (name, chart) in [
        ("cost-a-b.svg", "a/b"),
        ("cost-a-b-2.svg", "a b"),
        ("cost-A-B-3.svg", "A.B"),
        (&long(45, ".svg"), "ä1"),
        (&long(44, "-2.svg"), "ä2"),
    ] {
        let drawing = laboratory.read(&format!("charts/{name}"));
        assert!(drawing.contains(chart), "{name}");
    }
}

#[test]
fn mistakes() {
    let place = Place::new();
    let with = |words: &[&'static str]| [&[EXPRESSION], &ARGUMENTS[..], words].concat();
    let directory = place.path("");
    let directory = directory.to_str().unwrap();
    let cases: [(&[&str], i32, &str); 9] = [
        (&[], 2, "required arguments were not provided"),
        (&["bytes >", "--arguments", "bytes: i64"], 2, "       ^\n"),
        (&with(&["--event", "size=3"]), 2, "takes no `size`"),
        (&with(&["--event", "ratio=3"]), 2, "takes no `ratio`"),
        (&with(&["--event", "bytes=big"]), 2, "`big` is no integer"),
        (&with(&["--event", "bytes"]), 2, "expected NAME=VALUE"),
        (
            &with(&["--event", "bytes=1, bytes=2"]),
            2,
            "`bytes` is given twice",
        ),
        (&with(&["--count"]), 2, "--pid"),
        (&["--result", directory], 2, "expected a results directory"),
    ];
    for (words, code, expected) in cases {
        let output = bench(&place, words);
        let said = text(&output.stderr);
        assert!(said.contains(expected), "{words:?}: {said}");
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        assert_eq!(text(&output.stdout), "", "{words:?}");
    }
}
