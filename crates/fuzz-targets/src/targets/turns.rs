//! Any bytes as the output of a process that took the turns of several targets. The first line has their number and
//! that of their slices.

use std::sync::LazyLock;

use perflab_drivers::{Driver, Generic, Output, Rule, Source, Stream, Target, Usage};
use perflab_experiment::Better;

use crate::shared::first_line;

/// Seconds that the process took.
const TOOK: f64 = 2.0;

static DRIVER: LazyLock<Generic> = LazyLock::new(|| {
    let rule = Rule {
        name: "rps".to_owned(),
        unit: "1/s".to_owned(),
        better: Better::Higher,
        benchmark: None,
        stream: Stream::Stdout,
        source: Source::JsonPointer("/rps".to_owned()),
        all: false,
        scale: 1.0,
        combine: None,
    };
    let driver = Generic::new(vec![rule]).expect("the rule is sound");
    driver.taking_turns()
});

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let (counts, stdout) = first_line(input);
    let counts = std::str::from_utf8(counts).ok();
    let counts = counts.and_then(|counts| counts.split_once(' '));
    let Some((Ok(targets), Ok(slices))) =
        counts.map(|(targets, slices)| (targets.parse::<u8>(), slices.parse::<u8>()))
    else {
        return false;
    };
    let targets: Vec<Target> = (0..targets % 8)
        .map(|number| Target {
            variant: format!("v{number}"),
            arguments: Vec::new(),
        })
        .collect();
    let output = Output {
        stdout,
        stderr: b"",
        usage: Usage {
            wall_s: TOOK,
            ..Usage::default()
        },
    };
    let turns = DRIVER.takes_turns().expect("it takes turns");
    match turns.read_turns(&output, &targets, u32::from(slices)) {
        Ok(all) => {
            assert_eq!(all.len(), targets.len());
            assert!(all.iter().all(|own| own.len() == usize::from(slices)));
            let lines = stdout.iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(lines, targets.len() * usize::from(slices), "each line once");
            let walls = all.iter().flatten().map(|slice| slice.wall_s);
            assert!(walls.clone().all(|wall| wall >= 0.0));
            assert!(walls.sum::<f64>() <= 1.01 * TOOK + 1e-6);
            let mut samples = all.iter().flatten().flat_map(|slice| &slice.samples);
            assert!(samples.all(|sample| sample.value.is_finite()));
        }
        Err(error) => {
            let message = error.to_string();
            assert!(
                !message.contains('\n') && message.len() < 2_000,
                "{message}"
            );
        }
    }
    true
}
