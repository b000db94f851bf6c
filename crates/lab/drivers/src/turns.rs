//! Tools that hold several targets at once, and take their turns within one process.
//!
//! perflab writes an [`Order`] into a file and starts one process for all runs of a set. The process has the targets
//! take turns as the order says, and tells of each slice in a line of JSON, an object:
//!
//! | key | value |
//! |---|---|
//! | `target` | the place of the target in the order, from 0 |
//! | `slice` | the slice, from 1 |
//! | `at_s` | when the slice began, in seconds since the first one of all |
//! | `wall_s` | how long it took, in seconds |
//!
//! Whatever else is in the line is the output of the slice.
//!
//! The lines come from a program that anybody wrote. So they are checked against the order, and against the time that
//! the process took: turns that overlap, and times in another unit, would be longer.

use perflab_experiment::Sample;
use serde_json::{Value, json};

use crate::error::{Place, ReadError, Stream, excerpt};
use crate::json::{amount_at, document, other, value_at};
use crate::output::Output;

/// A tool that can take the turns of several targets within one process.
pub trait TakesTurns: std::fmt::Debug {
    /// How the process is called. `file` is the path under which it finds [`Call::file`].
    fn call(&self, order: &Order<'_>, file: &str) -> Call;

    /// The slices of each target, in their order, in the output of the process.
    ///
    /// # Errors
    /// Output that does not tell of each slice of each target once.
    fn read_turns(
        &self,
        output: &Output<'_>,
        targets: &[Target],
        slices: u32,
    ) -> Result<Vec<Vec<Slice>>, ReadError>;
}

/// What one process is to do for a set of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order<'a> {
    /// Slices of each target: rounds in which each has one, in random order.
    pub slices: u32,
    /// Rounds before these, of which the process says nothing.
    pub warmup: u32,
    /// Seed of the random order.
    pub seed: u64,
    /// The targets that take turns.
    pub targets: &'a [Target],
}

/// One of the targets of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The variant that it is a run of.
    pub variant: String,
    /// The arguments that the driver would execute the tool with for this target alone.
    pub arguments: Vec<String>,
}

impl Order<'_> {
    /// As JSON. Of each target's arguments the first `skipped` are left out.
    pub(crate) fn to_json(self, skipped: usize) -> String {
        let targets = self.targets.iter().map(|target| {
            let arguments = target.arguments.get(skipped..).unwrap_or_default();
            json!({ "variant": target.variant, "arguments": arguments })
        });
        let targets: Vec<_> = targets.collect();
        let order = json!({
            "slices": self.slices, "warmup": self.warmup, "seed": self.seed, "targets": targets,
        });
        order.to_string() + "\n"
    }
}

/// How a process is called that takes turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The command line.
    pub argv: Vec<String>,
    /// The content of its file.
    pub file: String,
}

/// One slice of a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// When it began, in seconds since the first one of all targets.
    pub at_s: f64,
    /// How long it took, in seconds.
    pub wall_s: f64,
    /// What was measured.
    pub samples: Vec<Sample>,
}

/// The longest line that is read, in bytes: tools have few values to tell.
const LONGEST_BYTES: usize = 1 << 16;

/// By how much the slices may be longer than the process that had them, since their times are rounded.
const ROUNDING: f64 = 1.01;

