//! Proven changes: in which order they are told, by which command they are confirmed, and what people say of them.

use super::{EXPERIMENT, HISTORY, Histories};

/// What changes of two series are confirmed by may differ, as one of them has no values just before.
#[test]
fn a_watch_confirms_the_metrics_of_a_change_together() {
    let histories = Histories::new(&HISTORY.replace("together = 3", "together = 15"));
    let laboratory = &histories.laboratory;
    let (_, workload) = EXPERIMENT.split_once("[workloads.w]").unwrap();
    let other = workload.replace("workloads.w.", "workloads.v.");
    let other = other.replace("built", "other");
    laboratory.write("exp.toml", format!("{EXPERIMENT}[workloads.v]{other}"));
    for day in 1..=30 {
        let size = 1000 + day * 37 % 11 + if day < 20 { 0 } else { 50 };
        let mut script = format!("echo {size} > built");
        if !(15..20).contains(&day) {
            script += &format!("; echo {} > other", 2 * size);
        }
        histories.commit(&script, &format!("2026-01-{day:02}"));
    }
    histories.run(&[]).code(0);
    let words = ["history", "watch", "history.toml", "--out", "h"];
    laboratory.call(&words).code(0);
    let campaigns = histories.journal("campaigns.jsonl");
    let confirming = campaigns
        .iter()
        .filter(|campaign| campaign["purpose"] == "confirm");
    assert_eq!(confirming.count(), 1, "{campaigns:#?}");
    let changes = laboratory.call(&["history", "changes", "h"]).code(0);
    let changes = changes.prints(&["2 changes in 2 series"]);
    let confirmed = changes.out.matches("\nconfirmed in campaign 3").count();
    assert_eq!(confirmed, 2, "{changes:?}");
}

/// The size grows on the 20th day, the weight on the 12th.
fn script(day: u32) -> String {
    let noise = day * 37 % 11;
    let size = 1000 + noise + if day < 20 { 0 } else { 50 };
    let weight = 500 + noise + if day < 12 { 0 } else { 80 };
    format!("printf '{size}\\nweight {weight}\\n' > built")
}

#[test]
fn changes_of_several_metrics() {
    let together = HISTORY.replace("together = 3", "together = 15");
    let histories = Histories::new(&together);
    let laboratory = &histories.laboratory;
    let weight = "[[workloads.w.metrics]]\nname = \"weight\"\nunit = \"\"\nbetter = \"lower\"\nregex = 'weight (\\d+)'\n";
    laboratory.write("exp.toml", format!("{EXPERIMENT}{weight}"));
    for day in 1..=30 {
        histories.commit(&script(day), &format!("2026-01-{day:02}"));
    }
    let call = |words: &[&str]| laboratory.call(words).code(0);
    let out = "all of it";
    let run = |more: &[&str]| {
        call(&[&["history", "run", "history.toml", "--out", out], more].concat());
    };
    let changes = || call(&["history", "changes", out]).out;
    run(&["--every", "2"]);
    let coarse = changes();
    let (_, range) = coarse.split_once("--confirm ").unwrap();
    let last = range.split_once("..").unwrap().1.lines().next().unwrap();
    call(&["history", "mark", out, last, "expected", "a safer hash"]);
    run(&[]);
    let fine = changes();
    let (size, weight) = fine.split_once("\n2. w weight: ").unwrap();
    // The revision is behind the change by now; the mark stays, and is of no other metric.
    assert!(coarse.contains(&format!("{last}  printf")), "{coarse}");
    assert!(!size.contains(&format!("{last}  printf")), "{fine}");
    assert!(size.contains("\nexpected: a safer hash\n"), "{fine}");
    assert!(!weight.contains("expected"), "{fine}");
    // The command is executed as it is printed, but for the name of the file.
    let (_, command) = weight.split_once("again: perflab ").unwrap();
    let words = shell_words::split(command.trim()).unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(words[..5], ["history", "run", "HISTORY.toml", "--out", out]);
    call(&[&["history", "run", "history.toml"], &words[3..]].concat());
    let confirmed = changes();
    let (_, weight) = confirmed.split_once("\n2. w weight: ").unwrap();
    assert!(weight.contains("\nconfirmed in campaign "), "{confirmed}");
    // The newest first, whichever metric it is of.
    call(&["report", out, "-o", "pages"]);
    for page in ["index.html", "changes.atom"] {
        let text = laboratory.read(&format!("pages/{page}"));
        let place = |name: &str| text.find(&format!("{name}: +"));
        assert!(
            place("w size [bytes]").unwrap() < place("w weight").unwrap(),
            "{text}"
        );
    }
    let badge = laboratory.read("pages/badge.svg");
    assert!(badge.contains("worse since 2026-01-"), "{badge}");
}

/// The control measures something else in each campaign, as by the noise of its few runs: all differences of the campaign
/// are off by that. Where campaigns hold neighbours, they are off from one revision to the next.
#[test]
fn what_neighbours_share_with_their_control_is_no_change() {
    let histories = Histories::new(&HISTORY.replace("together = 3", "together = 12"));
    let laboratory = &histories.laboratory;
    let command = r#"["cat", "{tree}/built"]"#;
    let shifted = r#"["sh", "{experiment}/shifted", "{tree}/built"]"#;
    laboratory.write("exp.toml", EXPERIMENT.replace(command, shifted));
    let shift = "size=$(cat $1); [ $size != 2000 ] || size=$(cat ${0%/*}/control); echo $size\n";
    laboratory.write("shifted", shift);
    histories.commit("echo 2000 > built", "2026-01-01");
    for (campaign, control) in (0..).zip([2000, 2200, 1900, 2100, 2050]) {
        laboratory.write("control", control.to_string());
        for day in 12 * campaign + 1..12 * campaign + 13 {
            let size = 1000 + day * 37 % 101;
            let date = format!("2026-{:02}-{:02}", 1 + day / 28, 1 + day % 28);
            histories.commit(&format!("echo {size} > built"), &date);
        }
        histories.run(&[]).code(0);
    }
    let changes = |more: &[&str]| {
        let words = [&["history", "changes", "h"], more].concat();
        laboratory.call(&words).code(0)
    };
    changes(&[]).prints(&["0 changes in 1 series"]);
    let view = changes(&["--format", "json"]).json();
    let values = view["series"][0]["values"].as_array().unwrap();
    let campaigns = values.iter().map(|value| value["campaign"].as_u64());
    let expected = (0..60).map(|value| Some(1 + value / 12));
    assert!(campaigns.eq(expected), "{values:#?}");
}

#[test]
fn a_mark_that_fits_no_change_names_each_revision_with_changes_once() {
    let step = |day: u32| 1000 + day * 37 % 11 + if day < 12 { 0 } else { 200 };
    let sizes: Vec<u32> = (1..=24).map(step).collect();
    let histories = Histories::with(&HISTORY.replace("together = 3", "together = 24"), &sizes);
    let laboratory = &histories.laboratory;
    let bulk = "[[workloads.w.metrics]]\nname = \"bulk\"\nunit = \"\"\nbetter = \"lower\"\nregex = '^(\\d+)'\n";
    laboratory.write("exp.toml", format!("{EXPERIMENT}{bulk}"));
    histories.run(&[]).code(0);
    let newest = histories.git(&["rev-parse", "HEAD"], "2026-01-01");
    let refused = laboratory.call(&["history", "mark", "h", &newest, "wrong"]);
    let refused = refused.code(2).says(&[" (bulk, size)\n"]);
    assert_eq!(refused.err.matches("size").count(), 1, "{refused:?}");
}
