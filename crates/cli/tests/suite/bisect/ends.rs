//! Ends that do not differ, that differ the other way round, or that say nothing at all.

use super::{SIZES, Searches, slower_from};

/// A search of three revisions with these commands; what it is called by, its exit code, and what it says.
type Case<'c> = (&'c [&'c str], &'c [&'c str], i32, &'c [&'c str]);

#[test]
fn failures_that_do_not_begin() {
    let scripts = ["exit 1", "true", "true"].map(str::to_owned);
    let searches = Searches::with(&scripts);
    let [good, bad] = searches.ends();
    let names = [searches.name(1), searches.name(3)];
    let reversed = format!(
        "{} fails in 1 of 1 run, {} in 0 of 1 run",
        names[0], names[1]
    );
    let same = format!(
        "{} fails in 0 of 3 runs, {} in 0 of 3 runs",
        names[0], names[1]
    );
    let cases: [Case<'_>; 9] = [
        (
            &["--fails"],
            &["sh", "work.sh"],
            4,
            &[&reversed, "begins to fail", "--fails -- sh -c '! ./test'"],
        ),
        (
            &["--fails", "--confirm-runs", "5"],
            &["sh", "-c", "! sh work.sh"],
            0,
            &[searches.name(2), "introduced the change", "confirmed: "],
        ),
        (
            &["--fails"],
            &["./tset"],
            4,
            &[
                "every run of both ends failed",
                "so perflab cannot tell where failures begin",
                "EXIT, the workload ended with exit code 127",
                "the command cannot be executed",
                "its output is in ../out/campaigns/",
            ],
        ),
        (
            &["--fails"],
            &["./work.sh"],
            4,
            &["exit code 126", "the command cannot be executed"],
        ),
        (
            &["--fails"],
            &["sh", "-c", "exit 125"],
            4,
            &["gave no usable run", "exit code 125", "its output is in"],
        ),
        (
            &["--fails"],
            &["true"],
            0,
            &["no change from", &same, "add --flaky"],
        ),
        (
            &["--fails", "--flaky"],
            &["true"],
            0,
            &["no change of 20% of runs or more from"],
        ),
        (
            &["--fails", "--flaky", "--max-runs", "2"],
            &["sh", "-c", "! sh work.sh"],
            4,
            &[
                "undecided after 3 runs, those of earlier calls included; raise --max-runs, which is 2\n",
            ],
        ),
        (
            &["--max-runs", "5"],
            &["true"],
            2,
            &["--max-runs: expected 6 or more, as the ends need so many, found 5"],
        ),
    ];
    for (flags, command, code, expected) in cases {
        let words = [&[good, bad, "--out", "../out"], flags, &["--"], command].concat();
        let said = searches.bisect(&words);
        assert_eq!(said.code, code, "{words:?}: {said:?}");
        let all = format!("{}{}", said.out, said.err);
        for text in expected {
            assert!(all.contains(text), "{text}: {said:?}");
        }
    }
}

/// Neither is what was looked for: more failures at the newer end.
#[test]
fn the_older_end_may_fail_more_often() {
    // Every so many runs.
    let failing = |every| format!("echo >> runs; test $(($(wc -l < runs) % {every})) -ne 0");
    let searches = Searches::with(&[3, 3, 8].map(failing));
    let [good, bad] = searches.ends();
    let words = [good, bad, "--fails", "--flaky", "--out", "../out"];
    let said = searches.bisect(&[&words[..], &["--", "sh", "work.sh"]].concat());
    let said = said.code(0);
    let turn = "the older end failed more often, perhaps by chance, and a search looks for the revision at which a test begins \
                to fail; to find the one at which it stops, turn the test round";
    assert!(
        said.out.starts_with("no change of 20% of runs or more"),
        "{said:?}"
    );
    assert!(said.out.contains(turn), "{said:?}");
}

#[test]
fn ends_without_values_say_why() {
    let scripts = ["5", "5", "5"].map(str::to_owned);
    let searches = Searches::with(&scripts);
    let [good, bad] = searches.ends();
    let said = searches.bisect(&[good, bad, "--out", "../out", "--", "./tset"]);
    let said = said
        .code(4)
        .says(&["the ends cannot be compared", "exit code 127"]);
    let (_, output) = said.err.split_once("its output is in ../").unwrap();
    let output = output.lines().next().unwrap();
    let stderr = searches.laboratory.read(&format!("{output}/stderr"));
    assert!(stderr.contains("tset"), "{output}: {stderr}");
    // What is not in the experiment is refused before anything is built.
    let (_, workload) = SIZES.split_once("[workloads.w]").unwrap();
    let other = workload
        .replace("workloads.w.", "workloads.v.")
        .replace("size", "level");
    searches.write_history(&format!("{SIZES}[workloads.v]{other}"));
    let search = |more: &[&str]| {
        let words = [
            good,
            bad,
            "--history",
            "../history.toml",
            "--out",
            "../sizes",
        ];
        searches.bisect(&[&words, more].concat())
    };
    search(&["--workload", "x"])
        .code(2)
        .says(&["no workload `x`; it has `w`, `v`"]);
    assert!(!searches.laboratory.path("sizes").exists());
    search(&["--metric", "size", "--workload", "v"])
        .code(2)
        .says(&["there is no metric `size`; there are: level"]);
    // Values that are always the same have no scatter that a size could be told by.
    let said = search(&["--metric", "size"]).code(0);
    let none = format!(
        "no change from {} to {}",
        searches.name(1),
        searches.name(3)
    );
    assert!(said.out.starts_with(&none), "{said:?}");
}

/// A history may begin with such a date. What was not there yet was neither good nor bad.
#[test]
fn a_date_before_all_revisions_is_no_end() {
    let searches = Searches::with(&slower_from(3, 2));
    let [good, bad] = searches.ends();
    let first = searches.name(1);
    let refused = |end: &str, words: &[&str]| {
        let early =
            format!("`{end}` is \"1990-01-01\", which is before the first revision, {first} of");
        searches.bisect(words).code(2).says(&[&early]);
    };
    refused(
        "GOOD",
        &["1990-01-01", bad, "--out", "../out", "--", "true"],
    );
    refused(
        "BAD",
        &[good, "1990-01-01", "--out", "../out", "--", "true"],
    );
    assert!(!searches.laboratory.path("out").exists());
    refused("GOOD", &["start", "1990-01-01", bad]);
    searches.bisect(&["start", good, bad]).code(0);
    searches.bisect(&["bad", good]).code(0);
    let said = searches.bisect(&["good", bad]).code(0);
    said.prints(&[" contradicts that the first one is good and the other one bad; begin anew, with the ends exchanged"]);
    searches.bisect(&["reset"]).code(0);
    searches.bisect(&["start", good, bad]).code(0);
    refused("REV", &["good", "1990-01-01"]);
}

#[test]
fn a_metric_of_one_workload() {
    let scripts = ["5", "5", "7"].map(str::to_owned);
    let searches = Searches::with(&scripts);
    let executed = searches.laboratory.path("executed");
    let failing = format!(
        "'sh', '-c', 'touch {}; exit 1', '{{tree}}'",
        executed.display()
    );
    searches.write_history(&format!(
        "{SIZES}[workloads.v]\ndriver = 'command'\ncommand = [{failing}]\n"
    ));
    let [good, bad] = searches.ends();
    let words = [
        good,
        bad,
        "--history",
        "../history.toml",
        "--out",
        "../out",
        "--workload",
        "w",
    ];
    let said = searches.bisect(&words).code(0);
    let found = format!("{} introduced the change", searches.name(3));
    assert!(said.out.starts_with(&found), "{said:?}");
    assert!(!executed.exists());
}

/// A run of another workload may fail for reasons of its own.
#[test]
fn failures_of_one_workload() {
    let script = |number| {
        let of_v = usize::from(number > 3);
        format!("test $1 = v && exit {of_v}; touch $2; exit 1")
    };
    let scripts: Vec<String> = (1..=6).map(script).collect();
    let searches = Searches::with(&scripts);
    let executed = searches.laboratory.path("executed");
    let workload = |name: &str| {
        let command = format!(
            "'sh', '{{tree}}/work.sh', '{name}', '{}'",
            executed.display()
        );
        format!("[workloads.{name}]\ndriver = 'command'\ncommand = [{command}]\n")
    };
    let variants = "[variants.any]\nvars = { tree = \".\" }\n";
    searches.write_history(&format!("{variants}{}{}", workload("w"), workload("v")));
    let search = |ends: [&str; 2], more: &[&str]| {
        let history = ["--history", "../history.toml", "--out", "../out", "--fails"];
        searches.bisect(&[&ends, &history[..], more].concat())
    };
    let [good, bad] = searches.ends();
    let found = format!("{} introduced the change", searches.name(4));
    let of_one = search([good, bad], &["--workload", "v"]).code(0);
    assert!(of_one.out.starts_with(&found), "{of_one:?}");
    assert!(
        !of_one.err.contains("whichever") && !of_one.out.contains("\n  v: "),
        "{of_one:?}"
    );
    assert!(!executed.exists());
    search([good, bad], &["--workload", "w"])
        .code(4)
        .says(&["every run of both ends failed"]);
    // Of all together some pass at the older end, and each is told.
    let third = &searches.revisions[2];
    let all = search([good, third], &["--flaky", "--max-runs", "4000"]).code(0);
    let all = all.says(&["a failed run counts whichever workload it is of: w, v; --workload NAME"]);
    let line = all.out.lines().find(|line| line.starts_with("  w: "));
    let line = line.unwrap_or_default().replace("  w: ", "");
    let words: Vec<&str> = line.split(' ').collect();
    assert!(words[3] == words[5] && words[3] != "0", "{all:?}");
    let none = format!("  v: {} fails in 0 of ", searches.name(1));
    assert!(all.out.contains(&none), "{all:?}");
}
