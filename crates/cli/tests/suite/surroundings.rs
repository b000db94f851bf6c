//! What processes of an experiment find around them: variables, CPUs, directories, ports, and what
//! is executed beside the workload.

use std::collections::{BTreeMap, HashSet};
use std::fs;

use crate::support::{Laboratory, RUN, Said};

/// The variables that every process may have; see `docs/experiment-file.md`.
const CLEAN: [&str; 11] = [
    "HOME",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TMPDIR",
    "USER",
    "LC_ALL",
    "TZ",
    "PERFLAB_MARK",
    "PERFLAB_START",
    "PERFLAB_PADDING",
];

fn stdout(laboratory: &Laboratory, run: usize) -> String {
    laboratory.read(&format!("result/runs/{run:06}/stdout"))
}

fn variables(text: &str) -> BTreeMap<&str, &str> {
    text.lines()
        .filter_map(|line| line.split_once('='))
        .collect()
}

/// Runs an experiment with a variable around it that must not get in.
fn run(laboratory: &Laboratory, experiment: &str) -> Said {
    laboratory.write("exp.toml", experiment);
    laboratory
        .perflab(&RUN)
        .env("SECRET", "1")
        .env("WANTED", "2")
        .env("LC_ALL", "C")
        .env("LD_BIND_NOW", "1")
        .output()
        .unwrap()
        .into()
}

#[test]
fn the_environment_is_clean_and_of_another_size_each_time() {
    let laboratory = Laboratory::new();
    run(
        &laboratory,
        "[design]\nruns = 6\n[variants.a]\nenv = { OF_VARIANT = 'v-{variant}' }\n\
         [workloads.w]\ndriver = 'command'\ncommand = ['env']\nenv = { OF_WORKLOAD = 'w' }\n",
    )
    .code(0);
    let mut sizes = HashSet::new();
    for record in laboratory.records() {
        let text = stdout(&laboratory, record["run"].as_u64().unwrap() as usize);
        let variables = variables(&text);
        for name in variables.keys() {
            assert!(
                CLEAN.contains(name) || ["OF_VARIANT", "OF_WORKLOAD"].contains(name),
                "{name}"
            );
        }
        assert_eq!(variables["LC_ALL"], "C.UTF-8");
        assert_eq!(variables["TZ"], "UTC");
        assert_eq!(
            (variables["OF_VARIANT"], variables["OF_WORKLOAD"]),
            ("v-a", "w")
        );
        let padding = variables["PERFLAB_PADDING"].len();
        assert_eq!(record["environment_padding_bytes"], padding);
        sizes.insert(padding);
    }
    assert!(sizes.len() > 1, "always the same size: {sizes:?}");
}

#[test]
fn variables_can_be_let_in_by_name() {
    let laboratory = Laboratory::new();
    run(
        &laboratory,
        "[design]\nruns = 1\nblock = 1\nenvironment = ['WANTED', 'NOT_SET']\n[variants.a]\n\
         [workloads.w]\ndriver = 'command'\ncommand = ['env']\n",
    )
    .code(0);
    let text = stdout(&laboratory, 1);
    let variables = variables(&text);
    assert_eq!(variables["WANTED"], "2");
    assert!(!variables.contains_key("SECRET") && !variables.contains_key("NOT_SET"));
}

#[test]
fn a_system_has_the_variables_of_its_variant_and_the_load_has_not() {
    let laboratory = Laboratory::new();
    run(
        &laboratory,
        "[design]\nruns = 3\n[variants.a]\nenv = { DATA = '{dir}', SIDE = 'system' }\n\
         start = ['sh', '-c', 'env > {run}/system-env; echo up; exec sleep 3600']\nready = { line = 'up' }\n\
         [workloads.w]\ndriver = 'command'\ncommand = ['env']\n",
    )
    .code(0);
    let mut sizes = HashSet::new();
    for run in 1..=3 {
        let text = laboratory.read(&format!("result/runs/{run:06}/system-env"));
        let of_system = variables(&text);
        for name in of_system.keys() {
            // The shell adds the last one.
            assert!(
                CLEAN.contains(name) || ["DATA", "SIDE", "PWD"].contains(name),
                "{name}"
            );
        }
        assert_eq!(of_system["SIDE"], "system");
        assert_eq!(
            of_system["DATA"], of_system["PWD"],
            "a system runs in its directory"
        );
        sizes.insert(of_system["PERFLAB_PADDING"].len());
        let text = stdout(&laboratory, run);
        assert!(!variables(&text).contains_key("SIDE"));
    }
    assert!(sizes.len() > 1, "always the same size: {sizes:?}");
}

/// The CPUs that this process may use, from the kernel's list as `0-2,5`.
fn usable_cpus() -> Vec<u32> {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .unwrap();
    list.trim()
        .split(',')
        .flat_map(|range| {
            let (low, high) = range.split_once('-').unwrap_or((range, range));
            low.parse().unwrap()..=high.parse().unwrap()
        })
        .collect()
}

