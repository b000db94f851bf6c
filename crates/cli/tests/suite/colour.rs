//! No escape sequences where no terminal shows them, or where nobody wants them.

use std::process::{Command, Stdio};

use perflab_testing::needs;

use crate::plain_files::with_good;
use crate::support::{Laboratory, Said};

const ESCAPE: char = '\x1b';

/// Executes the binary on a terminal of its own, which `script` provides; what was shown there.
fn on_a_terminal(laboratory: &Laboratory, line: &str, variables: &[(&str, &str)]) -> String {
    needs("script", "bsdutils");
    let binary = env!("CARGO_BIN_EXE_perflab");
    let output = Command::new("script")
        .args([
            "--quiet",
            "--return",
            "--command",
            &format!("{binary} {line}"),
            "/dev/null",
        ])
        .current_dir(laboratory.path(""))
        .env("PERFLAB_LOCK", laboratory.path("lock"))
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn pipes_get_plain_text() {
    let laboratory = with_good();
    for arguments in [
        &["compare", "a=good", "b=good", "--detail"][..],
        &["bench", "-N", "-r", "3", "true 1", "true 2"],
        &["--help"],
        &["run", "absent.toml"],
        &["bench", "--no-such-flag"],
    ] {
        let Said { out, err, .. } = laboratory.call(arguments);
        assert!(
            !out.contains(ESCAPE) && !err.contains(ESCAPE),
            "{arguments:?}: {out:?} {err:?}"
        );
    }
}

#[test]
fn terminals_get_colour_unless_it_is_not_wanted() {
    let laboratory = with_good();
    let compare = "compare a=good b=good";
    let coloured = on_a_terminal(&laboratory, compare, &[]);
    assert!(coloured.contains(ESCAPE), "{coloured:?}");
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let plain = on_a_terminal(&laboratory, compare, &[variable]);
        assert!(
            plain.contains("not proven") && !plain.contains(ESCAPE),
            "{variable:?}: {plain:?}"
        );
    }
    let failure = on_a_terminal(&laboratory, "compare absent", &[("NO_COLOR", "1")]);
    assert!(
        failure.contains("error: absent is no result"),
        "{failure:?}"
    );
}

#[test]
fn names_from_files_cannot_steer_a_terminal() {
    let laboratory = with_good();
    let label = "a\x1b[2J";
    let said = laboratory
        .call(&["compare", &format!("{label}=good"), "b=good"])
        .code(0);
    assert!(!said.out.contains(ESCAPE), "{:?}", said.out);
    let said = laboratory
        .call(&["bench", "-N", "-r", "2", "-n", label, "true"])
        .code(0);
    assert!(!said.out.contains(ESCAPE), "{:?}", said.out);
}
