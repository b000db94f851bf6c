//! What no run can have is found before the first one.

use crate::support::{Laboratory, RUN, Said};

/// Runs an experiment with a workload, and variants if they are not two empty ones.
fn run(laboratory: &Laboratory, variants: &str, workload: &str) -> Said {
    let variants = match variants {
        "" => "[variants.a]\n[variants.b]",
        variants => variants,
    };
    laboratory.run(&format!(
        "[design]\nruns = 2\nblock = 2\n{variants}\n[workloads.w]\n{workload}"
    ))
}

#[track_caller]
fn assert_missing(variants: &str, workload: &str, words: &[&str]) {
    let laboratory = Laboratory::new();
    laboratory.write("data", "no program");
    laboratory.program("other", "");
    laboratory.program("script", "");
    let script = laboratory.read("script");
    laboratory.write("script", script.replace("/bin/sh", "/no/such/shell"));
    laboratory.program("unmarked", "");
    laboratory.write("unmarked", "echo a shell would execute this\n");
    run(&laboratory, variants, workload)
        .code(5)
        .says(&["this machine lacks what the experiment needs, so nothing was run"])
        .says(words);
    assert!(!laboratory.path("result").exists());
}

const TRUE: &str = "driver = 'command'\ncommand = ['true']";

#[test]
fn a_missing_program_is_named_with_the_places_where_it_was_looked_for() {
    for (workload, words) in [
        (
            "command = ['no-such-tool-here']",
            &[
                "[workloads.w] command: cannot start `no-such-tool-here`: it is in no directory of PATH (/",
                "install it, or give its full path",
            ][..],
        ),
        (
            "command = ['{experiment}/no-such-file']",
            &["there is no file /", "/no-such-file"],
        ),
        (
            "command = ['{run}/made']",
            &["cannot start `{run}/made`: there is no file {run}/made"],
        ),
        (
            "command = ['./other']",
            &["cannot start `./other`: its working directory is new and empty in each run"],
        ),
        (
            "directory = 'gone'\ncommand = ['true']",
            &[
                "cannot start `true`: its working directory /",
                "/gone does not exist",
            ],
        ),
        (
            "directory = 'gone'\ncommand = ['no-such-tool-here']",
            &[
                "cannot start `no-such-tool-here`: its working directory /",
                "cannot start `no-such-tool-here`: it is in no directory of PATH (/",
            ],
        ),
        (
            "command = ['{experiment}/unmarked']",
            &[
                "/unmarked is text without an interpreter in its first line; write that line, as #!/bin/sh",
            ],
        ),
        (
            "directory = '.'\ncommand = ['./script']",
            &["/script is there, but what runs it is not: /no/such/shell"],
        ),
        (
            "command = ['{experiment}/data']",
            &["/data is not executable; `chmod +x`"],
        ),
        (
            "within = ['no-such-wrapper']\ncommand = ['inside-a-container']",
            &["[workloads.w] within: cannot start `no-such-wrapper`"],
        ),
    ] {
        assert_missing("", &format!("driver = 'command'\n{workload}"), words);
    }
    let fio = "driver = 'fio'\nargs = ['--name=x']\nenv = { PATH = '{experiment}:/nowhere' }";
    let words = [
        "[workloads.w] driver: cannot start `fio`",
        ":/nowhere); install it (on Debian, the package fio)",
    ];
    assert_missing("", fio, &words);
}

#[test]
fn every_step_is_looked_at() {
    for (variants, step) in [
        ("start = ['no-such-tool-here']", "[variants.a] start"),
        (
            "start = ['true']\nready = { command = ['no-such-tool-here'] }",
            "[variants.a] ready",
        ),
        (
            "start = ['true']\nstop = { command = ['no-such-tool-here'] }",
            "[variants.a] stop",
        ),
        (
            "build = { command = ['no-such-tool-here'] }",
            "[variants.a.build] command",
        ),
        (
            "build = { link = ['no-such-tool-here', '{objects}'], objects = ['*.o'] }",
            "[variants.a.build] link",
        ),
        ("version = ['no-such-tool-here']", "[variants.a] version"),
    ] {
        let words = [step, "cannot start `no-such-tool-here`"];
        assert_missing(&format!("[variants.a]\n{variants}"), TRUE, &words);
    }
    for step in ["prepare", "cleanup"] {
        let workload = format!("{TRUE}\n{step} = ['no-such-tool-here']");
        assert_missing("", &workload, &[&format!("[workloads.w] {step}: ")]);
    }
    // What counts starts the workload, whatever that is executed within.
    let counted = "driver = 'generic'\ncommand = ['no-such-tool-here']\nwithin = ['true']\n\
                   counters = ['page-faults']\n[[workloads.w.metrics]]\nname = 'n'\nunit = 's'\n\
                   better = 'lower'\nvalues = true";
    let words = ["[workloads.w] counters: cannot start `no-such-tool-here`"];
    assert_missing("", counted, &words);
}

