//! What is shown of revisions.

use std::fs;
use std::path::{Path, PathBuf};

use perflab_testing::needs;
use serde_json::Value;

use super::{EXPERIMENT, HISTORY, Histories, contents};
use crate::pages::Server;

#[test]
fn revisions_are_in_the_order_of_the_branch_whatever_their_clocks_say() {
    let histories = Histories::new(HISTORY);
    let days = [
        (100, "2026-01-03"),
        (110, "2026-01-01"),
        (120, "2026-01-02"),
    ];
    let commits = days.map(|(size, day)| histories.commit(&format!("echo {size} > built"), day));
    histories.run(&[]).code(0);
    let shown = histories
        .laboratory
        .call(&["history", "show", "h", "--format", "json"]);
    let view: Value = serde_json::from_str(&shown.code(0).out).unwrap();
    let revisions = view["revisions"].as_array().unwrap().iter();
    let ids: Vec<&str> = revisions
        .map(|seen| seen["revision"]["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, commits);
}

#[test]
fn what_a_campaign_came_to_is_read_once() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories.run(&[]).code(0);
    let shown = histories.show().code(0).out;
    let path = histories.laboratory.path("h/summaries");
    let kept: Vec<PathBuf> = contents(&path).into_keys().collect();
    let [kept] = kept.as_slice() else {
        panic!("{kept:?}");
    };
    // A damaged one is as good as none.
    fs::write(kept, "{").unwrap();
    assert_eq!(histories.show().code(0).out, shown);
    fs::remove_file(kept).unwrap();
    histories.run(&[]).code(0);
    let mut summary: Value = serde_json::from_slice(&fs::read(kept).unwrap()).unwrap();
    summary["points"] = Value::Array(Vec::new());
    fs::write(kept, summary.to_string()).unwrap();
    assert_ne!(histories.show().code(0).out, shown);
    // Whoever touches the result has it read again.
    let runs = histories.laboratory.path("h/campaigns/000001/runs.jsonl");
    let text = fs::read(&runs).unwrap();
    fs::write(&runs, text).unwrap();
    assert_eq!(histories.show().code(0).out, shown);
}

#[test]
fn a_revision_with_its_commits_files_and_functions() {
    needs("cc", "gcc");
    let history = HISTORY.replace("[measure]", "programs = [\"built\"]\n[measure]");
    let histories = Histories::new(&history);
    histories.laboratory.write(
        "exp.toml",
        EXPERIMENT.replace(
            "\"cat\", \"{tree}/built\"",
            "\"sh\", \"-c\", \"wc -c < {tree}/built\"",
        ),
    );
    let commit = |program: &str, day: &str| {
        histories.laboratory.write("repo/a.c", program);
        histories.commit("cc -O1 -o built a.c", day)
    };
    let first = commit(
        "int stays(void) { return 1; }\nint goes(void) { return 2; }\nint main(void) { return stays() + goes(); }\n",
        "2026-01-01",
    );
    let between = commit("int broken\n", "2026-01-02");
    let last = commit(
        "int stays(void) { return 1; }\nint comes(int x) { return x * x * 7; }\nint main(int x) { return stays() + comes(x); }\n",
        "2026-01-03",
    );
    histories.git(&["tag", "v2", &last], "2026-01-03");
    histories.run(&[]).code(0);
    let show = |name: &str| {
        histories
            .laboratory
            .call(&["history", "show", "h", "--revision", name])
    };
    show("v2").code(0).prints(&[
        &last,
        "tags: v2",
        "build 000002: PASS",
        "built: ",
        "against the control",
        &format!("since {} of 2026-01-01", &first[..12]),
        "2 commits",
        &between[..12],
        "1 file\n  a.c",
        "1 came, 1 went",
        " of the same size and place",
        "comes",
        "goes",
    ]);
    assert!(!show("v2").out.contains("stays"));
    show(&first).code(0).prints(&["build 000001: PASS"]);
    show("nothing")
        .code(2)
        .says(&["no revision that was measured is called `nothing`"]);
    let ambiguous = show("").code(2);
    ambiguous.says(&["no revision"]);
    let view = histories
        .laboratory
        .call(&["history", "show", "h", "--format", "json"])
        .code(0)
        .json();
    assert_eq!(view["revisions"].as_array().unwrap().len(), 3);
    let names: Vec<&str> = view["series"]
        .as_array()
        .unwrap()
        .iter()
        .map(|series| series["subject"]["metric"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["size", "time", "size", "code"]);
    histories
        .laboratory
        .call(&["history", "show", "h", "--metric", "sise"])
        .code(2)
        .says(&["did you mean `size`"]);
}

#[test]
fn what_the_branch_and_its_tags_have_become_is_shown() {
    let histories = Histories::with(HISTORY, &[100, 110, 120]);
    histories.git(&["tag", "gone", "HEAD~1"], "2026-01-03");
    histories.run(&[]).code(0);
    let shown = histories.show().code(0);
    // Two runs of each have no interval.
    shown.prints(&[
        "  gone  +10.0%  ",
        "\nno interval, or … as its end: the runs are too few",
    ]);
    histories.git(&["tag", "--delete", "gone"], "2026-01-03");
    let lost = histories.git(&["rev-parse", "--short=12", "HEAD"], "2026-01-03");
    histories.git(&["reset", "--quiet", "--hard", "HEAD~1"], "2026-01-03");
    histories.commit("echo 130 > built", "2026-01-04");
    histories.run(&[]).code(0);
    let shown = histories
        .show()
        .code(0)
        .prints(&["(not on the branch)  +20.0%  "]);
    let mut marked = shown
        .out
        .lines()
        .filter(|line| line.contains("(not on the branch)"));
    assert!(marked.all(|line| line.contains(&lost)), "{shown:?}");
    assert!(!shown.out.contains("gone"), "{shown:?}");
}

/// The pages below a directory, with the addresses that each refers to.
fn links(directory: &Path) -> Vec<(PathBuf, Vec<String>)> {
    let pages = contents(directory).into_iter();
    let pages = pages.filter(|(path, _)| path.extension().is_some_and(|kind| kind == "html"));
    let addresses = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        let mut parts: Vec<&str> = text.split("href=\"").skip(1).collect();
        parts.extend(text.split("src=\"").skip(1));
        let addresses = parts.iter().filter_map(|part| part.split('"').next());
        addresses.map(str::to_owned).collect()
    };
    pages.map(|(path, text)| (path, addresses(&text))).collect()
}

#[test]
fn every_link_of_a_history_leads_somewhere() {
    let tests = "[tests]\ncommands = [[\"cat\", \"results\"]]\nformat = \"result-lines\"\n";
    let quirk = "[[quirks]]\nat = \"2026-01-03\"\nwhat = \"another <compiler>\"\n";
    let histories = Histories::new(&format!("{HISTORY}{tests}{quirk}"));
    for (day, size) in [(1, 100), (2, 110), (3, 120), (4, 90)] {
        let script =
            format!("echo {size} > built; echo PASS a > results; echo FAIL '<b>' >> results");
        histories.commit(&script, &format!("2026-01-{day:02}"));
    }
    let broken = histories.commit("exit 3 # </title><script>", "2026-01-05");
    histories.run(&[]).code(0);
    let laboratory = &histories.laboratory;
    for _ in 0..2 {
        // A report takes the place of the one before.
        laboratory
            .call(&["report", "h", "-o", "pages"])
            .code(0)
            .prints(&["pages/index.html"]);
    }
    let mut all = 0;
    for (path, addresses) in links(&laboratory.path("pages")) {
        for address in addresses {
            let address = address.split('#').next().unwrap();
            if address.is_empty() || address.starts_with("data:") || address.starts_with("https:") {
                continue;
            }
            let target = path.parent().unwrap().join(address);
            assert!(target.is_file(), "{}: {address}", path.display());
            all += 1;
        }
    }
    assert!(all > 100, "{all}");
    // The pages of a campaign lead back to the history, but not where they are alone.
    let back = "href=\"../../index.html\"";
    let run = laboratory.read("pages/campaigns/000001/run-1.html");
    assert!(run.contains(back), "{run}");
    let words = ["report", "h/campaigns/000001", "-o", "alone"];
    laboratory.call(&words).code(0);
    let alone = laboratory.read("alone/run-1.html");
    assert!(!alone.contains(back), "{alone}");
    let first = laboratory.read("pages/index.html");
    for part in [
        "4 revisions",
        "+10.0%",
        "another &lt;compiler&gt;",
        "(not built)",
        "1 campaign",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    assert!(!first.contains("<script>"), "{first}");
    let revision = laboratory.read(&format!("pages/revision-{}.html", &broken[..12]));
    assert!(
        revision.contains("NOBUILD, ") && !revision.contains("<script>"),
        "{revision}"
    );
    let tested = laboratory.read("pages/tests.html");
    assert!(
        tested.contains("&lt;b&gt;") && tested.contains("50%"),
        "{tested}"
    );
    let values = laboratory.read("pages/data/history.csv");
    assert!(
        values.starts_with("metric,unit,revision,date,difference,low,high,relative,runs\n"),
        "{values}"
    );
    // Somebody's own file stays where it is.
    fs::create_dir(laboratory.path("other")).unwrap();
    laboratory.write("other/index.html", "mine");
    laboratory.call(&["report", "h", "-o", "other"]).code(2);
    assert_eq!(laboratory.read("other/index.html"), "mine");
}

#[test]
fn a_log_is_five_clicks_away_from_all_histories() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories.run(&[]).code(0);
    let server = Server::start(&histories.laboratory, &["."]);
    let clicks = [
        ("/", "h/index.html"),
        ("/results/h/index.html", "campaigns/000001/index.html"),
        ("/results/h/campaigns/000001/index.html", "runs.html"),
        ("/results/h/campaigns/000001/runs.html", "run-2.html"),
        (
            "/results/h/campaigns/000001/run-2.html",
            "raw/2/2-stdout.txt",
        ),
    ];
    for (page, link) in clicks {
        let answer = server.get(page, "");
        assert!(answer.contains(&format!("{link}\"")), "{page}: {answer}");
    }
    let run = server.get("/results/h/campaigns/000001/run-2.html", "");
    assert!(run.contains("href=\"../../index.html\""), "{run}");
    let log = server.get("/results/h/campaigns/000001/raw/2/2-stdout.txt", "");
    assert!(log.contains("100\n") || log.contains("110\n"), "{log}");
    for nothing in [
        "/results/h/history.toml",
        "/results/h/campaigns/000002/index.html",
        "/results/h/metric-9.html",
    ] {
        let answer = server.get(nothing, "");
        assert!(answer.starts_with("HTTP/1.1 404"), "{nothing}: {answer}");
    }
    // What is new is there.
    histories.commit("echo 150 > built", "2026-01-03");
    histories.run(&[]).code(0);
    assert!(server.get("/results/h/index.html", "").contains("+50.0%"));
    server.end(rustix::process::Signal::INT);
    let said = histories.laboratory.call(&["serve", "h"]).code(2);
    said.says(&["found a history at h; serve . instead"]);
}
