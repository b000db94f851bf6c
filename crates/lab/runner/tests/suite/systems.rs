//! A variant of several systems: their order, their names, and what happens when one of them fails.

use std::time::Duration;

use perflab_experiment::Status;
use perflab_runner::Exit;

use crate::experiment::{Outcome, World};
use crate::simulated::{End, Script, Simulated};

const TEXT: &str = r#"
name = "several"
[design]
runs = 1
block = 1
[variants.a.systems.backup]
start = ["backup", "{port}", "{index}"]
ready = { tcp = "127.0.0.1:{port}", timeout = "5s" }
stop = { command = ["stop-backup"], timeout = "1s" }
after = ["master"]
count = 2
[variants.a.systems.master]
start = ["master", "{port}"]
ready = { tcp = "127.0.0.1:{port}", timeout = "5s" }
stop = { command = ["stop-master"], timeout = "1s" }
[workloads.w]
driver = "command"
command = ["load", "{port:master}", "{port:backup-1}", "{port:backup-2}"]
"#;

fn host() -> Simulated {
    let ms = Duration::from_millis;
    let server = Script::short().ends(End::AtSignal(ms(1))).listens(ms(10));
    let load = End::After(ms(50), Exit::Code(0));
    Simulated::new(&[
        ("master", server.clone()),
        ("backup", server),
        ("load", Script::short().ends(load)),
        ("stop-master", Script::short().tells()),
        ("stop-backup", Script::short().tells()),
    ])
}

#[test]
fn systems_are_started_in_order_and_stopped_the_other_way_round() {
    let world = World::new(TEXT);
    let host = host();
    assert!(matches!(world.execute(&host), Outcome::Finished));
    let steps = [
        "master",
        "backup",
        "backup",
        "load",
        "stop-backup",
        "stop-backup",
        "stop-master",
    ];
    assert_eq!(host.started(), steps);
    let records = world.records();
    let [record] = &records[..] else {
        panic!("{records:?}");
    };
    assert_eq!(record.status, Status::Pass, "{:?}", record.detail);
    let mut ports = record.argv[1..].to_vec();
    assert_eq!(ports.len(), 3);
    ports.sort();
    ports.dedup();
    assert_eq!(ports.len(), 3, "each has a port of its own");
    for name in ["", ".master", ".backup-1", ".backup-2"] {
        let name = format!("system_user_s{name}");
        assert!(record.evidence.contains_key(&name), "{name}: {record:?}");
    }
    for name in ["master", "backup-1", "backup-2"] {
        let log = world
            .result()
            .join(format!("runs/000001/system.{name}.log"));
        assert!(log.exists(), "{}", log.display());
    }
    world.check_clean(&host, "several");
}

/// The status and the detail of the run where one start of a program goes wrong.
fn failed(program: &str, start: usize, script: Script) -> (Status, String) {
    let world = World::new(TEXT);
    let host = host().once(program, start, script);
    assert!(matches!(world.execute(&host), Outcome::Finished));
    world.check_clean(&host, program);
    let record = world.records().remove(0);
    (record.status, record.detail.unwrap_or_default())
}

#[test]
fn the_system_that_fails_is_named_and_the_others_are_ended() {
    let ms = Duration::from_millis;
    for (program, start, name) in [
        ("master", 0, "master"),
        ("backup", 0, "backup-1"),
        ("backup", 1, "backup-2"),
    ] {
        let (status, detail) = failed(program, start, Script::short().cannot_start());
        assert_eq!(status, Status::NotReady, "{detail}");
        assert!(
            detail.starts_with(&format!("the system {name}: ")),
            "{detail}"
        );
        let (status, detail) = failed(program, start, Script::short().ends(End::Never));
        assert_eq!(status, Status::NotReady, "{detail}");
        assert!(detail.contains(name), "{detail}");
        // Ready, and dead while the load runs.
        let dies = End::After(ms(60), Exit::Signal(11));
        let (status, detail) = failed(program, start, Script::short().ends(dies).listens(ms(10)));
        assert_eq!(status, Status::Died, "{detail}");
        assert!(
            detail.starts_with(&format!("the system {name} ")),
            "{detail}"
        );
    }
    let stays = Script::short().ends(End::Never).listens(ms(10));
    let (status, detail) = failed("backup", 1, stays);
    assert_eq!(status, Status::NoStop, "{detail}");
    assert!(
        detail.starts_with("the system backup-2 did not stop"),
        "{detail}"
    );
}
