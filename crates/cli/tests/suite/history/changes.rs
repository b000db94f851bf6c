//! Changes are found, confirmed, suspected, and what tells most is measured first.

use super::{EXPERIMENT, HISTORY, Histories};

#[test]
fn a_change_is_found_with_an_interval_of_revisions() {
    let noisy = |day: u32| 1000 + day * 37 % 11 + if day < 15 { 0 } else { 50 };
    let sizes: Vec<u32> = (1..=30).map(noisy).collect();
    let histories = Histories::with(&HISTORY.replace("together = 3", "together = 10"), &sizes);
    // A workload may be called as the series of builds are.
    let experiment = EXPERIMENT.replace("workloads.w", "workloads.build");
    histories.laboratory.write("exp.toml", experiment);
    histories.run(&[]).code(0);
    let changes = |more: &[&str]| {
        let words = [&["history", "changes", "h"], more].concat();
        histories.laboratory.call(&words).code(0)
    };
    changes(&[]).prints(&[
        "1 change in 1 series; the chance that any is false is at most 5%",
        "1. build size [bytes]: +5",
        "  > 2026-01-15",
    ]);
    let found = changes(&["--format", "json"]).json();
    let change = &found["changes"]["found"][0];
    assert!(change["p_adjusted"].as_f64().unwrap() < 0.01, "{change:#}");
    let place = |key: &str| change[key].as_u64().unwrap();
    assert!(place("low") <= 14 && place("high") >= 14, "{change:#}");
    // Both sides again, in a campaign that the series do not know.
    let said = changes(&[]).out;
    let range = said
        .lines()
        .find_map(|line| line.split_once("--confirm "))
        .unwrap()
        .1;
    let before = histories.laboratory.call(&["history", "show", "h"]).out;
    histories.run(&["--confirm", range]).code(0);
    assert_eq!(
        histories.laboratory.call(&["history", "show", "h"]).out,
        before
    );
    changes(&[]).prints(&["confirmed in campaign 4: +5", &range.replace("..", " to ")]);
    let found = changes(&["--format", "json"]).json();
    let confirmation = &found["changes"]["found"][0]["confirmation"];
    assert!(
        confirmation["low"].as_f64().unwrap() > 0.0,
        "{confirmation:#}"
    );
    // What a person says of it.
    let mark = |words: &[&str]| {
        let words = [&["history", "mark", "h"], words].concat();
        histories.laboratory.call(&words)
    };
    let behind = range.split_once("..").unwrap().1;
    mark(&[behind, "expected", "a <safer> hash"])
        .code(0)
        .prints(&["build size [bytes]: expected"]);
    changes(&[]).prints(&["\nexpected: a <safer> hash\n"]);
    mark(&[behind, "wrong", "--metric", "size"]).code(0);
    let found = changes(&["--format", "json"]).json();
    assert_eq!(found["changes"]["found"][0]["said"]["state"], "wrong");
    let laboratory = &histories.laboratory;
    let reported = |name: &str| {
        laboratory.call(&["report", "h", "-o", "pages"]).code(0);
        laboratory.read(&format!("pages/{name}"))
    };
    assert!(!reported("changes.atom").contains("<entry>"));
    assert!(reported("badge.svg").contains("no change"));
    mark(&[behind, "none"]).code(0);
    let feed = reported("changes.atom");
    assert!(feed.contains("<title>build size [bytes]: +5"), "{feed}");
    assert!(
        feed.contains("<updated>2026-01-15T12:00:00Z</updated>"),
        "{feed}"
    );
    assert!(reported("badge.svg").contains("worse since 2026-01-15"));
    assert!(!changes(&[]).out.contains("wrong"));
    mark(&[behind, "wrong", "--metric", "wall"])
        .code(2)
        .says(&["no change of wall is around ", "changes are at"]);
    mark(&["v9", "wrong"])
        .code(2)
        .says(&["no revision that was measured is called `v9`"]);
    let builds = histories.journal("builds.jsonl").len();
    histories.run(&["--confirm", range]).code(0);
    assert_eq!(
        histories.journal("builds.jsonl").len(),
        builds + 2,
        "fresh builds each time"
    );
    // Sides that are far apart say less of a change than near ones.
    let first = histories.git(&["rev-list", "--max-parents=0", "HEAD"], "2026-01-01");
    histories
        .run(&["--confirm", &format!("{}..HEAD", first.trim())])
        .code(0);
    assert!(histories.laboratory.path("h/campaigns/000006").exists());
    changes(&[]).prints(&["confirmed in campaign 5: +5"]);
    let few = Histories::with(HISTORY, &[100, 110, 120]);
    few.run(&[]).code(0);
    let said = few.laboratory.call(&["history", "changes", "h"]).code(0);
    said.prints(&["1 series with fewer than 8 values"]);
    // Lists without an element are there too.
    let words = ["history", "changes", "h", "--format", "json"];
    let found = few.laboratory.call(&words).code(0).json();
    let first = &found["revisions"][0];
    for list in [
        &found["control_failures"],
        &found["quirks"],
        &found["tests"],
        &found["changes"]["found"],
        &found["changes"]["suspected"],
        &first["other_campaigns"],
        &first["revision"]["parents"],
        &first["revision"]["tags"],
        &first["build"]["programs"],
    ] {
        assert_eq!(list.as_array().map(Vec::len), Some(0), "{found:#}");
    }
    assert!(found["unmeasured"].is_object(), "{found:#}");
}

