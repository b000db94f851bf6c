//! The words around a verdict: counts, digits, names of rows, refusals, and commands that can be copied.

use std::fs;
use std::process::Command;

use perflab_store::{OpenedResult, ResultDir, RunRecord};
use perflab_testing::needs;
use rustix::process::Signal;

use crate::damaged_results::{EXPERIMENT, measured};
use crate::plain_files::{scattered, with_good, write};
use crate::support::{Laboratory, signal, wait_until};

/// Makes `copy` from `result`, with these records.
fn remade(laboratory: &Laboratory, records: impl Fn(Vec<RunRecord>) -> Vec<RunRecord>) {
    let old = OpenedResult::open(&laboratory.path("result")).unwrap();
    let path = laboratory.path("copy");
    let (text, origin) = (&old.experiment.text, old.meta.origin);
    let mut new = ResultDir::create(&path, text, &old.plan, &old.environment, origin).unwrap();
    for record in records(old.records) {
        new.append(&record).unwrap();
    }
}

/// The experiment with parameters, and a command before that of its workload.
fn with_parameters(parameters: &str, command: &str) -> String {
    let experiment = EXPERIMENT.replace("echo VALUE", &format!("{command}; echo VALUE"));
    format!("{experiment}\n[parameters]\n{parameters}\n")
}

#[test]
fn flags_that_would_do_nothing() {
    let laboratory = measured();
    write(&laboratory, "good", &scattered(30, 100.0, 2.0));
    let plain = ["compare", "a=good", "b=good"];
    let stored = ["compare", "result"];
    let steady = ["steady", "result"];
    let for_files = "is for plain files, and result is a result";
    let cases: [(&[&str], &[&str], &str); 24] = [
        (&stored, &["--unit", "ms"], for_files),
        (&stored, &["--better", "lower"], for_files),
        (&stored, &["-C", "1"], "--column is for plain files"),
        (&stored, &["-d", ","], "--delimiter is for plain files"),
        (&stored, &["--iterations", "1"], for_files),
        (
            &stored,
            &["--independent"],
            "--independent is for plain files",
        ),
        (&steady, &["--unit", "ms"], for_files),
        (&steady, &["--better", "higher"], for_files),
        (&steady, &["-C", "2"], "--column is for plain files"),
        (&steady, &["--iterations", "5"], for_files),
        (&steady, &["--metric", "x"], "there is no metric `x`"),
        (
            &["steady", "good"],
            &["--metric", "x"],
            "--metric is for a result",
        ),
        (&plain, &["--metric", "value"], "--metric is for results"),
        (&plain, &["--benchmark", "x"], "--benchmark is for results"),
        (&plain, &["--tail", "99%"], "--tail is for results"),
        (
            &plain,
            &["--iterations", "2", "--independent"],
            "cannot be used",
        ),
        (
            &stored,
            &["--detail", "--format", "csv"],
            "--detail is for text",
        ),
        (
            &stored,
            &["--ascii", "--format", "json"],
            "--ascii is for text",
        ),
        (
            &stored,
            &["--plot", "--format", "markdown"],
            "--plot is for text",
        ),
        (
            &stored,
            &["--deciles", "--format", "csv"],
            "--deciles is for text and JSON",
        ),
        (
            &stored,
            &["--drift", "--format", "csv"],
            "--drift is for text and Markdown",
        ),
        (
            &["plan", "--sd", "1%", "--show", "1%"],
            &["--metric", "x"],
            "--metric selects",
        ),
        (
            &["plan", "--sd", "1%", "--show", "1%"],
            &["--benchmark", "x"],
            "--benchmark selects",
        ),
        (
            &["plan", "result", "--show", "1%"],
            &["--each", "1s"],
            "--each is for --sd",
        ),
    ];
    for (command, flags, words) in cases {
        let said = laboratory.call(&[command, flags].concat());
        let said = said.code(2).says(&[words]);
        assert!(said.out.is_empty(), "{}", said.out);
    }
    for (command, flags) in [
        (
            &plain[..],
            &["--unit", "ms", "--better", "higher", "-C", "1"][..],
        ),
        (&stored, &["--deciles", "--format", "json"]),
        (&stored, &["--drift", "--format", "markdown"]),
    ] {
        let gate = ["--gate", "none"];
        laboratory.call(&[command, flags, &gate].concat()).code(0);
    }
}

