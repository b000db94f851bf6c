//! The measured parts of docs/filters.md are what perflab prints.

use std::fs;
use std::process::{Command, Output};

use perflab_testing::needs;
use serde_json::Value;

use crate::documents::root;
use crate::support::Laboratory;

/// Costs of the arms in times of the native one: 5 interpreted, 3 strcmp, 30 LTTng; the other forms in C as much.
const TOOL: &str = r#"
case $1 in
interpreted) f=50 ;;
strcmp) f=30 ;;
lttng) f=300 ;;
*) f=10 ;;
esac
for chart in text-and text-or integer-and; do
    for n in 1 5 9 50; do echo "VALUE $((n * f)) ns evaluation $chart/$n"; done
done
case $1 in native | interpreted | lttng)
    for event in integer/0 integer/1 recorded/0 recorded/9 rejected/1 rejected/9; do
        echo "VALUE $((f * 5)) ns event $event"
    done
    for n in 9 50; do
        echo "VALUE $((f * 50)) us ready ready/$n"
        echo "VALUE 9216 bytes memory memory/$n"
    done ;;
esac
"#;

const ARMS: [&str; 9] = [
    "native",
    "interpreted",
    "strcmp",
    "memcmp16",
    "memcmp16-local",
    "wide",
    "wide-local",
    "sse2",
    "lttng",
];

const METRICS: [(&str, &str); 4] = [
    ("evaluation", "ns"),
    ("event", "ns"),
    ("ready", "us"),
    ("memory", "bytes"),
];

fn measured() -> Laboratory {
    let laboratory = Laboratory::new();
    laboratory.program("tool", TOOL);
    let variants = ARMS.map(|arm| format!("[variants.{arm}]\n")).concat();
    let metrics = METRICS.map(|(name, unit)| {
        format!(
            "[[workloads.w.metrics]]\nname = \"{name}\"\nunit = \"{unit}\"\nbetter = \"lower\"\n\
             benchmark = \"*\"\nvalues = true\n"
        )
    });
    let metrics = metrics.concat();
    laboratory
        .run(&format!(
            "[design]\nruns = 3\nmetrics = [\"evaluation\", \"event\", \"ready\", \"memory\"]\n{variants}\
             [workloads.w]\ndriver = \"generic\"\ncommand = [\"{{experiment}}/tool\", \"{{variant}}\"]\n{metrics}"
        ))
        .code(0);
    laboratory
}

fn page(words: &[&str]) -> Output {
    needs("python3", "python3");
    Command::new(root().join("scripts/filters-page"))
        .args(words)
        .env("PERFLAB", env!("CARGO_BIN_EXE_perflab"))
        .output()
        .unwrap()
}

#[test]
fn the_page_holds_what_is_stored() {
    let checked = page(&["--check"]);
    assert!(checked.status.success(), "{checked:?}");
}

#[test]
fn figures_are_those_of_the_charts() {
    let laboratory = measured();
    let result = laboratory.path("result");
    let printed = page(&["--from", result.to_str().unwrap(), "--print"]);
    assert!(printed.status.success(), "{printed:?}");
    let printed = String::from_utf8(printed.stdout).unwrap();
    let charts = laboratory.call(&["filter", "bench", "--result", "result"]);
    let charts = charts.code(0).out;
    assert!(printed.contains(charts.trim_end()), "{charts}\n{printed}");
    for row in [
        "| native, times the fastest of four forms in C, median over all chains | 1.000 | at most 1.05 | met |",
        "| native, times SSE2 in C, median over all chains | 1.000 | no bar | |",
        "| interpreted, times strcmp, text-and/50 | 1.67 | at most 6 | met |",
        "| LTTng's evaluation, times ours, text-and/9 | 30.0 | at least 20 | met |",
        "| event rejected by one integer, more than one that is counted | +0.00 ns | at most 1.5 ns | met |",
        "| LTTng's event accepted by nine texts and recorded, times ours | 30.0 | at least 4 | met |",
        "| from the parsed expression to the first event judged, 50 texts | 500 us | at most 1 ms | met |",
        "| memory of a filter of 50 texts | 9.00 KiB | at most 8 KiB | **missed** |",
    ] {
        assert!(printed.contains(row), "{row} in\n{printed}");
    }
    assert!(
        printed.contains("layouts at least: fewer than 20."),
        "{printed}"
    );
    assert!(
        printed.contains("27 of 27 planned runs in 1 blocks, none failed."),
        "{printed}"
    );
}

/// What is left of a time without that of an empty filter may be nothing, or less.
#[test]
fn no_time_is_no_multiple() {
    needs("python3", "python3");
    let laboratory = measured();
    let records = laboratory.read("result/runs.jsonl");
    let records = records.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        let time: f64 = if record["variant"] == "native" {
            3.0
        } else {
            -0.1
        };
        for sample in record["samples"].as_array_mut().unwrap() {
            if sample["benchmark"] == "integer-and/1" {
                sample["value"] = time.into();
            }
        }
        record.to_string() + "\n"
    });
    let records: String = records.collect();
    fs::create_dir(laboratory.path("changed")).unwrap();
    laboratory.write("changed/runs.jsonl", records);
    let printed = Command::new("python3")
        .arg(root().join("bench/filters/run"))
        .arg("--aims")
        .arg(laboratory.path("changed"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&printed.stderr);
    assert!(printed.status.success(), "{said}");
    let printed = String::from_utf8(printed.stdout).unwrap();
    let row =
        "furthest off, integer-and/1 | inf, +3.10 ns | at most 1.15 or 0.5 ns more | **missed** |";
    assert!(printed.contains(row), "{row} in\n{printed}");
}
