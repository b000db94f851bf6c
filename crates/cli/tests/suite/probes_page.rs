//! The measured part of docs/probes-in-redis.md is what perflab prints.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use perflab_testing::needs;
use serde_json::Value;

use crate::documents::root;
use crate::support::Laboratory;

/// One run more than the boxes of the report have.
const RUNS: usize = 31;

const HITS: &str = "\
request type  probes in each request  hits per request  requests/s  hits/s
GET                               47              65.8       13755  9.1e+05
LPUSH                             47              60.0       36101  2.3e+06

hits per request
probe                           GET
";

/// Prints the values of a run: they vary from run to run, and those of a variant lie around its rate. One run is slow,
/// so that the mean is not the typical run.
const TOOL: &str = r#"
n=$(($(cat "$0.$1" 2>/dev/null || echo 0) + 1))
echo $n > "$0.$1"
case $1 in
none) rate=50000 time=9000 ;;
branch) rate=48900 time=9200 ;;
patched) rate=49000 time=9100 ;;
esac
[ $1$n != patched5 ] || rate=$((rate / 2))
echo "GET $((rate + n * 7 % 31 * 10)) $((time + n * 5 % 31))"
echo "LPUSH $((rate + n * 11 % 31 * 10)) $((time + n * 3 % 31))"
echo "LPUSH_REFILL $((rate + 1000 + n)) -"
"#;

fn experiment(runs: usize) -> String {
    let mut text = format!(
        "[design]\nruns = {runs}\nblock = 1\nseed = 1\nmetrics = [\"rps\", \"system_cpu\"]\n\
         [variants.none]\n[variants.branch]\n[variants.patched]\n\
         [workloads.w]\ndriver = \"generic\"\ncommand = [\"{{experiment}}/tool\", \"{{variant}}\"]\n"
    );
    let rates = ["GET", "LPUSH", "LPUSH_REFILL"].map(|name| (name, "rps", "1/s", "higher", ""));
    let times = ["GET", "LPUSH"].map(|name| (name, "system_cpu", "ns", "lower", r"\d+ "));
    for (benchmark, metric, unit, better, before) in rates.into_iter().chain(times) {
        writeln!(
            text,
            "[[workloads.w.metrics]]\nname = \"{metric}\"\nunit = \"{unit}\"\nbetter = \"{better}\"\n\
             benchmark = \"{benchmark}\"\nregex = '^{benchmark} {before}(\\d+)'"
        )
        .unwrap();
    }
    text
}

fn measured(runs: usize) -> Laboratory {
    needs("python3", "python3");
    let laboratory = Laboratory::new();
    laboratory.program("tool", TOOL);
    laboratory.run(&experiment(runs)).code(0);
    laboratory.write("hits", HITS);
    laboratory
}

fn page(root: &Path, laboratory: Option<&Laboratory>, flags: &[&str]) -> Output {
    let mut command = Command::new(root.join("scripts/probes-page"));
    command.args(flags);
    if let Some(laboratory) = laboratory {
        command.arg("--from").arg(laboratory.path("result"));
        command.arg("--hits").arg(laboratory.path("hits"));
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

/// The values of a variant in the runs of the report.
fn values(laboratory: &Laboratory, variant: &str, benchmarks: &[&str]) -> String {
    let mut values = String::new();
    for benchmark in benchmarks {
        let records = laboratory.records();
        let of_variant = records.iter().filter(|run| run["variant"] == variant);
        for run in of_variant.take(RUNS - 1) {
            let samples = run["samples"].as_array().unwrap();
            let is = |sample: &&Value| sample["benchmark"] == *benchmark && sample["name"] == "rps";
            writeln!(values, "{}", samples.iter().find(is).unwrap()["value"]).unwrap();
        }
    }
    values
}

#[test]
fn figures_are_those_of_ministat_and_compare() {
    let laboratory = measured(RUNS);
    let page = text(page(&root(), Some(&laboratory), &["--print"]));
    assert_boxes(&laboratory, &page);
    assert_verdicts(&laboratory, &page);
    // 65.8 in each of 49 150 requests, the median of `patched`.
    assert!(
        page.contains("65.8 hits of probes in each request: 3.23 million a second"),
        "{page}"
    );
}

/// The boxes are about the runs of the report.
fn assert_boxes(laboratory: &Laboratory, page: &str) {
    let types: [(&str, &[&str]); 2] = [("GET", &["GET"]), ("LPUSH", &["LPUSH", "LPUSH_REFILL"])];
    for (name, benchmarks) in types {
        for base in ["none", "branch"] {
            let files = [base, "patched"].map(|variant| {
                let file = format!("{name}.{variant}");
                laboratory.write(&file, values(laboratory, variant, benchmarks));
                file
            });
            let words = ["ministat", "-w", "74", &files[0], &files[1]];
            let printed = laboratory.call(&words).code(0).out;
            let runs = format!("x  {} ", 30 * benchmarks.len());
            assert!(printed.contains(&runs), "{printed}");
            assert!(page.contains(&printed), "{printed}\n{page}");
        }
    }
}

/// The verdicts are about all runs.
fn assert_verdicts(laboratory: &Laboratory, page: &str) {
    for base in ["none", "branch"] {
        let words = [
            "compare",
            "result",
            "--baseline",
            base,
            "--gate",
            "none",
            "--format",
            "json",
        ];
        let report = laboratory.call(&words).code(0).json();
        let rows = report["rows"].as_array().unwrap();
        let patched = rows.iter().filter(|row| row["variant"] == "patched");
        for row in patched {
            let percent = 100.0 * row["typical"]["difference"].as_f64().unwrap();
            let shown = format!("{percent:+.2} % [").replace('-', "−");
            let headline = row["headline"].as_str().unwrap();
            assert!(page.contains(&shown), "{shown} in\n{page}");
            assert!(page.contains(headline), "{headline} in\n{page}");
        }
    }
    assert!(
        page.contains("| **typical run slower** | −1.99 % ["),
        "{page}"
    );
}

#[test]
fn the_page_holds_what_is_stored() {
    needs("python3", "python3");
    text(page(&root(), None, &["--check"]));
}

#[test]
fn an_edited_page_is_found() {
    let laboratory = measured(6);
    let copy = tempfile::tempdir().unwrap();
    let copy = copy.path();
    let file = "docs/probes-in-redis.md";
    for directory in ["scripts", "docs"] {
        fs::create_dir(copy.join(directory)).unwrap();
    }
    for file in ["scripts/probes-page", "scripts/stored.py", file] {
        fs::copy(root().join(file), copy.join(file)).unwrap();
    }
    text(page(copy, Some(&laboratory), &[]));
    text(page(copy, None, &["--check"]));
    let written = fs::read_to_string(copy.join(file)).unwrap();
    let printed = text(page(copy, Some(&laboratory), &["--print"]));
    assert!(written.contains(&printed), "{written}");
    fs::write(copy.join(file), written.replacen("planned runs", "runs", 1)).unwrap();
    let checked = page(copy, None, &["--check"]);
    let said = String::from_utf8(checked.stderr).unwrap();
    assert!(!checked.status.success(), "{said}");
    assert!(
        said.contains("probes-in-redis.md is not what perflab prints"),
        "{said}"
    );
}