#[test]
fn values_of_a_size_that_cannot_be_compared() {
    let laboratory = with_good();
    let expected = "expected 0 or a size from 1e-75 to 1e75, found";
    for (name, value) in [
        ("large", "1e76"),
        ("small", "-1e-76"),
        ("digits", "123456789e80"),
    ] {
        laboratory.write(name, format!("# a comment\n1\n{value}\n"));
        for command in [
            &["compare", "a=good", &format!("b={name}")][..],
            &["steady", name],
            &["import", "good", name, "--out", "result"],
        ] {
            let said = laboratory.call(command).code(4);
            let place = [&format!("{name}: line 3: {expected} ")];
            let long = said.err.lines().any(|line| line.len() > 120);
            assert!(!long, "{}", said.err);
            said.says(&place.map(String::as_str));
        }
        assert!(!laboratory.path("result").exists());
    }
    laboratory.write(
        "h.json",
        r#"{"results": [{"command": "x", "mean": 1, "stddev": 0, "median": 1, "user": 1, "system": 0, "min": 1, "max": 1, "times": [1.0, 1e76], "exit_codes": [0, 0]}]}"#,
    );
    laboratory
        .call(&["import", "h.json", "--out", "result"])
        .code(4)
        .says(&[
            "h.json: /results/0/times/1: expected 0 or a size",
            "for wall, found 1e76",
        ]);

    // A tool that prints such a value has failed.
    laboratory
        .run(&EXPERIMENT.replace("echo VALUE $(({base} + $$ % 5))", "echo VALUE 1e76"))
        .code(4)
        .says(&["1e-75 to 1e75", "1e76"]);
    // A result of a time when it had not.
    let laboratory = measured();
    remade(&laboratory, |mut records| {
        records[4].samples[0].value = 1e76;
        records
    });
    let run = laboratory.records()[4]["run"].to_string();
    laboratory.call(&["compare", "copy"]).code(4).says(&[
        &format!("run {run} of "),
        "1e-75 to 1e75 for time, found 1e76",
    ]);
}

#[test]
fn one_of_anything_is_no_plural() {
    let laboratory = Laboratory::new();
    let one = EXPERIMENT
        .replace("runs = 6", "runs = 1\nblock = 1")
        .replace("[variants.b]\nvars = { base = \"20\" }\n", "");
    laboratory.write("exp.toml", &one);
    let plan = laboratory.call(&["run", "exp.toml", "--dry-run"]).code(0);
    plan.prints(&["1 cell x 1 run = 1 run, in 1 block of 1 of each cell"]);
    laboratory
        .run(&one)
        .code(0)
        .says(&["1 run into", "1 run recorded, 0 of them failed"]);
    laboratory
        .call(&["show", "result"])
        .prints(&["1 of 1 run recorded"]);
    laboratory.call(&["show", "."]).prints(&["  1/1 run  a"]);
    laboratory
        .call(&["show", "result", "--run", "7"])
        .says(&["run 7 is not recorded in result, which has 1 run\n"]);
    laboratory.write("a", "1\n");
    laboratory.write("b", "2\n3\n");
    laboratory
        .call(&["import", "a", "b", "--out", "imported"])
        .code(0)
        .says(&[
            "a: columns, 1 run\n",
            "b: columns, 2 runs\n",
            "\n3 runs into",
        ]);
    laboratory
        .call(&["compare", "imported", "--gate", "none"])
        .prints(&[
            "1 to 2 runs each",
            "median 1, mean 1, 1 run\n",
            "a: only 1 process:",
        ]);
}

/// The digits behind the point of each percentage or end of an interval in a line.
fn digits(line: &str) -> Vec<usize> {
    let is_figure = |word: &&str| word.ends_with('%') || word.starts_with(['+', '-', '[']);
    let word = |word: &str| {
        word.trim_matches(['[', ']', ',', '%', '(', ')', ';'])
            .to_owned()
    };
    line.split(' ')
        .filter(is_figure)
        .map(word)
        .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
        .map(|word| word.split_once('.').map_or(0, |(_, behind)| behind.len()))
        .collect()
}

