//! The measured part of docs/rcu.md is what perflab prints, and the experiments on RCU go through with a program that
//! answers as perflab-kv does.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use perflab_testing::needs;

use crate::documents::root;
use crate::support::Laboratory;

/// Answers as `perflab-kv rcu` does. There is no liburcu-signal; memb reads nine times as fast as mb.
const KV: &str = r#"
case $2 in
list) echo memb: liburcu-memb.so.8 ;;
possible) [ "$3" != signal ] || { echo liburcu-signal.so.8: cannot open shared object file; exit 77; } ;;
barrier) echo "{\"mean_ns\":8660,\"calls\":$5,\"evidence\":{\"interrupts\":9,\"sleeps\":9}}" ;;
run)
  n=$(($(cat "$0.$3" 2>/dev/null || echo 0) + 1))
  echo $n > "$0.$3"
  case $3 in mb) reads=100 ;; memb) reads=900 ;; *) reads=500 ;; esac
  reads=$((reads * 1000 + n * 7 % 31))
  latency='"p50_ns":1500,"p99_ns":4200,"max_ns":5000'
  buckets='{"from_ns":1024,"count":2},{"from_ns":1536,"count":1},{"from_ns":4096,"count":1}'
  counts='"waits":4,"membarrier_expedited":8,"membarrier_global":0,"signals_handled":0'
  facts='"futex_waits":0,"quiescent_states":0,"generation":"0.13","barrier":"mfence"'
  echo "{\"reads_per_s\":$reads,\"writes_per_s\":$((reads / 10)),\"grace_periods\":{$latency,\
\"histogram\":[$buckets]},\"proof\":{$counts},\"evidence\":{$counts,$facts}}" ;;
esac
"#;

/// A shipped experiment with that program, and with few runs.
fn measured(name: &str) -> Laboratory {
    measured_by(KV, name)
}

/// The same with this program.
fn measured_by(program: &str, name: &str) -> Laboratory {
    needs("python3", "python3");
    let file = root().join(format!("experiments/{name}.toml"));
    let experiment = fs::read_to_string(file).unwrap();
    let few = experiment
        .replace("/../target/release/perflab-kv", "/kv")
        .replace("runs = 15", "runs = 6")
        .replace("runs = 12", "runs = 6")
        .replace("slices = 8", "slices = 2");
    let laboratory = Laboratory::new();
    laboratory.program("kv", program);
    laboratory.run(&few).code(0);
    laboratory
}

fn page(root: &Path, laboratory: Option<&Laboratory>, flags: &[&str]) -> Output {
    let mut command = Command::new(root.join("scripts/rcu-page"));
    command.args(flags);
    if let Some(laboratory) = laboratory {
        command.arg("--from").arg(laboratory.path("result"));
    }
    command
        .env("PERFLAB", env!("CARGO_BIN_EXE_perflab"))
        .output()
        .unwrap()
}

