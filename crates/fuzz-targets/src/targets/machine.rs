//! Any bytes in one of the files of `/proc`, `/sys` and `/etc` of which the facts of a machine
//! is made, and on which the doctor's findings rest. The first line is the file's path; only files of
//! the machines in the tests are taken.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use perflab_machine::doctor::{Glance, Report, activity, settings, strain};
use perflab_machine::{Load, MachineFacts};

use crate::shared::{directory, first_line, has_control};

/// `== path` stands before the content of each file.
const MACHINES: [&str; 2] = [
    include_str!("../../../lab/machine/tests/machines/quiet.txt"),
    include_str!("../../../lab/machine/tests/machines/server.txt"),
];

struct Server {
    root: PathBuf,
    files: BTreeMap<&'static [u8], &'static str>,
}

static RECORDED: LazyLock<Server> = LazyLock::new(|| {
    let root = directory();
    let files: BTreeMap<&str, &str> = MACHINES
        .iter()
        .flat_map(|machine| machine.split("== ").skip(1))
        .filter_map(|part| part.split_once('\n'))
        .collect();
    for (path, content) in &files {
        let path = root.join(path);
        let parent = path.parent().expect("it is below the root");
        fs::create_dir_all(parent).expect("a directory can be made");
        fs::write(&path, content).expect("a file can be written");
    }
    let files = files
        .into_iter()
        .map(|(path, content)| (path.as_bytes(), content))
        .collect();
    Server { root, files }
});

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let (name, content) = first_line(input);
    let Some((name, sound)) = RECORDED.files.get_key_value(name) else {
        return false;
    };
    let path = RECORDED.root.join(String::from_utf8_lossy(name).as_ref());
    fs::write(&path, content).expect("a file can be written");
    let facts = MachineFacts::take(&RECORDED.root);
    let load = Load::take(&RECORDED.root);
    let mut findings = settings(&RECORDED.root, &[0, 1]);
    let broken = Glance::take(&RECORDED.root);
    fs::write(&path, sound).expect("a file can be written");

    let whole = Glance::take(&RECORDED.root);
    findings.extend(activity(&whole, &broken, &[0, 1], 1));
    findings.extend(activity(&broken, &whole, &[0, 1], 1));
    findings.extend(strain(&whole, &broken, &[0, 1]));
    findings.extend(strain(&broken, &whole, &[0, 1]));
    let report = Report::new(&[0, 1], findings, Vec::new());
    let said = serde_json::to_string(&report).expect("findings can be written");
    assert!(!has_control(&said));

    let stored = serde_json::to_string(&facts).expect("facts can be written");
    assert!(!has_control(&stored));
    let again: MachineFacts = serde_json::from_str(&stored).expect("it is read");
    assert_eq!(again, facts);
    assert!(load.load1.is_none_or(f64::is_finite));
    true
}
