//! `fs_mark`, which creates many files. Read from the source of 3.3, and checked against it.

use perflab_experiment::{Better, Metric, Sample};

use crate::driver::{Driver, call};
use crate::error::{ArgumentError, ReadError};
use crate::getopt::{Known, Options, refuse};
use crate::metric::{Row, metrics, sample};
use crate::number::not_negative;
use crate::output::Output;

/// Runs `fs_mark ARGS`; each iteration (`-L`) gives a sample of each metric.
#[derive(Debug, Clone, Copy, Default)]
pub struct FsMark;

const FILES: Row = ("files", "1/s", Better::Higher);
const OVERHEAD: Row = ("app_overhead", "us", Better::Lower);
const HEADER: &str = "FSUse%        Count         Size    Files/sec     App Overhead";
const OPTIONS: &[Known] = &[("-F", "", false), ("-v", "", false), ("-S", "", true)];

impl Driver for FsMark {
    fn name(&self) -> &'static str {
        "fs_mark"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        call(&["fs_mark"], args)
    }

    fn check(&self, args: &[String]) -> Result<(), ArgumentError> {
        let fills = ("-F", "it would fill the disk", "give -n and -L instead");
        let verbose = ("-v", "its table has other columns", "leave it out");
        refuse("fs_mark", &Options::of(OPTIONS, args), &[fills, verbose])
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(&[FILES, OVERHEAD])
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        output.refuse_exit_code()?;
        let text = String::from_utf8_lossy(output.stdout);
        let mut lines = text.split_inclusive('\n').zip(1..);
        lines.find(|(line, _)| line.trim() == HEADER);
        let mut samples = Vec::new();
        for (line, number) in lines {
            let numbers = line.split_whitespace().map(not_negative);
            let row: Result<Vec<f64>, _> = numbers.collect();
            match row.as_deref() {
                Ok([_, _, _, files, overhead]) if line.ends_with('\n') => {
                    let row = [(FILES, files), (OVERHEAD, overhead)];
                    samples.extend(row.map(|(metric, value)| sample(metric, None, *value)));
                }
                _ => return Err(ReadError::line(number, "a whole line of 5 numbers", line)),
            }
        }
        if samples.is_empty() {
            return Err(ReadError::stdout("a table of iterations", "none"));
        }
        Ok(samples)
    }

    fn cautions(&self, args: &[String]) -> Vec<String> {
        let unsynchronised = Options::of(OPTIONS, args).number("-S") == Some(0);
        let caution = "With -S 0 nothing is written to the disk: where an fsync takes 6 ms, files \
                       is 90 times as high.";
        Vec::from_iter(unsynchronised.then(|| caution.to_owned()))
    }
}
