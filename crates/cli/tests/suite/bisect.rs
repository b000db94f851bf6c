//! `perflab bisect`: the revision that introduced a change is found, by measuring and by what a person says.

mod ends;
mod logs;

use std::fs;

use perflab_testing::needs;

use crate::support::{Laboratory, Said, git};

/// A laboratory with a repository, in which each revision has a script `work.sh`.
struct Searches {
    laboratory: Laboratory,
    /// The revisions, the oldest first.
    revisions: Vec<String>,
}

impl Searches {
    /// A revision for each script.
    fn with(scripts: &[String]) -> Self {
        needs("git", "git");
        let laboratory = Laboratory::new();
        fs::create_dir(laboratory.path("repo")).unwrap();
        let mut made = Self {
            laboratory,
            revisions: Vec::new(),
        };
        made.git(&["init", "--quiet", "--initial-branch", "main"]);
        for (number, script) in (1..).zip(scripts) {
            made.laboratory
                .write("repo/work.sh", format!("# {number}\n{script}\n"));
            made.commit(&format!("change {number}"));
        }
        made
    }

    fn git(&self, words: &[&str]) -> String {
        git(&self.laboratory.path("repo"), None, words)
    }

    fn commit(&mut self, subject: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", subject]);
        self.revisions.push(self.git(&["rev-parse", "HEAD"]));
    }

    /// Writes an experiment, and a history file of the repository that measures with it.
    fn write_history(&self, experiment: &str) {
        self.laboratory.write("exp.toml", experiment);
        self.laboratory.write(
            "history.toml",
            "name = \"h\"\n[source]\ngit = \"repo\"\n[measure]\nexperiment = \"exp.toml\"\n",
        );
    }

    /// Calls the laboratory in the repository.
    fn bisect(&self, words: &[&str]) -> Said {
        self.laboratory
            .call_in("repo", &[&["bisect"], words].concat())
    }

    /// The revision of this number, from 1, as people read it.
    fn name(&self, number: usize) -> &str {
        &self.revisions[number - 1][..12]
    }

    /// The first and the last one.
    fn ends(&self) -> [&str; 2] {
        [
            &self.revisions[0],
            &self.revisions[self.revisions.len() - 1],
        ]
    }
}

/// The size that a script's last line says.
const SIZES: &str = r#"
[design]
runs = 4
block = 2
[variants.any]
vars = { tree = "." }
[workloads.w]
driver = "generic"
command = ["tail", "-n1", "{tree}/work.sh"]
[[workloads.w.metrics]]
name = "size"
unit = "bytes"
better = "lower"
regex = '^(\d+)'
"#;

/// What of a repository a search must not change.
fn state(searches: &Searches) -> [String; 3] {
    ["rev-parse HEAD", "for-each-ref", "status --porcelain"].map(|words| {
        let words: Vec<&str> = words.split(' ').collect();
        searches.git(&words)
    })
}

/// Scripts of which those from a number on are slower, by more than a busy machine lets others wait.
fn slower_from(all: usize, first: usize) -> Vec<String> {
    let script = |number: usize| {
        let seconds = if number < first { 0.01 } else { 0.15 };
        format!("sleep {seconds}")
    };
    (1..=all).map(script).collect()
}

#[test]
fn a_slower_revision_is_found_and_confirmed() {
    let searches = Searches::with(&slower_from(12, 8));
    let before = state(&searches);
    let [good, bad] = searches.ends();
    let said = searches.bisect(&[good, bad, "--out", "../out", "--", "sh", "work.sh"]);
    assert_eq!(said.code, 0, "{said:?}");
    let found = format!("{} introduced the change", searches.name(8));
    assert!(said.out.starts_with(&found), "{said:?}");
    let confirmed = format!(
        "confirmed: {} against {}",
        searches.name(8),
        searches.name(7)
    );
    assert!(said.out.contains("slower"), "{said:?}");
    assert!(said.out.contains(&confirmed), "{said:?}");
    assert!(said.out.contains("change 8"), "{said:?}");
    assert_eq!(state(&searches), before);
    // What another command did says nothing, though its runs are in the same directory.
    let other = searches.bisect(&[good, bad, "--out", "../out", "--", "true"]);
    assert!(other.err.contains("after 1 step:"), "{other:?}");
    // What was measured is not measured again.
    let again = searches.bisect(&[good, bad, "--out", "../out", "--", "sh", "work.sh"]);
    assert_eq!((again.code, again.out), (0, said.out));
    assert!(!again.err.contains("\nstep "), "{}", again.err);
}

