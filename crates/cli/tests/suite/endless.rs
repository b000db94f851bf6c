//! Files without an end are refused, and do not fill the memory.

use std::os::unix::fs::symlink;

use super::support::Laboratory;

#[test]
fn files_that_people_write_have_an_end() {
    let laboratory = Laboratory::new();
    for name in [
        "exp.toml",
        "history.toml",
        "perflab-bisect.log",
        "noise.json",
    ] {
        symlink("/dev/zero", laboratory.path(name)).unwrap();
    }
    let calls: [&[&str]; 5] = [
        &["run", "exp.toml"],
        &["history", "run", "history.toml"],
        &["bisect", "reset"],
        &["bisect", "replay", "perflab-bisect.log"],
        &[
            "plan",
            "--show",
            "1%",
            "--each",
            "1s",
            "--noise",
            "noise.json",
        ],
    ];
    for call in calls {
        laboratory
            .call(call)
            .code(2)
            .says(&["it has more than 64 MiB"]);
    }
}