#[test]
fn what_is_no_step_is_looked_at_too() {
    for (variants, words) in [
        ("[cpus]\nload = [1023]\n[variants.a]", &["1023"][..]),
        (
            "[variants.a]\nfiles = ['gone']",
            &["[variants.a] files: /", "/gone: No such file"],
        ),
        (
            "[variants.a]\nstart = ['true']\nenv = { PATH = '/nowhere' }",
            &["[variants.a] start: cannot start `true`", "PATH (/nowhere)"],
        ),
        (
            "[variants.a]\nenv = { PATH = '/nowhere' }",
            &[
                "[workloads.w] command: cannot start `true`",
                "PATH (/nowhere)",
            ],
        ),
    ] {
        assert_missing(variants, TRUE, words);
    }
    for (layout, program) in [("gap", "cc"), ("align", "objcopy")] {
        let laboratory = Laboratory::new();
        let experiment = format!(
            "[design]\nrefresh = 'relink'\nlayout = '{layout}'\n[variants.a.build]\n\
             link = ['ld', '{{objects}}']\nobjects = ['*.o']\n[workloads.w]\n{TRUE}"
        );
        laboratory.write("exp.toml", experiment);
        let mut command = laboratory.perflab(&RUN);
        let said = Said::from(command.env("PATH", "/nowhere").output().unwrap());
        said.code(5)
            .says(&[&format!("the layout `{layout}`: cannot start `{program}`")]);
    }
}

#[test]
fn all_that_is_missing_is_named_at_once() {
    let laboratory = Laboratory::new();
    let variants = "[variants.a]\nvars = { tool = 'first-tool' }\n\
                    [variants.b]\nvars = { tool = 'second-tool' }";
    let said = run(
        &laboratory,
        variants,
        "driver = 'command'\ncommand = ['{tool}']",
    )
    .code(5)
    .says(&["`first-tool`", "`second-tool`"]);
    assert_eq!(said.err.matches("first-tool").count(), 1, "{}", said.err);
    // Two workloads need the same, and so do two variants.
    for (variants, other, fault, code) in [
        ("[variants.a]\nstart = ['no-tool']", TRUE, "no-tool", 5),
        ("", "driver = 'fio'\nargs = ['--server']", "args: ", 2),
    ] {
        let workloads = format!("{TRUE}\n[workloads.v]\n{other}");
        let said = run(&Laboratory::new(), variants, &workloads).code(code);
        assert_eq!(said.err.matches(fault).count(), 1, "{}", said.err);
    }
}

#[test]
fn what_an_earlier_step_may_make_is_not_looked_for() {
    for (variants, workload) in [
        (
            "",
            "shell = true\ncommand = ['./made']\nprepare = 'cp {experiment}/tool made'",
        ),
        (
            "",
            "shell = true\ncommand = ['{experiment}/made']\nprepare = 'cp {experiment}/tool {experiment}/made'",
        ),
        (
            "[variants.a]\nshell = true\n[variants.a.build]\n\
             command = 'mkdir {experiment}/bin; cp {experiment}/tool {experiment}/bin/made'",
            "directory = 'bin'\nenv = { PATH = '{experiment}/bin:/bin' }\ncommand = ['made']",
        ),
        (
            "[variants.a]\nshell = true\nready = { line = 'up' }\n\
             start = 'cp {experiment}/tool made; echo up; exec sleep 3600'",
            "command = ['{dir}/made']",
        ),
        ("", "shell = true\ncommand = 'no-such-tool-here || true'"),
        (
            "[variants.a]\nshell = true\nready = { line = 'up' }\n\
             start = 'cp {experiment}/tool {experiment}/made; echo up; exec sleep 3600'",
            "command = ['{experiment}/made']",
        ),
        (
            "[variants.a]\nstart = ['{experiment}/made', '3600']\n[variants.a.build]\n\
             command = ['ln', '-s', '/bin/sleep', '{experiment}/made']",
            "command = ['true']",
        ),
        (
            "[variants.a]\nshell = true\n[variants.a.build]\nobjects = ['*.o']\n\
             command = 'cp {experiment}/tool {experiment}/made; touch x.o'\n\
             link = ['{experiment}/made', '{objects}']",
            "command = ['true']",
        ),
        (
            "",
            "shell = true\nenv = { PATH = '{experiment}/bin:/bin' }\ncommand = ['made']\n\
             prepare = 'mkdir -p {experiment}/bin; cp {experiment}/tool {experiment}/bin/made'",
        ),
        (
            "[variants.a]\n[variants.a.build]\ncommand = ['mkdir', '{experiment}/new']",
            "directory = 'new'\ncommand = ['true']",
        ),
    ] {
        let laboratory = Laboratory::new();
        laboratory.program("tool", "");
        let workload = format!("driver = 'command'\n{workload}");
        run(&laboratory, variants, &workload).code(0);
    }
}

