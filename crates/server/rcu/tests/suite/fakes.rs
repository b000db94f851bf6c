//! Libraries that are not what they are called. Each is compiled for its test, and refused: by a sentence that says
//! what it is.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{self, Command};

use perflab_rcu::membarrier::{Command as Barrier, offered};
use perflab_rcu::{Choice, Flavour, urcu, with_flavour};
use perflab_testing::{needs, not_checked, test_name};

use crate::evidence::proven;

/// Names the directory of libraries to the test's own process: libraries are loaded once in a process.
const DIRECTORY: &str = "PERFLAB_RCU_FAKES";

/// The outcome of a flavour whose library is compiled so, in a process of its own: why it is refused, or "proven".
/// `test` is the name of the calling test, with its module.
#[expect(clippy::print_stdout, reason = "the test reads it")]
pub fn outcome(test: &str, flavour: &str, flags: &[&str]) -> String {
    if let Some(directory) = env::var_os(DIRECTORY) {
        assert!(urcu::only_from(Path::new(&directory)));
        println!("outcome: {}", outcome_here(flavour));
        // A grace period that hangs is left behind.
        process::exit(0);
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test.replace("::", "-"));
    fs::create_dir_all(&directory).unwrap();
    compile(flavour, flags, &directory);
    let output = Command::new(env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(DIRECTORY, &directory)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let outcome = said
        .split_once("outcome: ")
        .and_then(|(_, rest)| rest.lines().next());
    match outcome {
        Some(outcome) => outcome.to_owned(),
        None => panic!("{said}{}", String::from_utf8_lossy(&output.stderr)),
    }
}

fn outcome_here(flavour: &str) -> String {
    let choice = match Choice::new(flavour) {
        Ok(choice) => choice,
        Err(reason) => return reason.to_string(),
    };
    with_flavour!(choice, F => {
        let loaded = F::load().map_err(|reason| reason.to_string());
        match loaded.and_then(|()| proven::<F>().map_err(|refused| refused.0)) {
            Ok(_) => "proven".to_owned(),
            Err(why) => why,
        }
    })
}

fn compile(flavour: &str, flags: &[&str], directory: &Path) {
    needs("cc", "gcc");
    let output = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror"])
        .arg(format!("-DFLAVOUR={flavour}"))
        .args(flags)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake/flavour.c"))
        .arg("-o")
        .arg(directory.join(format!("liburcu-{flavour}.so.8")))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn a_signal_without_a_handler_is_refused_when_it_is_loaded() {
    let test = "fakes::a_signal_without_a_handler_is_refused_when_it_is_loaded";
    let outcome = outcome(test, "signal", &[]);
    assert!(
        outcome.ends_with(
            "liburcu-signal.so.8 has not installed its handler of SIGUSR1, so it can signal nobody"
        ),
        "{outcome}"
    );
}

#[test]
fn a_signal_that_is_memb_is_refused_by_its_proof() {
    let test = "fakes::a_signal_that_is_memb_is_refused_by_its_proof";
    let outcome = outcome(test, "signal", &["-DHANDLER"]);
    assert!(
        outcome.starts_with("signal: in 1 grace period with 2 readers, "),
        "{outcome}"
    );
    assert!(
        outcome.contains("signals handled: 0, expected at least 4; "),
        "{outcome}"
    );
    assert!(
        outcome.contains("MEMBARRIER_CMD_PRIVATE_EXPEDITED: "),
        "{outcome}"
    );
    assert!(
        outcome.ends_with(", expected 0: signal works as memb here"),
        "{outcome}"
    );
}

/// Its calls are counted however they are linked: through slots that are open, or closed, or that no table has.
#[test]
fn an_mb_that_is_memb_is_refused_however_it_is_linked() {
    let test = "fakes::an_mb_that_is_memb_is_refused_however_it_is_linked";
    let ways: [&[&str]; 3] = [
        &["-Wl,-z,norelro"],
        &["-Wl,-z,relro,-z,now"],
        &["-fno-plt", "-Wl,-z,relro,-z,now"],
    ];
    for flags in ways {
        let outcome = outcome(test, "mb", flags);
        assert!(
            outcome.ends_with(": mb works as memb here"),
            "{flags:?}: {outcome}"
        );
    }
}

/// No flavour calls this command, and what nobody expects is counted as well.
#[test]
fn an_mb_that_calls_another_command_of_membarrier_is_refused() {
    let command = Barrier::GlobalExpedited;
    if offered() & command.bit() == 0 {
        not_checked(&test_name(), "the kernel does not offer this command");
        return;
    }
    let test = "fakes::an_mb_that_calls_another_command_of_membarrier_is_refused";
    let outcome = outcome(test, "mb", &[&format!("-DCOMMAND={}", command.name())]);
    assert!(
        outcome.contains("calls of membarrier with other commands: "),
        "{outcome}"
    );
    assert!(
        outcome.ends_with(", expected 0: mb works as another flavour here"),
        "{outcome}"
    );
}

#[test]
fn a_library_without_a_symbol_is_refused_by_its_name() {
    let test = "fakes::a_library_without_a_symbol_is_refused_by_its_name";
    let outcome = outcome(test, "mb", &["-Durcu_mb_read_ongoing=urcu_mb_is_reading"]);
    assert!(
        outcome.ends_with("liburcu-mb.so.8 has no symbol urcu_mb_read_ongoing"),
        "{outcome}"
    );
}

#[test]
fn a_memb_that_is_memb_is_proven() {
    let test = "fakes::a_memb_that_is_memb_is_proven";
    assert_eq!(outcome(test, "memb", &[]), "proven");
}
