//! A filter as blocks that only lead forward: what eBPF is generated from.

use std::fmt;
use std::ops::Range;

use perflab_bpf::Verdict;

use crate::literal::How;
use crate::program::Import;

/// A filter: what it takes from an event, its texts, and its blocks. The first block is where it begins, the last one
/// rejects.
///
/// An event is rejected at once, wherever that happens, by a text that is not there (a null pointer) and by an index
/// beyond the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ir {
    /// The values that it takes.
    pub imports: Vec<Import>,
    /// The bytes of all literals, one after the other.
    pub literals: Vec<u8>,
    /// The blocks; each leads to later ones only.
    pub blocks: Vec<Block>,
}

/// The number of a block.
pub type BlockId = usize;

/// A value of 64 bits that is computed once. Of a double it has the bits.
pub type Temporary = u16;

/// Computations, and what comes then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The value that each [`End::Jump`] to this block gives it, if there is one.
    pub parameter: Option<Temporary>,
    /// What is computed, in order.
    pub computed: Vec<Computed>,
    /// What comes then.
    pub end: End,
}

/// A value and how it is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Computed {
    /// The value.
    pub temporary: Temporary,
    /// How it is computed.
    pub how: Compute,
}

/// A value that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A constant, also the bits of a double.
    Constant(i64),
    /// One that was computed.
    Temporary(Temporary),
}

/// How a value is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compute {
    /// An integer of the event, by its import.
    Import(u8),
    /// A byte of a text, by its import and its place. Rejects if the text ends before.
    Byte(u8, u32),
    /// An operation on two values.
    Binary(Operation, Value, Value),
    /// The negative value; of the smallest integer, itself.
    Negate(Value),
    /// All bits changed.
    Not(Value),
    /// A double of the event, by its import.
    DoubleOf(u8),
    /// The double nearest to an integer.
    DoubleOfInteger(Value),
    /// A double without what is behind its point; the smallest integer if it is too great, or not a number.
    IntegerOfDouble(Value),
    /// -1, 0 or 1 as the first double is less, equal or greater; 2 if one is not a number.
    CompareDoubles(Value, Value),
}

impl Compute {
    /// The values from which it is computed.
    pub(crate) fn operands(self) -> [Option<Value>; 2] {
        match self {
            Self::Import(_) | Self::Byte(..) | Self::DoubleOf(_) => [None, None],
            Self::Negate(value)
            | Self::Not(value)
            | Self::DoubleOfInteger(value)
            | Self::IntegerOfDouble(value) => [Some(value), None],
            Self::Binary(_, one, other) | Self::CompareDoubles(one, other) => {
                [Some(one), Some(other)]
            }
        }
    }
}

/// What is done to two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Bits that both have.
    And,
    /// Bits that one of them has.
    Or,
    /// Bits that differ.
    Xor,
    /// To the left, by a value from 0 to 63.
    ShiftLeft,
    /// To the right, by a value from 0 to 63; zeros come in.
    ShiftRight,
}

/// What decides between two blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// Two values.
    Compare(Relation, Value, Value),
    /// A text and a literal, by its import and its bytes in [`Ir::literals`]. Rejects without a text.
    Text {
        /// The import.
        import: u8,
        /// The literal.
        literal: Range<usize>,
        /// How they are compared.
        how: How,
    },
    /// Two texts, by their imports. Rejects if one of them is not there.
    SameText(u8, u8),
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// They are equal.
    Equal,
    /// They differ.
    NotEqual,
    /// The first is less.
    Less,
    /// The first is less or equal.
    LessOrEqual,
    /// The first is greater.
    Greater,
    /// The first is greater or equal.
    GreaterOrEqual,
    /// The first is less, both without a sign.
    Below,
}

/// What comes behind a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// One of two blocks.
    Branch {
        /// What decides.
        test: Test,
        /// Where it goes on if that holds.
        yes: BlockId,
        /// Where it goes on otherwise.
        no: BlockId,
    },
    /// Another block, with the value of its parameter if it has one.
    Jump(BlockId, Option<Value>),
    /// The event is judged.
    Return(Verdict),
}

impl End {
    /// The blocks that it leads to.
    pub fn targets(&self) -> impl Iterator<Item = BlockId> {
        let (one, other) = match self {
            Self::Branch { yes, no, .. } => (Some(*yes), Some(*no)),
            Self::Jump(to, _) => (Some(*to), None),
            Self::Return(_) => (None, None),
        };
        one.into_iter().chain(other)
    }

    /// The same, with other numbers of blocks.
    pub(crate) fn renamed(self, number: impl Fn(BlockId) -> BlockId) -> Self {
        match self {
            Self::Branch { test, yes, no } => Self::Branch {
                test,
                yes: number(yes),
                no: number(no),
            },
            Self::Jump(to, value) => Self::Jump(number(to), value),
            Self::Return(verdict) => Self::Return(verdict),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(f, "{value}"),
            Self::Temporary(number) => write!(f, "t{number}"),
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Below => "below",
        })
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
        })
    }
}

/// Block by block, a line for each computation and each end; literals are escaped.
impl fmt::Display for Ir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, block) in self.blocks.iter().enumerate() {
            write!(f, "b{number}")?;
            if let Some(parameter) = block.parameter {
                write!(f, "(t{parameter})")?;
            }
            writeln!(f, ":")?;
            for computed in &block.computed {
                writeln!(
                    f,
                    "  t{} = {}",
                    computed.temporary,
                    self.compute(computed.how)
                )?;
            }
            writeln!(f, "  {}", self.end(&block.end))?;
        }
        Ok(())
    }
}

impl Ir {
    fn name(&self, import: u8) -> &str {
        let import = self.imports.get(usize::from(import));
        import.map_or("?", |import| &import.name)
    }

    fn compute(&self, how: Compute) -> String {
        match how {
            Compute::Import(import) => self.name(import).to_owned(),
            Compute::Byte(import, index) => format!("{}[{index}]", self.name(import)),
            Compute::Binary(operation, one, other) => format!("{one} {operation} {other}"),
            Compute::Negate(value) => format!("-{value}"),
            Compute::Not(value) => format!("~{value}"),
            Compute::DoubleOf(import) => format!("double {}", self.name(import)),
            Compute::DoubleOfInteger(value) => format!("double of integer {value}"),
            Compute::IntegerOfDouble(value) => format!("integer of double {value}"),
            Compute::CompareDoubles(one, other) => format!("compare doubles {one}, {other}"),
        }
    }

    fn test(&self, test: &Test) -> String {
        match test {
            Test::Compare(relation, one, other) => format!("{one} {relation} {other}"),
            Test::Text {
                import,
                literal,
                how,
            } => {
                let verb = match how {
                    How::Equal => "is",
                    How::Begins => "begins with",
                    How::Matches => "matches",
                };
                let literal = self.literals.get(literal.clone()).unwrap_or_default();
                let literal = literal.escape_ascii();
                format!("{} {verb} \"{literal}\"", self.name(*import))
            }
            Test::SameText(one, other) => format!("{} is {}", self.name(*one), self.name(*other)),
        }
    }

    fn end(&self, end: &End) -> String {
        match end {
            End::Branch { test, yes, no } => {
                format!("if {} go b{yes} else b{no}", self.test(test))
            }
            End::Jump(to, None) => format!("go b{to}"),
            End::Jump(to, Some(value)) => format!("go b{to}({value})"),
            End::Return(Verdict::Reject) => "reject".to_owned(),
            End::Return(Verdict::Record) => "record".to_owned(),
            End::Return(Verdict::RecordAndTrigger) => "record and trigger".to_owned(),
        }
    }
}
