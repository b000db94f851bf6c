//! The names that results get where they are exported by their commands.

use crate::support::Laboratory;

/// The commands of the results in hyperfine's JSON.
fn commands(laboratory: &Laboratory) -> Vec<String> {
    let export = ["export", "result", "--to", "hyperfine"];
    let document = laboratory.call(&export).code(0).json();
    let results = document["results"].as_array().unwrap();
    let names = results.iter().map(|entry| entry["command"].as_str());
    names.map(|name| name.unwrap().to_owned()).collect()
}

/// What the laboratory fills in is drawn again for each system or run, and says nothing of what is compared.
#[test]
fn commands_that_differ_by_what_was_drawn_are_no_names() {
    for drawn in ["{port}", "{dir}", "{run}/x"] {
        let laboratory = Laboratory::new();
        laboratory
            .run(&format!(
                "[design]\nruns = 2\nblock = 1\nrefresh = 'keep'\n\
                 [variants.old]\nstart = ['sleep', '3600']\n[variants.new]\nstart = ['sleep', '3600']\n\
                 [workloads.w]\ndriver = 'command'\ncommand = ['true', '{drawn}']\n"
            ))
            .code(0);
        assert_eq!(commands(&laboratory), ["old/w", "new/w"], "{drawn}");
    }
}

#[test]
fn commands_that_differ_by_the_variant_are_names() {
    let laboratory = Laboratory::new();
    laboratory
        .run(
            "[design]\nruns = 2\nblock = 1\n\
             [variants.old]\nvars = { much = '0' }\n[variants.new]\nvars = { much = '0.0' }\n\
             [workloads.w]\ndriver = 'command'\ncommand = ['sleep', '{much}']\n",
        )
        .code(0);
    assert_eq!(commands(&laboratory), ["sleep 0", "sleep 0.0"]);
}

/// Names, units and benchmarks are what a workload printed.
#[test]
fn names_that_a_workload_chose_steer_nothing() {
    const EXPERIMENT: &str = r#"
[design]
runs = 2
block = 1

[variants.a]

[variants.b]

[workloads.w]
driver = "generic"
command = ["printf", 'VALUE 4 <i>|s a<script>`b`|c\033]0;pwn\007\n']

[[workloads.w.metrics]]
name = "*"
unit = ""
better = "lower"
values = true
"#;
    let laboratory = Laboratory::new();
    laboratory.run(EXPERIMENT).code(0);
    let export = |format: &str| {
        let arguments = ["export", "result", "--to", format];
        laboratory.call(&arguments).code(0).out
    };
    for format in [
        "bmf",
        "csv",
        "github-smaller-is-better",
        "go-bench",
        "markdown",
        "openmetrics",
    ] {
        let text = export(format);
        let steers = |character: char| character.is_control() && character != '\n';
        assert!(!text.contains(steers), "{format}: {text:?}");
    }
    let csv = export("csv");
    assert!(csv.contains(r"c\u{1b}]0;pwn\u{7}"), "{csv}");
    let table = export("markdown");
    assert!(table.contains(r"a&lt;script&gt;\`b\`\|c"), "{table}");
    assert!(table.contains(r" &lt;i&gt;\|s "), "{table}");
}