#[test]
fn system_and_load_run_on_their_cpus_alone() {
    let cpus = usable_cpus();
    let (first, last) = (cpus[0], cpus[cpus.len() - 1]);
    let laboratory = Laboratory::new();
    laboratory
        .run(&format!(
            "[design]\nruns = 1\nblock = 1\n[cpus]\nsystem = [{last}]\nload = '{first}'\n\
             [variants.a]\nready = {{ line = 'up' }}\n\
             start = ['sh', '-c', 'grep Cpus_allowed_list /proc/self/status > {{run}}/system-cpus; echo up; exec sleep 3600']\n\
             [workloads.w]\ndriver = 'command'\nprepare = ['sh', '-c', 'grep Cpus_allowed_list /proc/self/status > {{run}}/prepare-cpus']\n\
             command = ['grep', 'Cpus_allowed_list', '/proc/self/status']\n"
        ))
        .code(0);
    let allowed = |cpu| format!("Cpus_allowed_list:\t{cpu}\n");
    assert_eq!(
        laboratory.read("result/runs/000001/system-cpus"),
        allowed(last)
    );
    assert_eq!(
        laboratory.read("result/runs/000001/prepare-cpus"),
        allowed(first)
    );
    assert_eq!(stdout(&laboratory, 1), allowed(first));

    let said = laboratory.call(&[
        "bench",
        "-q",
        "--show-output",
        "-N",
        "-r",
        "1",
        "--cpus",
        &last.to_string(),
        "grep Cpus_allowed_list /proc/self/status",
    ]);
    assert_eq!(said.code(0).out, allowed(last));
}

#[test]
fn a_cpu_that_there_is_not_ends_the_command() {
    let laboratory = Laboratory::new();
    for side in ["system", "load"] {
        laboratory
            .run(&format!(
                "[design]\nruns = 1\nblock = 1\n[cpus]\n{side} = [1023]\n[variants.a]\n\
                 [workloads.w]\ndriver = 'command'\ncommand = ['true']\n"
            ))
            .code(5)
            .says(&["CPU 1023 was asked for", "may only use"]);
        let _ = fs::remove_dir_all(laboratory.path("result"));
    }
}

#[test]
fn prepare_and_cleanup_go_with_every_execution() {
    let laboratory = Laboratory::new();
    laboratory
        .run(
            "[design]\nruns = 2\nblock = 1\nwarmup = 1\n[variants.a]\n\
             [workloads.w]\ndriver = 'command'\nshell = true\n\
             prepare = 'echo prepare >> {experiment}/log'\ncommand = 'echo load >> {experiment}/log'\n\
             cleanup = 'echo cleanup >> {experiment}/log'\n",
        )
        .code(0);
    laboratory.assert_complete(2);
    assert_eq!(laboratory.read("log"), "prepare\nload\ncleanup\n".repeat(4));
}

#[test]
fn directories_are_fresh_and_ports_are_others() {
    let laboratory = Laboratory::new();
    laboratory
        .run(
            "[design]\nruns = 3\n[variants.a]\nshell = true\nready = { line = 'up' }\n\
             start = 'ls {dir} > {run}/before; touch {dir}/data; echo {port} {port:b} > {run}/ports; echo up; exec sleep 3600'\n\
             [workloads.w]\ndriver = 'command'\nshell = true\n\
             command = 'ls; touch left; ls {dir}; echo {port} {port:b}'\n",
        )
        .code(0);
    laboratory.assert_complete(3);
    for run in 1..=3 {
        assert_eq!(laboratory.read(&format!("result/runs/{run:06}/before")), "");
        let of_system = laboratory.read(&format!("result/runs/{run:06}/ports"));
        // First an empty working directory, then the system's.
        assert_eq!(stdout(&laboratory, run), format!("data\n{of_system}"));
        let mut ports = of_system.split_whitespace();
        assert_ne!(ports.next(), ports.next());
    }
    assert!(
        !laboratory.path("result/scratch").exists(),
        "what a run leaves is removed"
    );
}

#[test]
fn paths_are_absolute_wherever_the_command_was_started() {
    let laboratory = Laboratory::new();
    fs::create_dir(laboratory.path("experiments")).unwrap();
    laboratory.write(
        "experiments/exp.toml",
        "[design]\nruns = 1\nblock = 1\n[variants.a]\n[workloads.w]\ndriver = 'command'\n\
         command = ['echo', '{run} {dir} {experiment}']\n",
    );
    laboratory
        .call(&["run", "experiments/exp.toml", "--out", "result"])
        .code(0);
    let text = stdout(&laboratory, 1);
    for path in text.split_whitespace() {
        assert!(
            path.starts_with(laboratory.path("").to_str().unwrap()),
            "{path}"
        );
    }
}