#[test]
fn a_percentage_has_the_digits_of_its_interval() {
    let laboratory = with_good();
    for (width, expected) in [(20.0, 0), (2.0, 1), (0.2, 2), (0.02, 3)] {
        let base = scattered(30, 100.0, width);
        let other: Vec<f64> = base.iter().rev().map(|value| value * 1.001).collect();
        write(&laboratory, "a", &base);
        write(&laboratory, "b", &other);
        let said = laboratory
            .call(&["compare", "a=a", "b=b", "--gate", "none"])
            .code(0);
        let line = |start: &str| said.out.lines().find(|line| line.contains(start)).unwrap();
        let answer = line("typical run +").split(", mean").next().unwrap();
        let shown = line("4 times in 5").rsplit(' ').next().unwrap();
        let all = [digits(answer), digits(shown)].concat();
        // A wide interval may do with whole per cents, but no difference is 0% unless it is 0.
        assert_eq!(all.len(), 4, "{answer} {shown}");
        assert!(
            all.iter().all(|digits| *digits == all[0]),
            "{answer} {shown}"
        );
        assert!(all[0] >= expected, "{answer} {shown}");
    }
}

#[test]
fn what_is_pooled_says_what_it_is() {
    let parameters = |parameters: &str, used: &str| {
        let laboratory = Laboratory::new();
        laboratory.run(&with_parameters(parameters, used)).code(0);
        laboratory
            .call(&["compare", "result", "--gate", "none"])
            .code(0)
    };
    let one = parameters("size = [1, 2, 3]", ": {size}");
    let one = one.prints(&["2 variants x 3 configurations,", "\nall 3 values of size "]);
    assert!(!one.out.contains("benchmarks"), "{}", one.out);
    let two = parameters("size = [1, 2]\ndepth = [1, 2]", ": {size} {depth}");
    two.prints(&["\nall 4 configurations "]);

    let laboratory = Laboratory::new();
    let (before, workload) = EXPERIMENT.split_once("[workloads.w]").unwrap();
    let second = workload.replace("workloads.w.", "workloads.v.");
    laboratory
        .run(&format!(
            "{before}[workloads.w]{workload}\n[workloads.v]{second}"
        ))
        .code(0);
    laboratory
        .call(&["compare", "result", "--gate", "none"])
        .prints(&["\nall 2 workloads "]);
}