#[test]
fn revisions_that_cannot_be_built_are_left_out() {
    let mut scripts = slower_from(12, 8);
    // Neither the one that is found nor its neighbours may be among them.
    for number in [3, 5, 10] {
        scripts[number - 1] = "broken".to_owned();
    }
    let searches = Searches::with(&scripts);
    let [good, bad] = searches.ends();
    let build = "! grep -q broken work.sh";
    let said = searches.bisect(&[
        good, bad, "--out", "../out", "--build", build, "--", "sh", "work.sh",
    ]);
    assert_eq!(said.code, 0, "{said:?}");
    let found = format!("{} introduced the change", searches.name(8));
    assert!(said.out.starts_with(&found), "{said:?}");
}

#[test]
fn where_neighbours_cannot_be_built_several_are_named() {
    let mut scripts = slower_from(10, 6);
    scripts[5] = "broken".to_owned();
    let searches = Searches::with(&scripts);
    let [good, bad] = searches.ends();
    let build = "! grep -q broken work.sh";
    let said = searches.bisect(&[
        good, bad, "--out", "../out", "--build", build, "--", "sh", "work.sh",
    ]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.out
            .starts_with("one of 2 revisions introduced the change"),
        "{said:?}"
    );
    for number in [6, 7] {
        assert!(said.out.contains(searches.name(number)), "{said:?}");
    }
    let confirmed = format!(
        "confirmed: {} against {}",
        searches.name(7),
        searches.name(5)
    );
    assert!(said.out.contains(&confirmed), "{said:?}");
}

#[test]
fn a_failure_is_found_and_a_flaky_one() {
    let script = |number: usize| if number < 6 { "true" } else { "exit 1" }.to_owned();
    let searches = Searches::with(&(1..=16).map(script).collect::<Vec<_>>());
    let [good, bad] = searches.ends();
    let said = searches.bisect(&[
        good, bad, "--fails", "--out", "../out", "--", "sh", "work.sh",
    ]);
    assert_eq!(said.code, 0, "{said:?}");
    let found = format!("{} introduced the change", searches.name(6));
    assert!(said.out.starts_with(&found), "{said:?}");
    // Four tries tell apart 15 revisions.
    assert!(said.out.contains(": 4 between the ends"), "{said:?}");
    // It passes in one of eight runs.
    let script = |number: usize| match number < 6 {
        true => "true".to_owned(),
        false => "test $(od -An -N1 -tu1 /dev/urandom) -lt 32".to_owned(),
    };
    let searches = Searches::with(&(1..=16).map(script).collect::<Vec<_>>());
    let [good, bad] = searches.ends();
    let said = searches.bisect(&[
        good, bad, "--fails", "--flaky", "--out", "../out", "--", "sh", "work.sh",
    ]);
    // One of twenty answers may be wrong; those are not confirmed.
    let found = format!("{} introduced the change", searches.name(6));
    assert_eq!(said.code == 0, said.out.starts_with(&found), "{said:?}");
    assert!(said.out.contains("confirmed: "), "{said:?}");
}

