//! Whatever a tool prints, a driver answers with finite samples or an error.

use std::path::Path;
use std::sync::LazyLock;

use perflab_drivers::{Command, Driver, Generic, Output, Rule, Source, Stream, Usage, tool};
use perflab_experiment::{Better, TOOLS};
use proptest::prelude::*;

fn drivers() -> Vec<Box<dyn Driver>> {
    let rule = |name: &str, unit: &str, source| Rule {
        name: name.to_owned(),
        unit: unit.to_owned(),
        better: Better::Lower,
        benchmark: None,
        stream: Stream::Stdout,
        source,
        all: true,
        scale: 1e300,
        combine: None,
    };
    let generic =
        |rule| Box::new(Generic::new(vec![rule]).expect("a usable rule")) as Box<dyn Driver>;
    let mut drivers = vec![
        Box::new(Command) as Box<dyn Driver>,
        generic(rule("r", "s", Source::Regex("x|([^,\n]+)".to_owned()))),
        generic(rule("j", "s", Source::JsonPointer("/a/0".to_owned()))),
        generic(rule("c", "s", Source::CsvColumn("rps".to_owned()))),
        generic(rule("n", "s", Source::CsvColumn("2".to_owned()))),
        generic(Rule {
            scale: 1.0,
            ..rule("*", "", Source::Values)
        }),
    ];
    for name in TOOLS {
        drivers.push(Box::new(tool(name).expect("a driver of that name")));
    }
    drivers
}

fn check(stdout: &[u8], stderr: &[u8], usage: Usage) {
    for driver in drivers() {
        match driver.read(&Output {
            stdout,
            stderr,
            usage,
        }) {
            Ok(samples) => assert!(samples.iter().all(|s| s.value.is_finite())),
            Err(error) => assert!(error.to_string().len() < 2000, "{error}"),
        }
    }
}

/// Bytes out of the pieces that real outputs are made of, so that readers get past the first line.
fn likely() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "\"test\",\"rps\"",
        "\"",
        "\"GET\"",
        ",",
        "\n",
        "\r\n",
        "1.5",
        "-1",
        "1e999",
        "nan",
        "VALUE ",
        " ms ",
        "p50",
        "{\"a\":[",
        "[1]",
        "]}",
        "x",
        "é",
        "rps",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat().into_bytes())
}

/// All recorded outputs.
static RECORDINGS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")];
    let mut recordings = Vec::new();
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|extension| extension != "md") {
                recordings.push(std::fs::read(path).expect("a recording"));
            }
        }
    }
    recordings
});

proptest! {
    #[test]
    fn arbitrary_bytes_do_no_harm(stdout: Vec<u8>, stderr: Vec<u8>, exit_code: i32, wall_s: f64) {
        check(&stdout, &stderr, Usage { exit_code, wall_s, ..Usage::default() });
        check(&stdout, b"", Usage::default());
    }

    #[test]
    fn likely_bytes_do_no_harm(stdout in likely()) {
        check(&stdout, b"", Usage::default());
    }

    #[test]
    fn damaged_recordings_do_no_harm(
        which: prop::sample::Index,
        at: prop::sample::Index,
        gone in 0_usize..40,
        instead in prop::collection::vec(any::<u8>(), 0..4),
        on_stderr: bool,
    ) {
        let mut bytes = which.get(&RECORDINGS).clone();
        let start = at.index(bytes.len() + 1);
        let end = (start + gone).min(bytes.len());
        bytes.splice(start..end, instead);
        let (stdout, stderr) = if on_stderr { (&[][..], &bytes[..]) } else { (&bytes[..], &[][..]) };
        check(stdout, stderr, Usage::default());
    }

    #[test]
    fn arbitrary_arguments_do_no_harm(args: Vec<String>, numbers in prop::collection::vec("-?[0-9]{0,25}", 4)) {
        let mut args = args;
        for (option, number) in ["-n", "-r", "-P", "--precision"].iter().zip(numbers) {
            args.insert(0, number);
            args.insert(0, (*option).to_owned());
        }
        for driver in drivers() {
            let _ = driver.check(&args);
            prop_assert!(driver.cautions(&args).iter().all(|caution| !caution.is_empty()));
            prop_assert!(driver.argv(&args).ends_with(&args));
        }
    }
}
