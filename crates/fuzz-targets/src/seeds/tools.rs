//! What the tools print that drivers read, and what users write for them.

use super::collection::{Collection, name, version_and_name};

const FIXTURES: &str = "crates/lab/drivers/tests/fixtures";

pub fn collect(all: &mut Collection<'_>) {
    values(all);
    redis_benchmark(all);
    drivers(all);
    counters(all);
    generic(all);
    turns(all);
}

fn values(all: &mut Collection<'_>) {
    let texts = [
        "{port} {port:m-1} {{}}",
        "1h30m 5.25s",
        "12ms",
        "99.5%",
        "0-3,5",
        "-c 50 -n 100000 -P 16 -r 1000 -t set,get -d 3 -q",
        "--threads 2 --precision 3 LPUSH list x",
    ];
    for (text, number) in texts.into_iter().zip(1..) {
        all.add("values", format!("{number}"), text);
    }
}

/// Each table of redis-benchmark, for its own driver and for rules that read any CSV.
fn redis_benchmark(all: &mut Collection<'_>) {
    for file in all.files_of_each(&format!("{FIXTURES}/redis-benchmark"), ".csv") {
        let (version, file_name) = version_and_name(&file);
        let name = format!("{version}-{}", file_name.trim_end_matches(".csv"));
        all.add_file("redis_benchmark", name.as_str(), "", &file);
        let stderr = file.replace(".csv", ".stderr");
        if all.has(&stderr) {
            let both = [all.read(&file), vec![0], all.read(&stderr)].concat();
            all.add("redis_benchmark", format!("{name}-stderr"), both);
        }
        for (rule, prefix) in [
            ("named", "Crps\n"),
            ("numbered", "c2\n"),
            ("pattern", "R2\n"),
        ] {
            all.add_file("generic", format!("{name}-{rule}"), prefix, &file);
        }
    }
}

/// `TOOL/VERSION/CASE.stderr` is standard error, any other file standard output.
fn drivers(all: &mut Collection<'_>) {
    for directory in all.directories(FIXTURES) {
        let tool = name(&directory);
        for file in all.files_of_each(&directory, "") {
            let (version, file_name) = version_and_name(&file);
            let prefix = match file_name.rsplit_once('.') {
                Some((_, "md")) => continue,
                Some((_, "stderr")) => format!("{tool}\n\0"),
                _ => format!("{tool}\n"),
            };
            let name = format!("{tool}-{version}-{file_name}");
            all.add_file("drivers", name, &prefix, &file);
        }
    }
}

/// Each output of `perf stat`, behind the events in it.
fn counters(all: &mut Collection<'_>) {
    for file in all.files_of_each(&format!("{FIXTURES}/perf-stat"), ".csv") {
        let content = String::from_utf8(all.read(&file)).expect("the output is text");
        let lines = content
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let events: Vec<&str> = lines
            .filter(|line| line.split(',').count() > 3)
            .filter_map(|line| line.split(',').nth(2))
            .collect();
        let name = name(&file).trim_end_matches(".csv");
        let input = format!("{}\n{content}", events.join(","));
        all.add("counters", name, input);
    }
}

/// One output for each kind of rule. Those for CSV and JSON are added with the fixtures that they read.
fn generic(all: &mut Collection<'_>) {
    let rate = "rate: 12.5\ntotal  3 s\n";
    all.add("generic", "rate", format!("r1\n{rate}"));
    all.add("generic", "total", format!("r4\n{rate}"));
    all.add(
        "generic",
        "every",
        "V\nVALUE 1.5 ms p50 latency\nother\nVALUE 2 1/s rate\n",
    );
    all.add(
        "generic",
        "value",
        "vms p50\nVALUE 1.5 ms p50\nVALUE 2 1/s rate\n",
    );
}

/// What a process says that took the turns of two targets; with a slice missing, and with one told of twice.
fn turns(all: &mut Collection<'_>) {
    let line = |target: u32, slice: u32| {
        format!(
            "{{\"target\":{target},\"slice\":{slice},\"at_s\":0.{slice}25,\"wall_s\":0.00{slice}5,\"rps\":5{target}1.5}}\n"
        )
    };
    let whole = [line(1, 1), line(0, 1), line(0, 2), line(1, 2)];
    all.add("turns", "whole", format!("2 2\n{}", whole.concat()));
    all.add("turns", "missing", format!("2 2\n{}", whole[..3].concat()));
    let twice = [&whole[..], &whole[..1]].concat();
    all.add("turns", "twice", format!("2 2\n{}", twice.concat()));
}
