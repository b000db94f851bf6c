//! Any tool whose output a few rules can read.

mod csv_column;
mod evidence;
mod found;
mod json_pointer;
mod pattern;
mod rule;
mod value_lines;

use std::collections::HashMap;
use std::sync::Arc;

use perflab_experiment::{Combine, Metric, Sample};

use crate::driver::Driver;
use crate::error::{Place, ReadError, Stream};
use crate::output::Output;
use crate::turns::{self, Call, Order, Slice, TakesTurns, Target};
use found::{count, sample};
use pattern::Pattern;

pub use evidence::{Evidence, Numbers};
pub use rule::{EVERY_NAME, Rule, RuleError, Source};

/// Reads the output of any command by rules, one metric per rule.
///
/// The arguments are the command line itself. What the command cost is not among the samples; the
/// driver [`crate::Command`] measures that.
#[derive(Debug)]
pub struct Generic {
    rules: Vec<Compiled>,
    takes_turns: bool,
}

#[derive(Debug)]
struct Compiled {
    rule: Rule,
    reader: Reader,
}

/// A source in the form in which it is applied.
#[derive(Debug)]
enum Reader {
    Pattern(Pattern),
    JsonPointer(String),
    CsvColumn(csv_column::Column),
    ValueLines,
}

impl Generic {
    /// A driver that applies `rules` in their order; the first one yields the headline.
    ///
    /// # Errors
    /// No rules, a rule that cannot be used, or two rules that contradict each other.
    pub fn new(rules: Vec<Rule>) -> Result<Self, RuleError> {
        rule::check_all(&rules)?;
        let rules = rules.into_iter().map(Compiled::new);
        Ok(Self {
            rules: rules.collect::<Result<_, RuleError>>()?,
            takes_turns: false,
        })
    }

    /// The same of a command that takes the turns of several targets within one process. The rules read the line of
    /// each slice.
    #[must_use]
    pub fn taking_turns(self) -> Self {
        Self {
            takes_turns: true,
            ..self
        }
    }
}

impl Compiled {
    fn new(rule: Rule) -> Result<Self, RuleError> {
        let reader = match &rule.source {
            Source::Regex(text) => Reader::Pattern(Pattern::new(&rule.name, text)?),
            Source::JsonPointer(text) => {
                json_pointer::check(&rule.name, text)?;
                Reader::JsonPointer(text.clone())
            }
            Source::CsvColumn(text) => {
                Reader::CsvColumn(csv_column::Column::new(&rule.name, text)?)
            }
            Source::Values => Reader::ValueLines,
        };
        Ok(Self { rule, reader })
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        let rule = &self.rule;
        let stream = rule.stream;
        let bytes = output.stream(stream);
        let found = match &self.reader {
            Reader::ValueLines => return value_lines::read(bytes, rule),
            Reader::Pattern(pattern) => pattern.read(bytes, stream)?,
            Reader::CsvColumn(column) => column.read(bytes, stream)?,
            Reader::JsonPointer(pointer) => json_pointer::read(bytes, stream, pointer, rule.all)?,
        };
        count(&found, rule, &rule.name)?;
        found
            .into_iter()
            .map(|found| sample(found, rule, rule.metric()))
            .collect()
    }
}

impl Driver for Generic {
    fn name(&self) -> &'static str {
        "generic"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        args.to_vec()
    }

    /// The metrics that the rules name. Those of a rule for every `VALUE` line are known after a
    /// run only.
    fn metrics(&self) -> Vec<Metric> {
        let mut metrics: Vec<Metric> = Vec::new();
        for Compiled { rule, .. } in &self.rules {
            if !rule.takes_every_name() && metrics.iter().all(|known| known.name != rule.name) {
                metrics.push(rule.metric());
            }
        }
        metrics
    }

    fn combine(&self, metric: &str) -> Option<Combine> {
        let named = |compiled: &&Compiled| compiled.rule.name == metric;
        let every = |compiled: &&Compiled| compiled.rule.takes_every_name();
        let rule = self
            .rules
            .iter()
            .find(named)
            .or_else(|| self.rules.iter().find(every));
        rule?.rule.combine
    }

    fn knows_its_tool(&self) -> bool {
        false
    }

    fn takes_turns(&self) -> Option<&dyn TakesTurns> {
        self.takes_turns.then_some(self)
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        let mut samples: Vec<Sample> = Vec::new();
        // A rule for every VALUE line may bring a name that another rule has, too.
        let mut owners: HashMap<(Option<String>, String), (usize, Arc<Metric>)> = HashMap::new();
        for (index, compiled) in self.rules.iter().enumerate() {
            for sample in compiled.read(output)? {
                let key = (sample.benchmark.clone(), sample.metric.name.clone());
                let (owner, metric) = owners
                    .entry(key)
                    .or_insert_with(|| (index, Arc::clone(&sample.metric)));
                if *owner != index || *metric != sample.metric {
                    return Err(clash(compiled.rule.stream, &sample.metric));
                }
                samples.push(sample);
            }
        }
        if let (true, Some(Compiled { rule, .. })) = (samples.is_empty(), self.rules.first()) {
            // Rules for all benchmarks may find none, but not all of them.
            count(&[], rule, &rule.name)?;
        }
        Ok(samples)
    }
}

impl TakesTurns for Generic {
    /// The arguments of each target are a whole command line. What the first ones start takes the turns.
    fn call(&self, order: &Order<'_>, file: &str) -> Call {
        let program = order.targets.first();
        let program = program.and_then(|target| target.arguments.first()).cloned();
        Call {
            argv: program.into_iter().chain([file.to_owned()]).collect(),
            file: order.to_json(1),
        }
    }

    fn read_turns(
        &self,
        output: &Output<'_>,
        targets: &[Target],
        slices: u32,
    ) -> Result<Vec<Vec<Slice>>, ReadError> {
        turns::slices(output, targets, slices, |line| {
            self.read(&Output {
                stdout: line,
                stderr: b"",
                usage: output.usage,
            })
        })
    }
}

fn clash(stream: Stream, metric: &Metric) -> ReadError {
    ReadError::new(
        Place::Whole(stream),
        format!("`{}` from one rule and in one unit", metric.name),
        format!("it again, in `{}`", metric.unit),
    )
    .advise("give one of the rules another benchmark or read other lines")
}
