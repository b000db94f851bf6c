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
fn a_plan_of_a_patch_names_its_revisions() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories.laboratory.write("larger.patch", "");
    let name = |revision: &str| histories.git(&["rev-parse", "--short=12", revision], "2026-01-01");
    let (first, last) = (name("HEAD~1"), name("HEAD"));
    let plan = |more: &[&str]| {
        let words = [&["--dry-run", "--patch", "larger.patch"], more].concat();
        histories.run(&words).code(0).out
    };
    let expected = format!(
        "h: 1 campaign with {last} of 2026-01-02, the same with the patch larger, and the control {first} of 2026-01-01; 2 runs \
         of each\n"
    );
    assert_eq!(plan(&[]), expected);
    let of_control = format!(
        "h: 1 campaign with {first} of 2026-01-01, which is the control, and the same with "
    );
    assert!(plan(&["--until", &first]).starts_with(&of_control));
    assert!(!histories.laboratory.path("h").exists());
}

#[test]
fn tags_of_another_branch_are_noted() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories.git(&["tag", "v1"], "2026-01-02");
    histories.git(&["checkout", "--quiet", "-b", "releases"], "2026-01-03");
    let note = " are not in the history of the branch, so their revisions are not measured; name their branch";
    let plan = || histories.run(&["--dry-run", "--every", "tag"]).code(0).err;
    for day in [3, 4] {
        histories.commit(&format!("echo {day} > built"), &format!("2026-01-0{day}"));
        histories.git(&["tag", &format!("v{day}")], "2026-01-04");
    }
    assert_eq!(plan(), "");
    histories.git(&["checkout", "--quiet", "main"], "2026-01-05");
    assert!(
        plan().contains(&format!("note: 2 of 3 tags{note}")),
        "{}",
        plan()
    );
    assert_eq!(histories.run(&["--dry-run"]).code(0).err, "");
    // Those that nobody asks for say nothing.
    let table = "[revisions]\nevery = \"tag\"\ntags = \"v1*\"\n[measure]";
    let said = histories
        .dry_run_of(&HISTORY.replace("[measure]", table))
        .code(0);
    assert_eq!(said.err, "");
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