#[test]
fn a_history_file_says_how_to_build_and_measure() {
    let searches = Searches::with(
        &(1..=9)
            .map(|number| (100 + number / 5 * 7).to_string())
            .collect::<Vec<_>>(),
    );
    let digit = "[[workloads.w.metrics]]\nname = \"digit\"\nunit = \"\"\nbetter = \"lower\"\nregex = '(\\d)$'\n";
    searches.write_history(&format!("{SIZES}{digit}"));
    let [good, bad] = searches.ends();
    let words = [good, bad, "--history", "../history.toml", "--out", "../out"];
    let said = searches.bisect(&[&words[..], &["--metric", "size"]].concat());
    assert_eq!(said.code, 0, "{said:?}");
    let found = format!("{} introduced the change", searches.name(5));
    assert!(said.out.starts_with(&found), "{said:?}");
    // Another metric of the same runs, which are not made again.
    let of_other = searches.bisect(&[&words[..], &["--metric", "digit"]].concat());
    assert_eq!(of_other.code, 0, "{of_other:?}");
    assert!(!of_other.err.contains("\nstep "), "{of_other:?}");
    let both = ["--metric", "size,digit"];
    let refused = searches.bisect(&[&words[..], &both].concat());
    assert_eq!(refused.code, 2, "{refused:?}");
    // Where nothing changed, only the ends are measured.
    let said = searches.bisect(&[
        "HEAD~3",
        bad,
        "--history",
        "../history.toml",
        "--metric",
        "size",
    ]);
    assert_eq!(said.code, 0, "{said:?}");
    let head = said.out.lines().next().unwrap();
    assert!(
        head.starts_with("no change") && head.contains(" from "),
        "{said:?}"
    );
    assert!(said.out.contains(": 0 between the ends"), "{said:?}");
    // The history of the same directory knows nothing of it.
    let said = searches
        .laboratory
        .call_in("repo", &["history", "show", "../out"]);
    assert_eq!(said.code, 4, "{said:?}");
}