#[test]
fn what_a_build_may_install_into_path_is_noted_only() {
    let laboratory = Laboratory::new();
    laboratory.program("tool", "");
    std::fs::create_dir(laboratory.path("bin")).unwrap();
    let build = "build = { command = ['cp', 'tool', 'bin/installed'] }\n";
    laboratory.write(
        "exp.toml",
        format!(
            "[design]\nruns = 2\nblock = 2\n[variants.a]\n{build}[variants.b]\n{build}\
             [workloads.w]\ndriver = 'command'\ncommand = ['installed']"
        ),
    );
    let mut command = laboratory.perflab(&RUN);
    let bin = laboratory.path("bin").display().to_string();
    command.env("PATH", format!("{bin}:/usr/bin:/bin"));
    Said::from(command.output().unwrap()).code(0).says(&[
        "note: [workloads.w] command: cannot start `installed`: it is in no directory of PATH",
        ", unless a build installs it",
    ]);
}

#[test]
fn a_metric_that_no_workload_measures() {
    let file = |metric: &str, workload: &str| {
        format!(
            "[design]\nmetrics = ['{metric}']\n[variants.a]\n[variants.b]\n[workloads.w]\n{workload}\n"
        )
    };
    let two = format!(
        "{TRUE}\n[workloads.v]\ndriver = 'generic'\ncommand = ['true']\ncounters = ['page-faults']\n\
         [[workloads.v.metrics]]\nname = 'rate'\nunit = '1/s'\nbetter = 'higher'\nvalues = true"
    );
    let any = two.replace("name = 'rate'\nunit = '1/s'", "name = '*'\nunit = ''");
    let fio = "driver = 'fio'\nargs = ['--name=x']";
    for (metric, workload, known) in [
        ("wal", TRUE, "they measure wall, user, system, max_rss\n"),
        (
            "wal",
            &two,
            "wall, user, system, max_rss, rate, counter_page-faults\n",
        ),
        ("ipos", fio, "they measure iops, bandwidth"),
        ("latency_pmax", fio, "they measure iops, bandwidth"),
    ] {
        let laboratory = Laboratory::new();
        laboratory.write("exp.toml", file(metric, workload));
        for flags in [&[][..], &["--dry-run"], &["--until-decided"]] {
            laboratory
                .call(&[&RUN[..], flags].concat())
                .code(2)
                .says(&[&format!("no workload measures `{metric}`"), known]);
        }
        assert!(!laboratory.path("result").exists());
    }
    for (metric, workload) in [
        ("wall", two.as_str()),
        ("counter_page-faults", &two),
        ("counter_page-faults_running", &two),
        ("slat_p99.9", fio),
        ("latency_p12.5", fio),
        ("anything", &any),
    ] {
        let laboratory = Laboratory::new();
        laboratory.write("exp.toml", file(metric, workload));
        laboratory
            .call(&[&RUN[..], &["--dry-run"]].concat())
            .code(0);
    }
}

#[test]
fn a_variant_alone_is_measured_but_not_compared() {
    let note = "nothing to compare";
    let laboratory = Laboratory::new();
    run(&laboratory, "[variants.a]", TRUE)
        .code(0)
        .says(&[note, "now: perflab show result"]);
    laboratory
        .call(&[&RUN[..], &["--until-decided"]].concat())
        .code(2)
        .says(&["found no other variant"]);

    // Two that never meet.
    let apart = format!(
        "{TRUE}\n[workloads.v]\n{TRUE}\n[[exclude]]\nvariant = 'a'\nworkload = 'v'\n\
         [[exclude]]\nvariant = 'b'\nworkload = 'w'"
    );
    run(&Laboratory::new(), "", &apart).code(0).says(&[note]);

    let said = run(&Laboratory::new(), "", TRUE)
        .code(0)
        .says(&["now: perflab compare result"]);
    assert!(!said.err.contains(note), "{}", said.err);
}

/// Cells of one workload, of which a system may make the missing file in some, lack the same.
#[test]
fn what_several_cells_lack_is_named_once() {
    let laboratory = Laboratory::new();
    let said = laboratory.run(
        "[design]\nruns = 3\n[variants.a]\nstart = ['sleep', '3600']\nfiles = ['no-such-file']\n[variants.b]\n\
         [workloads.w]\ndriver = 'command'\ncommand = ['true']\nprepare = ['no-such-tool-here']\n\
         [workloads.v]\ndriver = 'command'\ncommand = ['true']\n",
    );
    let said = said.code(5);
    for what in [
        "[workloads.w] prepare: cannot start",
        "[variants.a] files: ",
    ] {
        assert_eq!(said.err.matches(what).count(), 1, "{}", said.err);
    }
}
