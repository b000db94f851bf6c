//! From the text to runs.

use std::collections::HashMap;

use indexmap::IndexSet;
use perflab_experiment::Better;

use super::unit::split;
use crate::fault::{Fault, shown};
use crate::run::{Contents, File, Run, direction, sample};

/// The runs in a text: a process each.
///
/// # Errors
/// A line with a number of iterations, but without a finite value and a unit behind each; or a text
/// without any result.
pub fn read(file: &File) -> Result<Contents, Fault> {
    let text = String::from_utf8_lossy(&file.bytes);
    let better = directions(&text);
    let mut reader = Reader {
        path: &file.path,
        better,
        ..Reader::default()
    };
    for (number, line) in (1..).zip(text.lines()) {
        reader.line(number, line)?;
    }
    reader.end(true);
    reader.finish()
}

/// What the `Unit` lines say of each unit. They hold for the whole file, before and behind them.
fn directions(text: &str) -> HashMap<&str, Better> {
    let mut known = HashMap::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some("Unit"), Some(unit)) = (words.next(), words.next()) else {
            continue;
        };
        for word in words {
            match word {
                "better=higher" => known.insert(unit, Better::Higher),
                "better=lower" => known.insert(unit, Better::Lower),
                _ => None,
            };
        }
    }
    known
}

#[derive(Default)]
struct Reader<'a> {
    path: &'a str,
    better: HashMap<&'a str, Better>,
    variant: Option<String>,
    package: Option<String>,
    packages: IndexSet<String>,
    /// The process that is being read.
    now: Run,
    runs: Vec<(Run, Option<String>)>,
    notes: Vec<String>,
}

impl Reader<'_> {
    fn line(&mut self, number: usize, line: &str) -> Result<(), Fault> {
        if let Some(rest) = line.strip_prefix("Benchmark") {
            return self.result(number, rest);
        }
        match line.split_whitespace().next() {
            Some("PASS" | "ok") => self.end(true),
            Some("FAIL") => self.end(false),
            _ => {
                if let Some((key, value)) = configuration(line) {
                    self.configure(key, value);
                }
            }
        }
        Ok(())
    }

    fn configure(&mut self, key: &str, value: &str) {
        let value = Some(value).filter(|value| !value.is_empty());
        match key {
            "goos" => self.end(true),
            "pkg" => self.package = value.map(str::to_owned),
            "variant" => {
                self.end(true);
                self.variant = value.map(str::to_owned);
            }
            _ => {}
        }
    }

    /// A line behind `Benchmark`.
    fn result(&mut self, number: usize, rest: &str) -> Result<(), Fault> {
        let mut words = rest.split_whitespace();
        let name = if rest.starts_with(char::is_whitespace) {
            ""
        } else {
            words.next().unwrap_or_default()
        };
        let Some(iterations) = words.next() else {
            // With -v the name stands alone when the benchmark starts.
            return Ok(());
        };
        if iterations.parse::<u64>().is_err() {
            self.notes.push(format!(
                "line {number} is no result and was left out: Benchmark{}",
                shown(rest)
            ));
            return Ok(());
        }
        if self.now.samples.is_empty() {
            self.now.at = format!("line {number}");
        }
        let mut values = 0;
        while let Some(value) = words.next() {
            let fault = |expected: &str, found: &str| {
                Fault::line(
                    self.path,
                    number,
                    format!(
                        "expected {expected} in the result of Benchmark{}, found `{}`; correct or \
                         remove the line",
                        shown(name),
                        shown(found)
                    ),
                )
            };
            let number = value
                .parse::<f64>()
                .ok()
                .filter(|value| value.is_finite())
                .ok_or_else(|| fault("a finite number", value))?;
            let unit = words
                .next()
                .ok_or_else(|| fault("a unit behind each value", value))?;
            let (metric, plain) = split(unit);
            let better = self.better.get(unit).copied();
            let better = better.unwrap_or_else(|| direction(unit));
            let benchmark = Some(name).filter(|name| !name.is_empty());
            self.now
                .samples
                .push(sample(benchmark, metric, plain, better, number));
            values += 1;
        }
        if values == 0 {
            return Err(Fault::line(
                self.path,
                number,
                format!(
                    "expected a value and its unit in the result of Benchmark{}, found none; the \
                     file may be cut off",
                    shown(name)
                ),
            ));
        }
        Ok(())
    }

    /// A process has ended, well or not.
    fn end(&mut self, well: bool) {
        let run = std::mem::take(&mut self.now);
        if run.samples.is_empty() {
            return;
        }
        if !well {
            self.notes.push(format!(
                "the process whose results begin at {} ended with FAIL: they were left out",
                run.at
            ));
            return;
        }
        self.packages.extend(self.package.clone());
        self.runs.push((
            Run {
                variant: self.variant.clone(),
                ..run
            },
            self.package.clone(),
        ));
    }

    fn finish(self) -> Result<Contents, Fault> {
        if self.runs.is_empty() {
            return Err(Fault::new(
                self.path,
                "expected lines `BenchmarkName iterations value unit` as `go test -bench` prints \
                 them, of a process that did not fail, found none",
            ));
        }
        let several = self.packages.len() > 1;
        let runs = self.runs.into_iter().map(|(mut run, package)| {
            if let Some(package) = package.filter(|_| several) {
                run.parameters.insert("pkg".to_owned(), package);
            }
            run
        });
        Ok(Contents {
            runs: runs.collect(),
            notes: self.notes,
        })
    }
}

/// `key: value`, where the key begins with a lower-case letter and has neither white space nor
/// upper-case letters.
fn configuration(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let starts = key.starts_with(char::is_lowercase);
    let plain = !key.contains(|c: char| c.is_whitespace() || c.is_uppercase());
    let separate = value.is_empty() || value.starts_with([' ', '\t']);
    (starts && plain && separate).then(|| (key, value.trim()))
}
