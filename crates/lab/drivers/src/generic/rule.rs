//! What a rule says, and when rules make sense.

use std::fmt;

use perflab_experiment::{Better, Combine, Metric};
use thiserror::Error;

use crate::error::Stream;

/// The name of a [`Source::Values`] rule that takes all lines, each under its own name; or the benchmark of one that
/// takes the lines of all benchmarks.
pub const EVERY_NAME: &str = "*";

/// How one metric is found in the output of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Name of the metric; for [`Source::Values`] also the name on the lines to take, or
    /// [`EVERY_NAME`].
    pub name: String,
    /// Unit of the value after scaling. For [`Source::Values`] the line states the unit, and this
    /// must agree with it; with [`EVERY_NAME`] it is empty.
    pub unit: String,
    /// Which way is better.
    pub better: Better,
    /// The benchmark of the workload that the value belongs to, if it has benchmarks. For [`Source::Values`] it may be
    /// [`EVERY_NAME`]: then lines name it behind the name of the metric.
    pub benchmark: Option<String>,
    /// Where to look.
    pub stream: Stream,
    /// How to look.
    pub source: Source,
    /// Whether each match is a sample. Otherwise there must be exactly one match.
    pub all: bool,
    /// What a value is multiplied with, as 1000 for seconds to milliseconds. Finite and above 0;
    /// 1 for [`Source::Values`].
    pub scale: f64,
    /// How the values of slices become that of the run.
    pub combine: Option<Combine>,
}

impl Rule {
    pub(super) fn metric(&self) -> Metric {
        Metric::new(self.name.clone(), self.unit.clone(), self.better)
    }

    pub(super) fn takes_every_name(&self) -> bool {
        self.source == Source::Values && self.name == EVERY_NAME
    }

    pub(super) fn takes_every_benchmark(&self) -> bool {
        self.source == Source::Values && self.benchmark.as_deref() == Some(EVERY_NAME)
    }
}

/// Where in a stream a value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// What the group `value` of a regular expression matches, or its only group. `^` and `$`
    /// match at the ends of lines.
    Regex(String),
    /// A JSON pointer (RFC 6901) into the stream, which is one JSON document. It leads to a number;
    /// with `all`, to an array of numbers.
    JsonPointer(String),
    /// A column of comma-separated values (RFC 4180), by its name in the first record, or by its
    /// number, counted from 1. By number, the first record is taken for a header if its field is
    /// not a number. Every further record must have a number there.
    CsvColumn(String),
    /// Lines `VALUE number unit name`, of which the name may contain spaces. Of one name there must
    /// be one line, or with `all` at least one. Other lines are ignored.
    Values,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Regex(text) => write!(f, "regular expression `{text}`"),
            Self::JsonPointer(text) => write!(f, "JSON pointer `{text}`"),
            Self::CsvColumn(text) => write!(f, "CSV column `{text}`"),
            Self::Values => write!(f, "lines `VALUE number unit name`"),
        }
    }
}

