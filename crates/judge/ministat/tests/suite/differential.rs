//! The installed ministat and ours on the same random input: output, messages and exit code must be equal.
//!
//! Where the original crashes, ours must refuse with a message. Where the original writes outside its memory and
//! lives on (values a few units in the last place apart, or below the normal range), ours may refuse.
//!
//! `PERFLAB_MINISTAT_CASES` sets the number of cases (300), `PERFLAB_MINISTAT_SEED` the first seed (0).

mod content;
mod generator;

use generator::Case;
use perflab_ministat::run;
use perflab_testing::needs;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, thread};

#[derive(PartialEq)]
struct Outcome {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// `None` if a signal ended it.
    code: Option<i32>,
}

/// How the message ends that stands for any value without a column.
const OVERRUN: &[u8] = b"or out of all proportion?); use -A for the statistics alone\n";

fn number(variable: &str, default: u64) -> u64 {
    match env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable} must be a number, not {text:?}")),
        Err(_) => default,
    }
}

#[test]
fn equals_the_installed_ministat() {
    needs("ministat", "ministat");
    let directory = tempfile::tempdir().unwrap();
    // Both see the same relative names.
    env::set_current_dir(&directory).unwrap();
    let first_seed = number("PERFLAB_MINISTAT_SEED", 0);
    let cases = number("PERFLAB_MINISTAT_CASES", 300);
    let (mut reports, mut crashes, mut overruns) = (0, 0, 0);
    for seed in first_seed..first_seed + cases {
        let case = generator::case(&mut ChaCha8Rng::seed_from_u64(seed));
        write_files(&case);
        let (theirs, ours) = (original(&case), perflab(&case));
        let refused = ours.code == Some(2)
            && ours.stdout.is_empty()
            && ours.stderr.starts_with(b"ministat: cannot draw the plot");
        if ours == theirs {
            reports += u64::from(ours.code == Some(0));
            continue;
        }
        if refused && theirs.code.is_none() {
            crashes += 1;
            continue;
        }
        if refused && theirs.code == Some(0) && ours.stderr.ends_with(OVERRUN) {
            overruns += 1;
            continue;
        }
        let kept = directory.keep();
        panic!(
            "seed {seed}, files kept in {}\narguments: {}\n--- original: {}\n--- perflab: {}",
            kept.display(),
            case.arguments
                .iter()
                .map(|word| format!("{:?} ", OsStr::from_bytes(word)))
                .collect::<String>(),
            describe(&theirs),
            describe(&ours),
        );
    }
    println!(
        "of {cases} cases: {reports} equal reports, {crashes} crashes, {overruns} overruns of the original"
    );
    assert!(
        reports > cases / 3,
        "too few cases with a report: {reports} of {cases}"
    );
    assert!(
        overruns <= cases.div_ceil(1000),
        "too many cases refused that the original survives: {overruns} of {cases}"
    );
}

fn write_files(case: &Case) {
    fs::create_dir_all("sub").unwrap();
    for (name, content) in &case.files {
        fs::write(Path::new(OsStr::from_bytes(name)), content).unwrap();
    }
}

fn original(case: &Case) -> Outcome {
    let mut child = Command::new("ministat")
        .args(case.arguments.iter().map(|word| OsStr::from_bytes(word)))
        .env_remove("POSIXLY_CORRECT")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // It may end without having read all of it.
        scope.spawn(move || stdin.write_all(&case.stdin));
        let output = child.wait_with_output().unwrap();
        Outcome {
            stdout: output.stdout,
            stderr: output.stderr,
            code: output.status.code(),
        }
    })
}

fn perflab(case: &Case) -> Outcome {
    let arguments: Vec<OsString> = case
        .arguments
        .iter()
        .cloned()
        .map(OsString::from_vec)
        .collect();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let code = run(
        &arguments,
        &mut case.stdin.as_slice(),
        &mut stdout,
        &mut stderr,
        None,
    );
    Outcome {
        stdout,
        stderr,
        code: Some(code.into()),
    }
}

fn describe(outcome: &Outcome) -> String {
    format!(
        "exit code {:?}\n{}{}",
        outcome.code,
        String::from_utf8_lossy(&outcome.stderr),
        String::from_utf8_lossy(&outcome.stdout)
    )
}
