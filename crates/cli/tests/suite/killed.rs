//! A laboratory that is killed at random moments and resumed: the short form of `make prove-kill`.

use std::process::Command;

use perflab_testing::needs;

/// Enough for kills in different steps of a run, few enough to take seconds.
const KILLS: &str = "6";

#[test]
fn no_run_is_lost_or_repeated_and_no_process_stays() {
    for (command, package) in [
        ("python3", "python3"),
        ("redis-server", "redis-server"),
        ("redis-benchmark", "redis-tools"),
    ] {
        needs(command, package);
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/prove-kill");
    let output = Command::new(script)
        .env("PERFLAB", env!("CARGO_BIN_EXE_perflab"))
        .env("PERFLAB_KILLS", KILLS)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains("prove-kill: kept"),
        "{said}{errors}"
    );
}
