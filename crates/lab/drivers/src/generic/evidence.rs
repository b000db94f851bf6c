//! Numbers that show that what is measured was really at work. They are read as metrics are, from the output of any
//! tool.

use std::collections::BTreeMap;

use perflab_experiment::{Better, Sample};

use super::Compiled;
use super::rule::{Rule, RuleError, Source};
use crate::error::{ReadError, Stream};
use crate::output::Output;
use crate::turns::{self, Target};

/// Numbers by their names.
pub type Numbers = BTreeMap<String, f64>;

/// Reads the evidence of a run, by one rule for each number.
#[derive(Debug, Default)]
pub struct Evidence {
    rules: Vec<Compiled>,
}

impl Evidence {
    /// Reads these: a name, the stream and the place of each. [`Source::Values`] takes the line of that name, in any
    /// unit.
    ///
    /// # Errors
    /// A rule that cannot be used.
    pub fn new(
        rules: impl IntoIterator<Item = (String, Stream, Source)>,
    ) -> Result<Self, RuleError> {
        let rules = rules.into_iter().map(|(name, stream, source)| {
            Compiled::new(Rule {
                name,
                unit: String::new(),
                better: Better::Neither,
                benchmark: None,
                stream,
                source,
                all: false,
                scale: 1.0,
                combine: None,
            })
        });
        Ok(Self {
            rules: rules.collect::<Result<_, _>>()?,
        })
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The numbers in the output of an execution.
    ///
    /// # Errors
    /// If one of them is not there, or there are several.
    pub fn read(&self, output: &Output<'_>) -> Result<Numbers, ReadError> {
        Ok(sums(self.samples(output)?))
    }

    /// The same of a process that took the turns of these targets: of each, the sums over its slices.
    ///
    /// # Errors
    /// As of [`Self::read`] for the line of a slice; lines that do not tell of each slice of each target once.
    pub fn read_turns(
        &self,
        output: &Output<'_>,
        targets: &[Target],
        slices: u32,
    ) -> Result<Vec<Numbers>, ReadError> {
        if self.is_empty() {
            return Ok(vec![Numbers::new(); targets.len()]);
        }
        let all = turns::slices(output, targets, slices, |line| {
            self.samples(&Output {
                stdout: line,
                stderr: b"",
                usage: output.usage,
            })
        })?;
        let all = all.into_iter();
        Ok(all
            .map(|own| sums(own.into_iter().flat_map(|slice| slice.samples)))
            .collect())
    }

    fn samples(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        let mut samples = Vec::new();
        for compiled in &self.rules {
            let name = &compiled.rule.name;
            let found = compiled.read(output).map_err(|error| ReadError {
                expected: format!("{}, the evidence `{name}`", error.expected),
                // It is about several values, which evidence never has.
                advice: None,
                ..error
            })?;
            samples.extend(found);
        }
        Ok(samples)
    }
}

fn sums(samples: impl IntoIterator<Item = Sample>) -> Numbers {
    let mut sums = Numbers::new();
    for sample in samples {
        *sums.entry(sample.metric.name.clone()).or_default() += sample.value;
    }
    sums
}