/// The slices of each target, in their order; `read` finds the samples in the line of a slice.
///
/// # Errors
/// A line that is none, or that tells of another target or slice, or of one again; a slice that is missing; slices that
/// took longer than the process.
pub(crate) fn slices(
    output: &Output<'_>,
    targets: &[Target],
    slices: u32,
    read: impl Fn(&[u8]) -> Result<Vec<Sample>, ReadError>,
) -> Result<Vec<Vec<Slice>>, ReadError> {
    let most = output.usage.wall_s * ROUNDING;
    let mut all: Vec<Vec<Option<Slice>>> = vec![vec![None; slices as usize]; targets.len()];
    let mut together = 0.0;
    for (number, text) in (1..).zip(output.stdout.split_inclusive(|byte| *byte == b'\n')) {
        let place = Place::Line(Stream::Stdout, number);
        // Readers of a line take it for all of the output.
        let at_line = |error| ReadError { place, ..error };
        let line = whole(text)
            .and_then(|()| document(text, Stream::Stdout))
            .map_err(at_line)?;
        let among = |name, range| among(&line, name, range).map_err(at_line);
        let target = among("/target", 0..targets.len())?;
        let slice = among("/slice", 1..slices as usize + 1)?;
        let at_s = amount_at(&line, "/at_s").map_err(at_line)?;
        let wall_s = amount_at(&line, "/wall_s").map_err(at_line)?;
        if at_s + wall_s > most {
            let expected = format!(
                "a slice within the {:.6} s of the process",
                output.usage.wall_s
            );
            let found = format!("one of {wall_s} s that began at {at_s} s");
            return Err(ReadError::new(place, expected, found));
        }
        together += wall_s;
        let known = all.get_mut(target).and_then(|own| own.get_mut(slice - 1));
        let Some(known) = known.filter(|known| known.is_none()) else {
            let found = format!("slice {slice} of target {target} again");
            return Err(ReadError::new(place, "each slice of a target once", found));
        };
        *known = Some(Slice {
            at_s,
            wall_s,
            samples: read(text).map_err(at_line)?,
        });
    }
    if together > most {
        let expected = format!(
            "turns within the {:.6} s of the process",
            output.usage.wall_s
        );
        let found = format!("slices of {together:.6} s together");
        return Err(ReadError::stdout(expected, found).advise("slices must not overlap"));
    }
    let all = all.into_iter().zip(targets).enumerate();
    all.map(|(number, (own, target))| {
        let found = own.iter().flatten().count();
        let missing = own.iter().position(Option::is_none).unwrap_or_default() + 1;
        let whole: Option<Vec<Slice>> = own.into_iter().collect();
        whole.ok_or_else(|| {
            ReadError::stdout(
                format!("{slices} slices of target {number} ({})", target.variant),
                format!("{found}, and not slice {missing}"),
            )
        })
    })
    .collect()
}

/// Refuses a line that was cut off, or is far too long.
fn whole(line: &[u8]) -> Result<(), ReadError> {
    let shown = || {
        excerpt(&String::from_utf8_lossy(
            &line[..line.len().min(LONGEST_BYTES)],
        ))
    };
    match line.len() {
        length if length > LONGEST_BYTES => Err(ReadError::stdout(
            format!("a line of at most {LONGEST_BYTES} bytes"),
            format!("{length} bytes, {}", shown()),
        )),
        _ if !line.ends_with(b"\n") => Err(ReadError::stdout("a whole line", shown())),
        _ => Ok(()),
    }
}