/// What a page has, after a success.
fn text(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn each_arm_is_shown_with_its_figures_or_with_the_reason() {
    let laboratory = measured("membarrier");
    let page = text(page(&root(), Some(&laboratory), &["--print"]));
    let reason = "not measured here: liburcu-signal.so.8: cannot open shared object file";
    for row in [
        "| `mb` | in the reader | 1.00 M | 100 k | 973 M | 892 k |",
        "| `memb` | by membarrier, expedited, behind the check | 9.00 M | 900 k | 4.32 G | 504 k |",
        &format!("| `signal` | by a signal to each reader | {reason} | | 6.29 G | 1.25 k |"),
        "| 8.70 G | 313 |",
        &format!("| `signal` against `mb` | {reason} |"),
        "| −6.8 % | −8.4 % |",
        "| expedited | 8.66 us | 8.66 us | 2 to 3 us |",
        "| `memb` | 1.50 us | 4.20 us | 5.00 us |",
        &format!("| `signal` | {reason} |"),
        // Two slices of a run, added up; and the shares of all runs.
        "| `memb` | 8 | 16 | 0 | 0 | 0 | 0 | 0.13 | mfence |",
        "| 1.02 us to 2.05 us | 75.0 |",
        "| 4.10 us to 8.19 us | 25.0 |",
    ] {
        assert!(page.contains(row), "{row} in\n{page}");
    }
    let compare = [
        "compare",
        "result",
        "--baseline",
        "mb",
        "--gate",
        "none",
        "--format",
        "json",
    ];
    let report = laboratory.call(&compare).code(0).json();
    let mut rows = report["rows"].as_array().unwrap().iter();
    let row = rows.find(|row| row["variant"] == "memb" && row["metric"]["name"] == "reads");
    let row = row.unwrap();
    let percent = 100.0 * row["typical"]["difference"].as_f64().unwrap();
    let shown = format!("| `memb` against `mb` | {percent:+.2} % [");
    assert!(page.contains(&shown), "{shown} in\n{page}");
    let headline = row["headline"].as_str().unwrap();
    assert!(page.contains(headline), "{headline} in\n{page}");
}

#[test]
fn without_liburcu_the_rest_is_measured() {
    let without = "case $3 in own-*|rwlock) ;; *) echo no liburcu; exit 77 ;; esac";
    let program = KV.replacen("possible)", &format!("possible) {without}; "), 1);
    let laboratory = measured_by(&program, "membarrier");
    let page = text(page(&root(), Some(&laboratory), &["--print"]));
    for row in [
        "| `mb` | in the reader | not measured here: no liburcu | | 973 M | 892 k |",
        "| `own-membarrier` | by membarrier, expedited | 5.00 M | 500 k | | |",
        "| `mb` against `own-qsbr` | not measured here: no liburcu |",
        "| `rwlock` against `own-qsbr` | ",
        "| expedited | 8.66 us | 8.66 us | 2 to 3 us |",
    ] {
        assert!(page.contains(row), "{row} in\n{page}");
    }
}

#[test]
fn a_call_that_cannot_be_measured_is_shown_with_the_reason() {
    let alone = "case $* in *busy*possible*) echo one CPU; exit 77 ;; esac";
    let program = KV.replacen("barrier)", &format!("barrier) {alone}; "), 1);
    let laboratory = measured_by(&program, "membarrier");
    let page = text(page(&root(), Some(&laboratory), &["--print"]));
    let row = "| expedited | 8.66 us | not measured here: one CPU | 2 to 3 us |";
    assert!(page.contains(row), "{row} in\n{page}");
}

#[test]
fn readers_are_shown_by_their_number() {
    let laboratory = measured("rcu-readers");
    let page = text(page(&root(), Some(&laboratory), &["--print"]));
    let header = "| | `rwlock` | `mb` | `memb` | `qsbr` | `own-qsbr` | `own-membarrier` |";
    assert_eq!(page.matches(header).count(), 2, "{page}");
    for readers in [1, 2, 4, 8] {
        let row = format!("| {readers} | 500 k | 100 k | 900 k | 500 k | 500 k | 500 k |");
        assert_eq!(page.matches(&row).count(), 2, "{row} in\n{page}");
    }
    assert!(page.contains("The same against `rwlock`"), "{page}");
}

#[test]
fn the_page_holds_what_is_stored() {
    needs("python3", "python3");
    text(page(&root(), None, &["--check"]));
    let stored = root().join("docs/rcu");
    if stored.exists() {
        for file in [
            "membarrier.tar.xz",
            "rcu-readers.tar.xz",
            "rcu-inline.tar.xz",
            "outputs.json",
        ] {
            assert!(stored.join(file).exists(), "{file} is not in docs/rcu");
        }
    }
}

#[test]
fn an_edited_page_is_found() {
    let laboratory = measured("membarrier");
    let copy = tempfile::tempdir().unwrap();
    let copy = copy.path();
    for directory in ["scripts", "docs"] {
        fs::create_dir(copy.join(directory)).unwrap();
    }
    for file in ["scripts/rcu-page", "scripts/stored.py", "docs/rcu.md"] {
        fs::copy(root().join(file), copy.join(file)).unwrap();
    }
    text(page(copy, Some(&laboratory), &[]));
    text(page(copy, None, &["--check"]));
    let written = fs::read_to_string(copy.join("docs/rcu.md")).unwrap();
    let printed = text(page(copy, Some(&laboratory), &["--print"]));
    assert!(written.contains(&printed), "{written}");
    let edited = written.replacen("973 M", "974 M", 1);
    fs::write(copy.join("docs/rcu.md"), edited).unwrap();
    let checked = page(copy, None, &["--check"]);
    let said = String::from_utf8(checked.stderr).unwrap();
    assert!(!checked.status.success(), "{said}");
    assert!(said.contains("rcu.md is not what perflab prints"), "{said}");
}
