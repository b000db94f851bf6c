//! A limit of file sizes, as a full disk for those who may not mount one.

use std::env;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use perflab_aof::Policy;
use perflab_testing::needs;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::disk_full::{fill_up, is_whole};
use crate::fixture::{open, payloads, place};

/// The path of the log, for the process with the limit.
const PATH: &str = "PERFLAB_AOF_LIMITED";

/// What that process prints in the end.
const END: &str = "the limit was met and lifted";

#[test]
fn blocks_beyond_the_limit_wait_until_it_is_lifted() {
    if let Some(path) = env::var_os(PATH).map(PathBuf::from) {
        within(&path);
        println!("{END}");
        return;
    }
    needs("sh", "dash");
    let (_directory, path) = place();
    let mut limited = Command::new("sh");
    // In blocks of 512 bytes. The signal that comes with the error would end the process.
    limited.args(["-c", r#"trap "" XFSZ; ulimit -S -f 64; exec "$0" "$@""#]);
    limited.arg(env::current_exe().unwrap());
    let name = "limited::blocks_beyond_the_limit_wait_until_it_is_lifted";
    limited
        .args(["--exact", name, "--nocapture"])
        .env(PATH, &path);
    let output = limited.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains(END),
        "{said}{errors}"
    );
}

/// Meets the limit, lifts it, and goes on.
fn within(path: &Path) {
    let (log, _, _) = open(path, Policy::Always);
    let expected = fill_up(&log, ErrorKind::FileTooLarge);
    is_whole(path, &expected);
    let limit = getrlimit(Resource::Fsize);
    let lifted = Rlimit {
        current: limit.maximum,
        ..limit
    };
    setrlimit(Resource::Fsize, lifted).unwrap();
    log.retry().unwrap();
    log.close().unwrap();
    assert_eq!(payloads(path), expected);
}