/// Gives a command that was printed to a shell.
fn in_a_shell(laboratory: &Laboratory, command: &str) -> String {
    let program = env!("CARGO_BIN_EXE_perflab");
    let command = command.strip_prefix("perflab ").unwrap();
    let output = Command::new("bash")
        .args(["-c", &format!("'{program}' {command}")])
        .current_dir(laboratory.path(""))
        .env("PERFLAB_LOCK", laboratory.path("lock"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{command}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn printed_commands_can_be_copied() {
    needs("bash", "bash");
    let laboratory = with_good();
    fn printed<'t>(text: &'t str, before: &str) -> &'t str {
        let (_, rest) = text.split_once(before).unwrap();
        rest.lines().next().unwrap()
    }
    for name in ["two words", "it's \"$HOME\"", "-r", "a\nb", "plain"] {
        let out = format!("--out={name}");
        let said = laboratory
            .call(&["import", "x=good", "y=good", &out])
            .code(0);
        let command = printed(&said.err, "now: ");
        assert!(in_a_shell(&laboratory, command).contains("y against x"));

        let file = format!("{name}.toml");
        laboratory.write(
            &file,
            EXPERIMENT.replace("\n[design]", "\n[design]\nseed = 1"),
        );
        let file = format!("./{file}");
        let out = format!("--out={name}-run");
        let said = laboratory.call(&["run", &file, &out]).code(0);
        let command = printed(&said.err, "now: ");
        assert!(in_a_shell(&laboratory, &format!("{command} --gate none")).contains("b against a"));
        // The command that made it makes the same plan again.
        let shown = laboratory.call(&["show", &format!("./{name}-run")]).code(0);
        let command =
            printed(&shown.out, "command: ").replace(env!("CARGO_BIN_EXE_perflab"), "perflab");
        fs::remove_dir_all(laboratory.path(&format!("{name}-run"))).unwrap();
        in_a_shell(&laboratory, &command);
        assert!(laboratory.path(&format!("{name}-run/meta.json")).exists());

        let file = format!("--output={name}.made");
        let said = laboratory.call(&["init", &file, "true", "false"]).code(0);
        assert!(in_a_shell(&laboratory, printed(&said.err, "then: ")).contains("cells x"));
    }
}

#[test]
fn cells_that_are_not_due_yet() {
    let laboratory = Laboratory::new();
    let many = with_parameters("size = [1, 2, 3, 4, 5, 6, 7, 8, 9]", ": {size}");
    laboratory.run(&many).code(0);
    remade(&laboratory, |records| {
        let is_measured = |record: &RunRecord| record.parameters["size"].as_str() < "4";
        records.into_iter().filter(is_measured).collect()
    });
    let said = laboratory
        .call(&["compare", "copy"])
        .says(&["no run yet: 12 cells\n"]);
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    assert_eq!(said.code, 1, "b is slower");
    laboratory
        .call(&["compare", "copy", "--baseline", "b"])
        .code(4);
}

#[test]
fn many_cells_that_never_passed() {
    let laboratory = Laboratory::new();
    let many = with_parameters(
        "size = [1, 2, 3, 4, 5, 6, 7, 8]",
        "[ {size} -lt 3 ] || exit 7",
    );
    laboratory.run(&many.replace("runs = 6", "runs = 2\nblock = 1"));
    let said = laboratory.call(&["compare", "result"]);
    let lines: Vec<&str> = said.err.lines().collect();
    let [line] = lines[..] else {
        panic!("{}", said.err)
    };
    assert!(
        line.starts_with("no run of ") && line.ends_with(" and 9 more cells passed"),
        "{line}"
    );
}

/// The names in the directory that tell of an import.
fn entries(laboratory: &Laboratory) -> Vec<String> {
    let entries = fs::read_dir(laboratory.path("")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.contains("result")).collect();
    names.sort();
    names
}

#[test]
fn an_import_that_is_killed_leaves_no_result() {
    let laboratory = Laboratory::new();
    let lines: String = (0..100_000)
        .map(|i| format!("{}\n", 100 + i * 7919 % 1009))
        .collect();
    laboratory.write("many", lines);
    laboratory.write("few", "1\n2\n3\n");
    let import = laboratory.start(&["import", "many", "--independent", "--out", "result"]);
    wait_until("the import to begin", || !entries(&laboratory).is_empty());
    let pid = import.pid();
    signal(pid, Signal::KILL);
    import.end();
    let left = entries(&laboratory);
    assert_eq!(left, [format!(".result.partial-{pid}")]);
    laboratory
        .call(&["show", "."])
        .code(0)
        .prints(&["no results here yet"]);
    laboratory
        .call(&["import", "few", "--out", "result"])
        .code(0);
    assert_eq!(entries(&laboratory), ["result"]);
    laboratory
        .call(&["show", "result"])
        .code(0)
        .prints(&["3 runs imported"]);
}

#[test]
fn old_names_mean_the_same_and_are_hinted_at() {
    let laboratory = Laboratory::new();
    let experiment = |key: &str| {
        format!(
            "[design]\nruns = 3\n[subsets]\nfirst = ['x']\n[variants.a]\n[variants.b]\n[workloads.w]\ndriver = 'generic'\n\
             shell = true\ncommand = 'echo $$ $$'\n[[workloads.w.metrics]]\nname = 'm'\nunit = 's'\nbetter = 'lower'\n\
             {key} = 'x'\nregex = '^(\\d+)'\n[[workloads.w.metrics]]\nname = 'm'\nunit = 's'\n\
             better = 'lower'\n{key} = 'y'\nregex = ' (\\d+)'\n"
        )
    };
    laboratory.write("old.toml", experiment("part"));
    let run = ["run", "old.toml", "--out", "old"];
    let said = laboratory.call(&run).code(0);
    let hint = "old.toml: the key `part` of metrics is called `benchmark` now";
    assert_eq!(said.err.matches(hint).count(), 1, "{}", said.err);
    laboratory.write("new.toml", experiment("benchmark"));
    let said = laboratory
        .call(&["run", "new.toml", "--out", "new"])
        .code(0);
    assert!(!said.err.contains("is called"), "{}", said.err);
    for result in ["old", "new"] {
        for command in [
            &["compare", "--gate", "none"][..],
            &["plan", "--show", "5%"],
        ] {
            let call =
                |option| laboratory.call(&[command, &[result, "--format=json", option]].concat());
            let old = call("--part=first")
                .code(0)
                .says(&["--part is called --benchmark now"]);
            let new = call("--benchmark=first").code(0);
            assert!(!new.err.contains("is called"), "{}", new.err);
            assert_eq!(old.json(), new.json());
            assert!(!new.out.contains("\"y\""), "{}", new.out);
            let old = call("--claims=mean")
                .code(0)
                .says(&["--claims is called --questions now"]);
            let new = call("--questions=mean").code(0);
            assert!(!new.err.contains("is called"), "{}", new.err);
            assert_eq!(old.json(), new.json());
        }
    }
}
