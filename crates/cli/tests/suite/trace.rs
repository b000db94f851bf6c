//! `perflab trace` as a user calls it, on a program with probes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use perflab_abi::{Clock, ProbeContent, ProcessContent};
use perflab_testing::{needs, not_checked, test_name};
use perflab_trace_file::{EventBatch, TraceWriter};

use rustix::process::{Signal, geteuid};

use crate::life::{Place, printed, text};
use crate::support::Laboratory;

#[test]
fn a_command_with_its_probes_on() {
    let place = Place::new();
    let mut life = place.life("life:*");
    life.works(7);
    let pid = life.pid();
    let list = printed(&place.trace(&["list", "--pid", &pid]));
    let expected = format!(
        "{pid} life\n  probe      sites  on  hits  arguments\n  life:work      1   1     7  x: i32\n"
    );
    assert_eq!(list, expected);
    let sites = printed(&place.trace(&["list", "--pid", &pid, "--sites"]));
    assert!(sites.contains("0x") && sites.contains("life.c:"), "{sites}");
    let json = printed(&place.trace(&["list", "life:w*", "--pid", &pid, "--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let site = &json["processes"][0]["sites"][0];
    assert_eq!(json["schema"], 2);
    assert_eq!(site["probe"], "life:work");
    assert_eq!(site["hits"], 7);
    assert_eq!(site["arguments"][0]["type"], "i32");
    assert_eq!(site["backend"], "patched");
    assert_eq!(site["ordered"], false);
    assert!(site["filter"].is_null(), "{site}");
    let top = printed(&place.trace(&["top", "--pid", &pid, "--count", "1", "--every", "0.05"]));
    assert!(
        top.contains("life:work") && top.lines().count() == 3,
        "{top}"
    );
}

#[test]
fn off_and_on_again() {
    let place = Place::new();
    let mut life = place.life("life:*");
    let pid = life.pid();
    let off = printed(&place.trace(&["off", "*", "--pid", &pid]));
    assert!(
        off.starts_with(&format!("{pid} life: 1 of 1 site switched off in ")),
        "{off}"
    );
    life.works(7);
    let top = printed(&place.trace(&["top", "--pid", &pid, "-c", "1", "--every", "0.05"]));
    assert!(top.contains("no probe is on"), "{top}");
    let on = printed(&place.trace(&["on", "life", "--pid", &pid]));
    assert!(
        on.contains("by word, through writable pages, with membarrier"),
        "{on}"
    );
    life.works(5);
    let list = printed(&place.trace(&["list", "--pid", &pid]));
    assert!(
        list.contains("life:work      1   1     5  x: i32"),
        "{list}"
    );
    let again = printed(&place.trace(&["on", "life", "--pid", &pid]));
    assert_eq!(again, format!("{pid} life: 0 of 1 site switched on\n"));
}

#[test]
fn what_cannot_be_done() {
    let place = Place::new();
    let life = place.life("none:*");
    let pid = life.pid();
    let own = std::process::id().to_string();
    let there = place.file("life");
    let cases: [(&[&str], i32, &str); 12] = [
        (&["on", "life:*"], 2, "expected --pid PID or --all"),
        (
            &["on", "life:*", "--pid", "99999999999"],
            2,
            "invalid value",
        ),
        (
            &["on", "life:*", "--pid", "999999999"],
            4,
            "there is no process 999999999",
        ),
        (&["list", "--pid", &own], 5, "has no agent"),
        // The worst of two.
        (
            &["record", "--pid", &own, "--pid", &pid, "-o", &there],
            5,
            "nothing is written over",
        ),
        (
            &["on", "nothing:*", "--pid", &pid],
            4,
            "no probe is called \"nothing:*\"",
        ),
        (&["on", "li fe:*", "--pid", &pid], 2, "is no probe"),
        (
            &["top", "nothing:*", "--pid", &pid, "-c", "1"],
            4,
            "no probe is called \"nothing:*\"",
        ),
        (&["top", "life:"], 2, "is no probe"),
        (&["off", ",", "--all"], 2, "no probe is named"),
        (&["on", "a-b", "--", "echo", "untraced"], 2, "is no probe"),
        (
            &["on", "*", "--", "/does/not/exist"],
            5,
            "cannot be started",
        ),
    ];
    for (words, code, expected) in cases {
        let output = place.trace(words);
        let said = text(&output.stderr).to_lowercase();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        assert!(said.contains(&expected.to_lowercase()), "{words:?}: {said}");
        assert!(!text(&output.stdout).contains("untraced"), "{words:?}");
    }
}

#[test]
fn one_process_spoils_nothing_for_the_others() {
    let place = Place::new();
    let [mut stopped, mut works] = [place.life("life:*"), place.life("life:*")];
    works.works(3);
    let pids = [stopped.pid(), works.pid()];
    let both = |words: &[&str]| {
        let own = ["--pid", &pids[0], "--pid", "999999999", "--pid", &pids[1]];
        place.trace(&[words, &own].concat())
    };
    stopped.send(Signal::STOP);
    while !fs::read_to_string(format!("/proc/{}/stat", pids[0]))
        .unwrap()
        .contains(") T ")
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    let cases: [(&[&str], &str); 4] = [
        (&["list"], "life:work      1   1     3  x: i32"),
        (&["list", "--format", "json"], "\"hits\": 3"),
        (&["top", "-c", "1", "--every", "0.05"], "life:work"),
        (&["off", "*"], "1 of 1 site switched off"),
    ];
    for (words, expected) in cases {
        let output = both(words);
        let (out, said) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(5), "{words:?}: {said}");
        let shows =
            |pid: &str| out.contains(&format!("{pid} ")) || out.contains(&format!(": {pid},"));
        assert!(
            out.contains(expected) && shows(&pids[1]) && !shows(&pids[0]),
            "{words:?}: {out}"
        );
        let reason = format!("process {} (life): the process is stopped", pids[0]);
        assert!(said.contains(&reason), "{words:?}: {said}");
        let none = "there is no process 999999999";
        assert!(said.contains(none), "{words:?}: {said}");
    }
    stopped.send(Signal::CONT);
    stopped.works(2);
    // Of what can be shown nothing was refused, but one process is not there.
    let output = both(&["list"]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    let out = text(&output.stdout);
    assert!(
        out.contains("life:work      1   1     2") && out.contains("life:work      1   0     3"),
        "{out}"
    );
}

#[test]
fn a_process_that_ends_while_top_looks() {
    let place = Place::new();
    let [mut ends, stays] = [place.life("life:*"), place.life("life:*")];
    let top = |pids: &[&str], count: &str, every: &str| {
        let mut child = place.perflab();
        child.args(["trace", "top", "--every", every, "--count", count]);
        for pid in pids {
            child.args(["--pid", pid]);
        }
        child.stdout(Stdio::piped()).stderr(Stdio::piped());
        child.spawn().unwrap()
    };
    let (ended, stayed) = (ends.pid(), stays.pid());
    let mut child = top(&[&ended, &stayed], "3", "2");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first: Vec<String> = lines.by_ref().take(4).map(Result::unwrap).collect();
    assert!(first.iter().any(|line| line.contains(&ended)), "{first:?}");
    // It is not waited for yet, so it is still there, but has ended.
    ends.child.kill().unwrap();
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    let has_gone = format!("process {ended} (life) has gone\n");
    assert_eq!(said.matches(&has_gone).count(), 1, "{said}");
    let of_stayed = rest.iter().filter(|line| line.contains(&stayed));
    assert_eq!(of_stayed.count(), 2, "{rest:?}");
    assert!(!rest.iter().any(|line| line.contains(&ended)), "{rest:?}");
    ends.child.wait().unwrap();
    // Nothing can be shown any more.
    let mut child = top(&[&stayed], "9", "0.3");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    drop(stays);
    assert!(lines.count() < 9 * 3);
    assert!(child.wait().unwrap().success(), "some was shown");
    let output = top(&[&stayed], "1", "0.3").wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn a_socket_that_is_called_after_another_process() {
    use std::os::unix::fs::DirBuilderExt;
    let place = Place::new();
    let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
    let pid = sleeper.id().to_string();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let start = stat.split_whitespace().nth(21).unwrap();
    let directory = place.directory.path().join("perflab");
    let mut private = fs::DirBuilder::new();
    private.mode(0o700).create(&directory).unwrap();
    let socket = directory.join(format!("{pid}-{start}.sock"));
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let trace = |words: &[&str]| {
        let mut command = place.perflab();
        command.env("XDG_RUNTIME_DIR", place.directory.path());
        command.arg("trace").args(words).output().unwrap()
    };
    let output = trace(&["list"]);
    let said = text(&output.stderr);
    let ignored = format!("{} is ignored: process ", socket.display());
    assert!(said.contains(&ignored), "{said}");
    // Of the other processes on this machine something may be said.
    let is_error = |line: &str| line.starts_with("error:") && line.contains(&pid);
    assert!(!said.lines().any(is_error), "{said}");
    for words in [["list", "*"], ["on", "*"], ["off", "*"], ["top", "*"]] {
        let output = trace(&[&words[..], &["--pid", &pid]].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{words:?}: {said}");
        assert!(
            said.contains("the socket is not believed: process "),
            "{said}"
        );
        assert_eq!(text(&output.stdout), "", "{words:?}");
    }
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
}

/// The marks of events whose order is not sure, a letter for each event.
fn marks(shown: &str) -> String {
    let events = shown.lines().skip(1);
    events.map(|line| line.chars().nth(29).unwrap()).collect()
}

#[test]
fn events_whose_order_is_not_sure_are_marked() {
    let golden = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../trace/file/tests/golden/small.trace"
    );
    let laboratory = Laboratory::new();
    let said = laboratory.call(&["trace", "view", golden]).code(0);
    // Threads take turns within the 100 ns that their clocks may be apart, and pause two times for longer.
    assert_eq!(marks(&said.out), format!("  {}", "~".repeat(10)).repeat(3));
    // Cut before the second reading of the clocks: nobody knows how long a tick is.
    laboratory.write("cut", &fs::read(golden).unwrap()[..800]);
    let said = laboratory.call(&["trace", "view", "cut"]).code(0);
    assert_eq!(marks(&said.out), "?".repeat(12));
    said.says(&["the clock broke at 1 place: events"]);
}

#[test]
fn events_that_come_too_late_are_marked() {
    let mut to = TraceWriter::new(Vec::new());
    to.process(&ProcessContent {
        process: 1,
        pid: 7,
        start: 7,
        clock: Clock::Monotonic,
        skew: 100,
        executable: "/usr/bin/shop",
        command: "shop",
        ahead: None,
    })
    .unwrap();
    to.probe(&ProbeContent {
        process: 1,
        probe: 1,
        object: "",
        description: "shop\nsold\nshop.c\n1",
        ahead: Some(0),
    })
    .unwrap();
    // The clock of the second thread goes back, behind an event of the first.
    for (thread, times) in [(1, &[20_000][..]), (2, &[10_000, 30_000, 15_000])] {
        let mut batch = EventBatch::new(1, thread);
        batch.begin(0, 0);
        for time in times {
            batch.push(1, false, *time, &[], &[]).unwrap();
        }
        to.events(&mut batch).unwrap();
    }
    let laboratory = Laboratory::new();
    laboratory.write("late", to.finish().unwrap());
    let said = laboratory.call(&["trace", "view", "late"]).code(0);
    assert_eq!(marks(&said.out), "   !");
    let summary = laboratory
        .call(&["trace", "view", "late", "--summary"])
        .code(0)
        .out;
    assert!(
        summary.ends_with("  4         -  shop:sold (ordered)\n"),
        "{summary}"
    );
}

#[test]
fn another_user_sees_nothing() {
    if !geteuid().is_root() {
        not_checked(
            &test_name(),
            "only root can start a process as another user",
        );
        return;
    }
    needs("setpriv", "util-linux");
    let place = Place::new();
    let life = place.life("life:*");
    // The other user must be able to execute perflab.
    for path in [
        place.directory.path().to_owned(),
        place.directory.path().join("bin"),
    ] {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let other = |words: &[&str]| {
        Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
            .arg(place.directory.path().join("bin/perflab"))
            .arg("trace")
            .args(words)
            .output()
            .unwrap()
    };
    let list = printed(&other(&["list"]));
    assert!(list.starts_with("no running process"), "{list}");
    let off = other(&["off", "*", "--pid", &life.pid()]);
    assert_eq!(off.status.code(), Some(5));
    assert!(text(&off.stderr).contains("that this user may ask"));
    let list = printed(&place.trace(&["list", "--pid", &life.pid()]));
    assert!(list.contains("life:work      1   1"), "{list}");
}
