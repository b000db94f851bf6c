//! Flags do what they say, or are refused.

use super::{HISTORY, Histories};

#[test]
fn a_plan_names_what_ends_a_call() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    let plan = |more: &[&str]| histories.run(&[&["--dry-run"], more].concat());
    plan(&["--campaigns", "1", "--budget", "2h"])
        .code(0)
        .prints(&["\nat most 1 campaign in a call\nno campaign begins after 2h\n"]);
    plan(&["--budget", "soon"]).code(2).says(&["--budget: "]);
}

#[test]
fn flags_that_would_do_nothing_are_refused() {
    let listed =
        "versions = { \"1.0\" = \"2026-01-01\", \"1.1\" = \"2026-02-01\" }\nobtain = [[\"true\"]]";
    let histories = Histories::new(&HISTORY.replace("git = \"repo\"", listed));
    let refused = |line: &str, expected: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let said = histories.laboratory.call(&words).code(2);
        said.says(&[expected]);
    };
    let search = "bisect 1.0 1.1 --history history.toml --out b --first-parent";
    refused(search, "--first-parent is for revisions of git");
    assert!(!histories.laboratory.path("b").exists());
    let twice = "history run history.toml --out h --confirm 1.0..1.0";
    refused(twice, "--confirm: expected two revisions, found one twice");
    assert!(!histories.laboratory.path("h").exists());
    refused("history show h --all", "--all is for --revision");
    refused("history mark h 1.0 none why", "leave WHY out");
}
