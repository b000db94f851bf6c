//! `perflab init` writes files that can be run as they are, and never over another file.

use crate::support::Laboratory;

#[test]
fn commands_become_variants_that_can_be_run() {
    let laboratory = Laboratory::new();
    laboratory
        .call(&["init", "sleep 0.001", r#"awk 'BEGIN {exit "{" == ""}'"#])
        .code(0);
    laboratory
        .call(&["run", "experiment.toml", "--runs", "3", "--out", "result"])
        .code(0);
    laboratory.assert_complete(6);
    // Without a gate: three runs can come out different by chance, and these commands may be.
    laboratory
        .call(&["compare", "result", "--gate", "none"])
        .code(0)
        .prints(&["3 runs each", "against"]);
}

#[test]
fn what_is_commented_out_can_be_taken_in() {
    let laboratory = Laboratory::new();
    laboratory.call(&["init", "true", "sleep 0"]).code(0);
    let file = laboratory.read("experiment.toml");
    let all = file
        .replace("# [cpus] ", "[cpus] ")
        .replace("# [variants.a-again]", "[variants.a-again]");
    let all: Vec<String> = all
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if rest.split_once(" = ").is_some_and(|(key, _)| is_key(key)) => {
                rest.replace("load = [1]", "load = [0]")
            }
            _ => line.to_owned(),
        })
        .collect();
    let all = all
        .join("\n")
        .replace("\n[design]\n", "\n[design]\ncontrol = \"a-again\"\n");
    assert!(
        all.contains("\nmargin = ") && all.contains("\nprepare = "),
        "{all}"
    );
    laboratory.write(
        "all.toml",
        all.replace("prepare = \"...\"", "prepare = \"true\""),
    );
    laboratory.call(&["run", "all.toml", "--dry-run"]).code(0);
    assert!(
        laboratory
            .call(&["run", "all.toml", "--runs", "3", "--out", "result"])
            .code(0)
            .err
            .contains("9 runs")
    );
}

