//! Files of other tools, and plain columns of numbers.

use super::collection::{Collection, name, version_and_name};

const FIXTURES: &str = "crates/lab/formats/tests/fixtures";

pub fn collect(all: &mut Collection<'_>) {
    hyperfine(all);
    single_files(all);
    trees(all);
    all.add("foreign", "columns", "columns\n# a\n1.5 x\n-2e3\n");
    columns(all);
    test_reports(all);
}

/// Each recorded report of a test runner. Beside it is a table of what is read in it.
fn test_reports(all: &mut Collection<'_>) {
    let directory = format!("{FIXTURES}/test-reports");
    for file in all.files_of_each(&directory, "") {
        let (format, file_name) = version_and_name(&file);
        if !file_name.ends_with(".read") {
            let name = format!("{format}-{file_name}");
            all.add_file("test_reports", name, &format!("{format}\n"), &file);
        }
    }
}

/// Each result of hyperfine, for its own reader and for rules that read any JSON.
fn hyperfine(all: &mut Collection<'_>) {
    for file in all.files_of_each(&format!("{FIXTURES}/hyperfine"), ".json") {
        let (version, file_name) = version_and_name(&file);
        let name = format!("{version}-{file_name}");
        all.add_file("hyperfine", name.as_str(), "", &file);
        all.add_file("generic", name.as_str(), "j/results/0/mean\n", &file);
        all.add_file(
            "generic",
            format!("{name}-all"),
            "J/results/0/times\n",
            &file,
        );
    }
}

/// Formats of which each file is a result.
fn single_files(all: &mut Collection<'_>) {
    for (format, directory, end) in [
        ("go-bench", "go-bench", ""),
        ("pyperf", "pyperf", ""),
        ("google-benchmark", "google-benchmark", ""),
        ("jmh", "jmh", ""),
        ("cargo-criterion", "cargo-criterion", ""),
        ("hyperfine", "hyperfine/1.20.0", ".json"),
    ] {
        for file in all.files(&format!("{FIXTURES}/{directory}"), end) {
            let name = format!("{directory}/{}", name(&file)).replace('/', "-");
            all.add_file("foreign", name, &format!("{format}\n"), &file);
        }
    }
}

/// Formats of which a directory is a result. A line `== path` is before the content of each file.
fn trees(all: &mut Collection<'_>) {
    for format in ["criterion", "asv", "regress-all"] {
        let directory = format!("{FIXTURES}/{format}/");
        let mut input = format!("{format}\n").into_bytes();
        for file in all.tree(directory.trim_end_matches('/')) {
            let path = file.strip_prefix(&directory).unwrap_or(&file);
            input.extend(format!("== {path}\n").bytes());
            input.extend(all.read(&file));
            input.push(b'\n');
        }
        all.add("foreign", format, input);
    }
}

fn columns(all: &mut Collection<'_>) {
    for file in all.files("crates/judge/stats/tests/data", ".txt") {
        let name = name(&file);
        all.add_file("columns", name, "1 \t\n", &file);
        all.add_file("ministat", name, "\n", &file);
        let options = "-s -w60 -c90 -d,;\n";
        all.add_file("ministat", format!("{name}-options"), options, &file);
    }
    all.add("columns", "comma", "2,\na, 1.5, 2\nb, -3e1,\n# no\nc,.5\n");
    all.add(
        "ministat",
        "comma",
        "-An -C2 -d,\na, 0x1.8p3\nb, -3e1\n# no\nc, inf\n",
    );
}