/// The whole number at a pointer, which is in a range.
fn among(line: &Value, pointer: &str, range: std::ops::Range<usize>) -> Result<usize, ReadError> {
    let value = value_at(line, pointer)?;
    let number = value
        .as_u64()
        .and_then(|number| usize::try_from(number).ok());
    number
        .filter(|number| range.contains(number))
        .ok_or_else(|| {
            let (first, last) = (range.start, range.end.saturating_sub(1));
            other(
                pointer,
                &format!("a whole number from {first} to {last}"),
                value,
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Driver, Generic, Rule, Source, Usage};
    use perflab_experiment::Better;

    fn driver() -> Generic {
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
        Generic::new(vec![rule]).unwrap().taking_turns()
    }

    fn targets() -> [Target; 2] {
        ["a", "b"].map(|variant| Target {
            variant: variant.to_owned(),
            arguments: ["tool", variant].map(str::to_owned).to_vec(),
        })
    }

    /// The slices of a process that took 1 s and printed this.
    fn read(stdout: &str) -> Result<Vec<Vec<Slice>>, String> {
        let output = Output {
            stdout: stdout.as_bytes(),
            stderr: b"",
            usage: Usage {
                wall_s: 1.0,
                ..Usage::default()
            },
        };
        let driver = driver();
        let turns = driver.takes_turns().unwrap();
        let read = turns.read_turns(&output, &targets(), 2);
        read.map_err(|error| error.to_string())
    }

    fn line(target: usize, slice: u32) -> String {
        let at_s = f64::from(slice) / 10.0;
        let line = json!({"target": target, "slice": slice, "at_s": at_s, "wall_s": 0.125, "rps": target + 5});
        line.to_string() + "\n"
    }

    fn good() -> String {
        [line(1, 1), line(0, 1), line(0, 2), line(1, 2)].concat()
    }

    #[test]
    fn slices_are_found_in_any_order_of_turns() {
        let all = read(&good()).unwrap();
        assert_eq!(all.len(), 2);
        for (own, value) in all.iter().zip([5.0, 6.0]) {
            let begins: Vec<f64> = own.iter().map(|slice| slice.at_s).collect();
            assert_eq!(begins, [0.1, 0.2]);
            for slice in own {
                assert_eq!(slice.wall_s, 0.125);
                assert_eq!(slice.samples.len(), 1);
                assert_eq!(slice.samples[0].value, value);
                assert_eq!(slice.samples[0].metric.name, "rps");
            }
        }
    }

    #[test]
    fn a_line_that_does_not_belong_is_named() {
        let long = format!("{{\"x\": \"{}\"}}\n", "x".repeat(LONGEST_BYTES));
        for (wrong, expected) in [
            (
                line(0, 1),
                "stdout, line 5: expected each slice of a target once, found slice 1 of target 0 again",
            ),
            (
                line(2, 1),
                "line 5: expected a whole number from 0 to 1 at `/target`, found the number 2",
            ),
            (
                line(0, 3),
                "line 5: expected a whole number from 1 to 2 at `/slice`, found the number 3",
            ),
            (line(0, 0), "from 1 to 2 at `/slice`, found the number 0"),
            (line(0, 1).replace(":1,", ":1.5,"), "found the number 1.5"),
            (line(0, 1).replace(":1,", ":-1,"), "found the number -1"),
            (
                line(0, 1).replace("0.125", "-0.125"),
                "a number of at least 0 at `/wall_s`",
            ),
            (
                line(0, 1).replace("0.125", "\"0.125\""),
                "a number at `/wall_s`, found the text",
            ),
            (
                line(0, 1).replace("0.125", "125"),
                "within the 1.000000 s of the process, found one of 125 s",
            ),
            (line(0, 1).replace("at_s", "at"), "something at `/at_s`"),
            (
                "connected\n".to_owned(),
                "line 5: expected one JSON document",
            ),
            ("[]\n".to_owned(), "line 5: expected something at `/target`"),
            ("\n".to_owned(), "line 5: expected one JSON document"),
            (long, "line 5: expected a line of at most 65536 bytes"),
        ] {
            let error = read(&(good() + &wrong)).unwrap_err();
            assert!(error.contains(expected), "{wrong}: {error}");
        }
        let error = read(&good().replacen("rps", "rate", 1)).unwrap_err();
        assert!(
            error.starts_with("stdout, line 1: expected something at `/rps`"),
            "{error}"
        );
    }

    #[test]
    fn a_slice_that_is_missing_is_named() {
        let three = [line(1, 1), line(0, 1), line(1, 2)].concat();
        let error = read(&three).unwrap_err();
        assert_eq!(
            error,
            "stdout: expected 2 slices of target 0 (a), found 1, and not slice 2"
        );
        assert!(
            read("")
                .unwrap_err()
                .contains("target 0 (a), found 0, and not slice 1")
        );
        // Every output that was cut off misses something.
        let whole = good();
        for end in 0..whole.len() {
            assert!(read(&whole[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn turns_that_overlap_are_refused() {
        let error = read(&good().replace("0.125", "0.26")).unwrap_err();
        assert!(
            error.contains("found slices of 1.040000 s together; slices must not overlap"),
            "{error}"
        );
        assert!(read(&good().replace("0.125", "0.25")).is_ok());
    }

    #[test]
    fn the_tool_of_the_command_gets_the_order_alone() {
        let targets = targets();
        let order = Order {
            slices: 80,
            warmup: 1,
            seed: 7,
            targets: &targets,
        };
        let driver = driver();
        let call = driver.takes_turns().unwrap().call(&order, "/tmp/order");
        assert_eq!(call.argv, ["tool", "/tmp/order"]);
        let expected = "{\"slices\":80,\"warmup\":1,\"seed\":7,\"targets\":[\
                        {\"variant\":\"a\",\"arguments\":[\"a\"]},\
                        {\"variant\":\"b\",\"arguments\":[\"b\"]}]}\n";
        assert_eq!(call.file, expected);
        assert!(crate::tool("wrk").unwrap().takes_turns().is_none());
    }
}