fn is_key(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[test]
fn one_command_is_compared_with_itself() {
    let laboratory = Laboratory::new();
    laboratory.call(&["init", "true", "-o", "one.toml"]).code(0);
    laboratory
        .call(&["run", "one.toml", "--runs", "3", "--out", "result"])
        .code(0);
    laboratory
        .call(&["compare", "result", "--gate", "none"])
        .code(0)
        .prints(&["after against before", "about the typical run"]);
}

#[test]
fn a_server_gets_its_port_and_a_known_tool_its_driver() {
    let laboratory = Laboratory::new();
    let server = "redis-server --port {port} --dir {dir}";
    let load = "redis-benchmark -p {port} -n 20000 -t ping";
    laboratory.call(&["init", "--server", server, load]).code(0);
    let written = laboratory.read("experiment.toml");
    assert!(
        written.contains("driver = \"redis-benchmark\""),
        "{written}"
    );
    // The tool's work can be cut.
    assert!(written.contains("\nslices = 40 "), "{written}");
    laboratory
        .call(&["run", "experiment.toml", "--runs", "3", "--out", "result"])
        .code(0);
    laboratory.assert_complete(6);
}

/// With the defaults of its tool, a run takes minutes on a busy machine.
#[test]
fn the_time_limit_fits_a_tool_with_its_defaults() {
    let written = |load: &str| {
        let laboratory = Laboratory::new();
        let server = "redis-server --port {port}";
        let arguments = ["init", "-o", "-", "--server", server, load];
        laboratory.call(&arguments).code(0).out
    };
    let defaults = written("redis-benchmark -p {port}");
    assert!(defaults.contains("\ntimeout = \"10m\" "), "{defaults}");
    let hint = "# For shorter runs, choose types with -t";
    assert!(defaults.contains(hint), "{defaults}");
    for chosen in ["-n 1000", "-t get"] {
        let chosen = written(&format!("redis-benchmark -p {{port}} {chosen}"));
        assert!(!chosen.contains(hint), "{chosen}");
    }
}

#[test]
fn slices_are_proposed_where_servers_can_take_turns() {
    let written = |arguments: &[&str]| {
        let laboratory = Laboratory::new();
        let all = [&["init", "-o", "-"], arguments].concat();
        laboratory.call(&all).code(0).out
    };
    let turns = "\n# slices = 40 ";
    let both = written(&["--server", "s {port}", "load {port}"]);
    assert!(
        both.contains(turns) && both.contains("\nblock = 3 "),
        "{both}"
    );
    // As many as the tool's work has parts.
    for (load, slices) in [
        ("wrk -d 10s http://127.0.0.1:{port}/", "\nslices = 10 "),
        ("pgbench -t 4000 -p {port}", "\nslices = 40 "),
        ("redis-benchmark -p {port} -n 5000", "\nslices = 10 "),
        ("wrk -d 2s http://127.0.0.1:{port}/", turns),
        ("redis-benchmark -p {port} --threads 2", turns),
    ] {
        let written = written(&["--server", "s {port}", load]);
        assert!(written.contains(slices), "{load}: {written}");
    }
    // Both would listen on the same port.
    for alone in [
        written(&["--server", "s -p 7000", "wrk http://127.0.0.1:7000"]),
        written(&["true", "false"]),
    ] {
        assert!(
            !alone.contains("slices") && alone.contains("\nblock = 3 "),
            "{alone}"
        );
    }
}

#[test]
fn nothing_is_written_over_and_nonsense_is_refused() {
    let laboratory = Laboratory::new();
    laboratory.write("experiment.toml", "mine");
    laboratory
        .call(&["init", "true"])
        .code(2)
        .says(&["experiment.toml is there already", "-o"]);
    assert_eq!(laboratory.read("experiment.toml"), "mine");
    for (arguments, words) in [
        (&["init"][..], "COMMAND"),
        (&["init", ""], "a command is empty"),
        (
            &["init", "true", "", "-o", "new.toml"],
            "a command is empty",
        ),
        (
            &["init", "--server", "a 'x", "b", "-o", "new.toml"],
            "cannot split",
        ),
        (
            &["init", "true", "-o", "no/new.toml"],
            "cannot write no/new.toml",
        ),
        (&["init", "--server", "a", "b", "c"], "one command"),
        (
            &["init", "--server", "a {prt}", "b", "-o", "new.toml"],
            "did you mean `port`?",
        ),
    ] {
        laboratory.call(arguments).code(2).says(&[words]);
        assert!(!laboratory.path("new.toml").exists(), "{arguments:?}");
    }
    let said = laboratory.call(&["init", "true", "-o", "-"]).code(0);
    assert!(said.out.contains("[variants.after]"), "{}", said.out);
}

/// The control repeats the first command, and every line of that is commented out.
#[test]
fn commands_of_several_lines() {
    for command in [
        "echo a\necho b",
        "echo a\r\necho '''\"\"\"{}'",
        "\necho a\n\n",
    ] {
        let laboratory = Laboratory::new();
        laboratory.call(&["init", command, "echo c"]).code(0);
        laboratory
            .call(&["run", "experiment.toml", "--runs", "3", "--out", "result"])
            .code(0);
        laboratory.assert_complete(6);
        let file = laboratory.read("experiment.toml");
        let (rest, control) = file.split_once("# [variants.a-again]").unwrap();
        let (control, workload) = control.split_once("\n# The command's").unwrap();
        let rest = rest.replace("\n[design]\n", "\n[design]\ncontrol = \"a-again\"\n");
        let control = control.replace("\n# ", "\n").replace("\n#\n", "\n\n");
        laboratory.write(
            "all.toml",
            format!("{rest}[variants.a-again]{control}\n# The command's{workload}"),
        );
        laboratory
            .call(&["run", "all.toml", "--runs", "3", "--out", "all"])
            .code(0)
            .says(&["9 runs"]);
        let said = laboratory.call(&["compare", "all", "--gate", "none"]);
        said.code(0).prints(&["a-again"]);
        let said = laboratory.call(&["show", "all", "--run", "1"]).code(0);
        assert!(!said.out.contains("{command}"), "{}", said.out);
    }
    // So with servers, whose words are lists.
    let laboratory = Laboratory::new();
    let servers = ["--server", "sleep\n5", "--server", "sleep 6"];
    laboratory
        .call(&[&["init"], &servers[..], &["echo a\necho b"]].concat())
        .code(0);
    laboratory
        .call(&["run", "experiment.toml", "--dry-run"])
        .code(0);
}