/// Why rules cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RuleError {
    /// There are no rules.
    #[error("the driver `generic` needs at least one rule, found none; say how a metric is found")]
    None,
    /// A name is missing.
    #[error("rule {position}: expected a name for the metric, found an empty one")]
    Nameless {
        /// Which rule, counted from 1.
        position: usize,
    },
    /// A scale that would lose the value or turn it round.
    #[error("rule `{name}`: expected a finite scale above 0, found {scale}")]
    Scale {
        /// The rule.
        name: String,
        /// Its scale.
        scale: f64,
    },
    /// A scale for values that come with their unit.
    #[error(
        "rule `{name}`: expected scale 1, found {scale}; a VALUE line states its own unit, which \
         would become false"
    )]
    ScaledValues {
        /// The rule.
        name: String,
        /// Its scale.
        scale: f64,
    },
    /// A unit for values of many names.
    #[error("rule `*`: expected no unit, found `{unit}`; each VALUE line states its own")]
    UnitOfEveryName {
        /// The unit.
        unit: String,
    },
    /// A rule for the benchmarks that lines name, where no lines do.
    #[error(
        "rule `{name}`: expected the name of a benchmark, found `*`, which stands for those that VALUE lines name \
         behind the metric; it needs `values` and the name of a metric"
    )]
    EveryBenchmark {
        /// The name of the rule.
        name: String,
    },
    /// A rule for certain lines without the unit that they state.
    #[error("rule `{name}`: expected the unit that its VALUE lines state, found none")]
    NoUnit {
        /// The rule.
        name: String,
    },
    /// Two rules would yield the same samples.
    #[error(
        "rule `{name}` stands there twice with the same benchmark; give each its own benchmark or name"
    )]
    Twice {
        /// The name of both.
        name: String,
    },
    /// Two rules disagree about a metric.
    #[error(
        "rules `{name}` must agree on the unit, on what is better and on `combine`, whatever their benchmark; give one of \
         them another name"
    )]
    Disagree {
        /// The name of both.
        name: String,
    },
    /// Text that is no regular expression.
    #[error("rule `{name}`: expected a regular expression, found `{pattern}`: {reason}")]
    Pattern {
        /// The rule.
        name: String,
        /// The text.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No group says where the number stands, or too many do.
    #[error(
        "rule `{name}`: expected one group, or one called `value`, in `{pattern}`, found {groups} \
         groups; write (?<value>...) round the number, and (?:...) elsewhere"
    )]
    Groups {
        /// The rule.
        name: String,
        /// The regular expression.
        pattern: String,
        /// Number of groups in it.
        groups: usize,
    },
    /// Text that is no JSON pointer.
    #[error(
        "rule `{name}`: expected a JSON pointer as `/results/0/mean`, found `{pointer}`: {reason}"
    )]
    Pointer {
        /// The rule.
        name: String,
        /// The text.
        pointer: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// No column is named, or the one before the first.
    #[error("rule `{name}`: expected a column's name or its number from 1, found `{column}`")]
    Column {
        /// The rule.
        name: String,
        /// The text.
        column: String,
    },
}

/// What can be said about rules without their sources.
pub(super) fn check_all(rules: &[Rule]) -> Result<(), RuleError> {
    if rules.is_empty() {
        return Err(RuleError::None);
    }
    for (index, rule) in rules.iter().enumerate() {
        check(rule, index + 1)?;
        for other in rules[..index]
            .iter()
            .filter(|other| other.name == rule.name)
        {
            let name = rule.name.clone();
            if other.benchmark == rule.benchmark {
                return Err(RuleError::Twice { name });
            }
            if (&other.unit, other.better, other.combine) != (&rule.unit, rule.better, rule.combine)
            {
                return Err(RuleError::Disagree { name });
            }
        }
    }
    Ok(())
}

fn check(rule: &Rule, position: usize) -> Result<(), RuleError> {
    let name = || rule.name.clone();
    if rule.name.trim().is_empty() {
        return Err(RuleError::Nameless { position });
    }
    if !(rule.scale.is_finite() && rule.scale > 0.0) {
        return Err(RuleError::Scale {
            name: name(),
            scale: rule.scale,
        });
    }
    if rule.benchmark.as_deref() == Some(EVERY_NAME)
        && (rule.source != Source::Values || rule.name == EVERY_NAME)
    {
        return Err(RuleError::EveryBenchmark { name: name() });
    }
    if rule.source != Source::Values {
        return Ok(());
    }
    if rule.scale != 1.0 {
        return Err(RuleError::ScaledValues {
            name: name(),
            scale: rule.scale,
        });
    }
    match (rule.name == EVERY_NAME, rule.unit.is_empty()) {
        (true, false) => Err(RuleError::UnitOfEveryName {
            unit: rule.unit.clone(),
        }),
        (false, true) => Err(RuleError::NoUnit { name: name() }),
        _ => Ok(()),
    }
}