/// The lower ones of the values behind the step come first.
#[test]
fn a_large_step_is_found_where_it_is_with_few_revisions_before_it() {
    let percent = [
        0, -2, 1, 3, -4, 0, 2, 292, 280, 290, 283, 289, 304, 306, 295, 299, 296, 308, 298, 300,
        297, 296, 299, 305, 298, 302, 301, 303, 307, 294, 309,
    ];
    let sizes = percent.map(|percent: i32| 1000_u32.saturating_add_signed(10 * percent));
    let histories = Histories::with(&HISTORY.replace("together = 3", "together = 31"), &sizes);
    histories.run(&[]).code(0);
    let said = histories
        .laboratory
        .call(&["history", "changes", "h"])
        .code(0);
    said.prints(&["w size [bytes]: +297%", "  > 2026-01-08"]);
    let words = ["history", "changes", "h", "--format", "json"];
    let found = histories.laboratory.call(&words).code(0).json();
    let change = &found["changes"]["found"][0];
    assert!(
        (6..=7).contains(&change["low"].as_u64().unwrap()),
        "{change:#}"
    );
    assert!(
        (7..=8).contains(&change["high"].as_u64().unwrap()),
        "{change:#}"
    );
}

#[test]
fn a_watch_measures_what_tells_most() {
    // Every sixth revision is measured at first; the change is at the 44th.
    let noisy = |number: u32| 1000 + number * 37 % 11 + if number < 44 { 0 } else { 80 };
    let sizes: Vec<u32> = (1..=72).map(noisy).collect();
    let history = HISTORY.replace("together = 3", "together = 12");
    let histories = Histories::new(&format!("{history}[revisions]\nevery = 4\n"));
    for (number, size) in (0_u32..).zip(&sizes) {
        let day = format!("2026-{:02}-{:02}", 1 + number / 28, 1 + number % 28);
        histories.commit(&format!("echo {size} > built"), &day);
    }
    let watch = |more: &[&str]| {
        let words = [&["history", "watch", "history.toml", "--out", "h"], more].concat();
        histories.laboratory.call(&words).code(0)
    };
    let said = watch(&[]);
    let why: Vec<&str> = said
        .err
        .lines()
        .filter_map(|line| line.strip_prefix("next: "))
        .collect();
    assert_eq!(why[0], "the newest revision");
    assert_eq!(why[1], "17 revisions that nothing is known of", "{said:?}");
    assert!(
        why[2..].contains(&"where w size [bytes] changed"),
        "{why:?}"
    );
    assert!(
        why[2..].contains(&"by how much w size [bytes] changed"),
        "{why:?}"
    );
    let changes = histories
        .laboratory
        .call(&["history", "changes", "h"])
        .code(0);
    changes.prints(&["1 change in 1 series", "confirmed in campaign "]);
    // The one before it was measured too, though it is no fourth one.
    let measured = histories.measured();
    let hashes = histories.git(
        &["log", "--reverse", "--format=%h", "--abbrev=12"],
        "2026-01-01",
    );
    let hashes: Vec<&str> = hashes.lines().collect();
    for number in [43, 44] {
        assert!(
            measured.contains_key(hashes[number - 1]),
            "{number}: {measured:?}"
        );
    }
    assert!(measured.len() < 40, "{}", measured.len());
    // Nothing is left, until a revision comes.
    let said = watch(&[]);
    assert!(!said.err.contains("next:"), "{said:?}");
    histories.commit("echo 1090 > built", "2026-06-01");
    let said = watch(&["--campaigns", "1"]);
    assert!(
        said.err.contains("next: the newest revision")
            && said
                .err
                .contains("1 campaign measured, as --campaigns says"),
        "{said:?}"
    );
}

/// A confirmation that was interrupted may be of a change that later values moved.
#[test]
fn a_watch_finishes_what_was_being_confirmed() {
    let histories = Histories::with(HISTORY, &[100, 110, 120]);
    histories.run(&[]).code(0);
    let range = format!(
        "{}..HEAD",
        histories.git(&["rev-parse", "HEAD~1"], "2026-01-01").trim()
    );
    histories.run(&["--confirm", &range]).code(0);
    let records = "h/campaigns/000002/runs.jsonl";
    let complete = histories.laboratory.read(records);
    let cut = complete.trim_end().rfind('\n').unwrap() + 1;
    histories.laboratory.write(records, &complete[..cut]);
    let lines = |text: &str| text.lines().count();
    let output = histories
        .laboratory
        .path(&format!("h/campaigns/000002/runs/{:06}", lines(&complete)));
    std::fs::rename(&output, output.with_extension("partial")).unwrap();
    let words = ["history", "watch", "history.toml", "--out", "h"];
    let said = histories.laboratory.call(&words).code(0);
    said.says(&["resuming campaign 2"]);
    assert_eq!(lines(&histories.laboratory.read(records)), lines(&complete));
}

#[test]
fn a_change_with_the_last_revisions_is_suspected() {
    // Too few of them to prove anything.
    let noisy = |number: u32| 1000 + number * 37 % 11 + if number < 28 { 0 } else { 60 };
    let sizes: Vec<u32> = (1..=30).map(noisy).collect();
    let histories = Histories::with(&HISTORY.replace("together = 3", "together = 30"), &sizes);
    histories.run(&[]).code(0);
    let said = histories
        .laboratory
        .call(&["history", "changes", "h"])
        .code(0);
    let said = said.prints(&[
        "0 changes in 1 series",
        "suspected, not proven: w size [bytes] is higher since about ",
    ]);
    assert!(said.out.contains("of 2026-01-28"), "{said:?}");
    let last = histories.git(&["rev-parse", "HEAD"], "2026-01-30");
    let words = ["history", "mark", "h", &last, "wrong"];
    let refused = histories.laboratory.call(&words).code(2);
    refused.says(&["a suspected one can be marked once it is"]);
}
