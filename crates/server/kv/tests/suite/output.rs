//! Output that nobody gets is an error of its own.

use std::fs::File;
use std::process::{Command, Stdio};

use perflab_testing::needs;

use crate::{KV, Said};

#[test]
fn output_that_cannot_be_written_is_an_error() {
    needs("sh", "dash");
    for arguments in [&["rcu", "list"][..], &["--help"], &["--version"]] {
        let full = Command::new(KV)
            .args(arguments)
            .stdout(Stdio::from(File::create("/dev/full").unwrap()))
            .output();
        let said = Said::of(full.unwrap()).code(3);
        let words = "error: cannot write the output: No space left on device (os error 28)\n";
        assert_eq!(said.err, words);
        let closed = Command::new("sh")
            .args(["-c", "exec \"$@\" >&-", "sh", KV])
            .args(arguments)
            .output();
        let said = Said::of(closed.unwrap()).code(3);
        let words = "error: cannot write the output: Bad file descriptor (os error 9)\n";
        assert_eq!(said.err, words);
    }
}