#[test]
fn a_person_finds_it_with_the_words_of_git() {
    let searches = Searches::with(&slower_from(16, 11));
    let before = state(&searches);
    let [good, bad] = searches.ends();
    let mut said = searches.bisect(&["start", good, bad]);
    let mut tries = 0;
    while let Some(line) = said.out.lines().find_map(|line| line.strip_prefix("try ")) {
        assert_eq!(said.code, 0, "{said:?}");
        let number = searches
            .revisions
            .iter()
            .position(|hash| hash.starts_with(&line[..12]));
        let word = if number.unwrap() + 1 < 11 {
            "good"
        } else {
            "bad"
        };
        said = searches.bisect(&[word]);
        tries += 1;
        assert!(tries < 10, "{said:?}");
    }
    let found = format!("{} introduced the change", searches.name(11));
    assert!(said.out.starts_with(&found), "{said:?}");
    assert_eq!(tries, 4);
    let log = searches.bisect(&["log"]);
    assert!(
        log.out.starts_with(&format!("start {good} {bad}\n")),
        "{log:?}"
    );
    assert!(log.out.contains(&format!("# {found}")), "{log:?}");
    // What was said can be read again, elsewhere.
    searches.laboratory.write("said.txt", &log.out);
    let again = searches.bisect(&["replay", "../said.txt", "--file", "../other.log"]);
    assert_eq!((again.code, again.out), (0, said.out));
    let wrong = log.out.replacen("good", "god", 1);
    searches.laboratory.write("wrong.txt", wrong);
    let refused = searches.bisect(&["replay", "../wrong.txt", "--file", "../third.log"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("../wrong.txt:"), "{refused:?}");
    for end in [good, bad] {
        let refused = searches.bisect(&["skip", end]);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(
            refused.err.contains("is an end of the search"),
            "{refused:?}"
        );
    }
    searches.laboratory.write("notes.txt", "buy milk\n");
    let refused = searches.bisect(&["reset", "--file", "../notes.txt"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_eq!(searches.laboratory.read("notes.txt"), "buy milk\n");
    let refused = searches.bisect(&["start", good, bad]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_eq!(searches.bisect(&["reset"]).code, 0);
    assert_eq!(searches.bisect(&["good"]).code, 2);
    assert_eq!(state(&searches), before);
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let mut searches = Searches::with(&slower_from(4, 3));
    searches.git(&["checkout", "--quiet", "-b", "side", "HEAD~2"]);
    searches.laboratory.write("repo/other", "");
    searches.commit("aside");
    let [one, two, four, side] = [0, 1, 3, 4].map(|at| searches.revisions[at].as_str());
    for (words, expected) in [
        (vec![], "expected two revisions"),
        (vec![one, four], "expected what is measured"),
        (vec![one, one, "--", "true"], "are the same revision"),
        (vec![four, one, "--", "true"], "is newer than"),
        (vec![side, four, "--", "true"], "is no ancestor of"),
        (
            vec![one, "nowhere", "--", "true"],
            "`BAD`: `nowhere` names no commit",
        ),
        (vec!["start", four, one], "is newer than"),
        (vec!["skip"], "no search is under way"),
    ] {
        let said = searches.bisect(&words);
        assert_eq!(said.code, 2, "{words:?}: {said:?}");
        assert!(said.err.contains(expected), "{words:?}: {said:?}");
    }
    let base = format!("their last common commit is {}", &two[..12]);
    let said = searches.bisect(&[side, four, "--", "true"]);
    assert!(said.err.contains(&base), "{said:?}");
}

/// That nothing is found says nothing of differences that drown in the noise.
#[test]
fn no_change_has_a_size() {
    let script = "sleep 0.00$(( $(od -An -N1 -tu1 /dev/urandom) % 8 + 2 ))";
    let searches = Searches::with(&vec![script.to_owned(); 6]);
    let [good, bad] = searches.ends();
    let words = [
        good, bad, "--out", "../out", "--metric", "wall", "--", "sh", "work.sh",
    ];
    let said = searches.bisect(&words);
    assert_eq!(said.code, 0, "{said:?}");
    let head = said.out.lines().next().unwrap();
    let size = head
        .strip_prefix("no change of ")
        .and_then(|rest| rest.split_once("% or more from "))
        .and_then(|(percent, _)| percent.parse::<f64>().ok());
    assert!(size.is_some_and(|size| size > 5.0), "{said:?}");
}

/// What the ends lacked in earlier calls is no word on them.
#[test]
fn ends_that_failed_before_can_be_measured() {
    let script = |number: usize| {
        format!(
            "test -e ../../../../ok || exit 1\nsleep {}",
            if number < 4 { 0.01 } else { 0.15 }
        )
    };
    let searches = Searches::with(&(1..=6).map(script).collect::<Vec<_>>());
    let [good, bad] = searches.ends();
    let words = [good, bad, "--out", "../out", "--", "sh", "work.sh"];
    for _ in 0..3 {
        let said = searches.bisect(&words);
        assert_eq!(said.code, 4, "{said:?}");
    }
    searches.laboratory.write("ok", "");
    let said = searches.bisect(&words);
    assert_eq!(said.code, 0, "{said:?}");
    let found = format!("{} introduced the change", searches.name(4));
    assert!(said.out.starts_with(&found), "{said:?}");
}

#[test]
fn what_was_built_with_again_counts_without() {
    let mut scripts = slower_from(10, 6);
    scripts[5] += "\n# broken";
    let searches = Searches::with(&scripts);
    let [good, bad] = searches.ends();
    let build = "test -e ../../../../ok || ! grep -q broken work.sh";
    let search = |more: &[&str]| {
        let words = [&[good, bad, "--out", "../out", "--build", build], more].concat();
        let said = searches.bisect(&[&words[..], &["--", "sh", "work.sh"]].concat());
        assert_eq!(said.code, 0, "{said:?}");
        said.out
    };
    assert!(search(&[]).starts_with("one of 2 revisions"));
    searches.laboratory.write("ok", "");
    let found = format!("{} introduced the change", searches.name(6));
    let again = search(&["--again"]);
    assert!(again.starts_with(&found), "{again}");
    assert_eq!(search(&[]), again);
}

/// The ratio of a value to others is none where it is 0, and such a value may come late.
#[test]
fn a_value_of_nothing_between_the_ends() {
    let size = |number| if number < 5 { "5" } else { "0" };
    let mut sizes: Vec<String> = (1..=9).map(|number| size(number).to_owned()).collect();
    sizes[8] = "1".to_owned();
    let searches = Searches::with(&sizes);
    searches.write_history(SIZES);
    let [good, bad] = searches.ends();
    let words = [good, bad, "--history", "../history.toml", "--out", "../out"];
    let said = searches.bisect(&words);
    assert_eq!(said.code, 0, "{said:?}");
    let found = format!("{} introduced the change", searches.name(5));
    assert!(said.out.starts_with(&found), "{said:?}");
}
