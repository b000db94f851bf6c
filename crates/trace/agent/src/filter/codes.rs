//! What judges: programs that were bound to arguments, as machine code where that can be had.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use perflab_abi::variable;
use perflab_bpf::{Code, Outside, Target, Verdict, emit, publish};

use super::acting::Role;
use super::bind::{Stage, are_same};
use super::gates::{Lead, reject};
use super::judge::Bound;
use super::{Filter, context, marks};
use crate::patch::Tried;
use crate::record::nofault;

/// Machine code of a stage.
#[derive(Debug)]
struct Native {
    code: Code,
    /// The handler, and the code that judges next: where an event goes on that ends a recording, see
    /// [`Acting::way_if_begun`](super::acting::Acting::way_if_begun).
    onward: Box<[usize; 2]>,
}

/// What judges the events of all points whose arguments are passed alike and whose handlers are the same.
#[derive(Debug)]
pub struct Made {
    /// What the interpreter judges by.
    pub bound: Bound,
    /// Machine code of each stage, in order, and why there is none. Each goes on with the next one.
    code: Result<Vec<Native>, String>,
    /// How long it took to make that.
    pub emitted: Duration,
    /// How often an event had been left when it was made, see [`marks::left`].
    left: u32,
}

impl Made {
    /// What a gate leads to.
    pub fn lead(&self) -> Lead<'_> {
        match self.code.as_deref() {
            Ok([first, ..]) => Lead::Native(first.code.entry()),
            _ => Lead::Interpreted(&self.bound),
        }
    }

    /// Bytes of machine code, or why there is none.
    pub fn code(&self) -> Result<usize, &str> {
        let code = self.code.as_ref().map_err(String::as_str)?;
        Ok(code.iter().map(|native| native.code.bytes()).sum())
    }

    /// Bytes of memory that it takes besides its machine code.
    pub fn kept(&self) -> usize {
        let code = self.code.iter().flatten();
        let beside = code
            .map(|Native { code, onward }| code.memory() - code.bytes() + size_of_val(&**onward));
        let stages = self.bound.stages.iter().map(Stage::bytes);
        size_of::<Self>() + stages.chain(beside).sum::<usize>()
    }

    /// Whether nobody comes back to it once no thread is marked. A program that leaves an event by a jump may have
    /// switched stacks, and jump back.
    pub fn may_go(&self) -> bool {
        self.left == marks::left()
    }
}

/// What is made now, so that points share it, and how.
#[derive(Debug)]
pub struct Codes {
    made: Vec<Weak<Made>>,
    is_interpreted: bool,
    /// Bytes before machine code.
    code_at: u8,
    /// System calls, by their number and their fourth argument: a filter may tell memory of a file from other memory.
    tried: BTreeMap<(i64, i64), Tried>,
}

impl Codes {
    /// Nothing is made yet.
    pub fn new() -> Self {
        Self {
            made: Vec::new(),
            is_interpreted: std::env::var_os(variable::FILTERS)
                .is_some_and(|way| way == "interpreted"),
            code_at: code_at(),
            tried: BTreeMap::new(),
        }
    }

    /// What judges as this does; it is made if there is none.
    pub fn made(&mut self, bound: Bound) -> Arc<Made> {
        self.made.retain(|made| made.strong_count() > 0);
        let mut known = self.made.iter().filter_map(Weak::upgrade);
        if let Some(made) = known.find(|made| made.bound.is_same(&bound)) {
            return made;
        }
        let start = Instant::now();
        let left = marks::left();
        let code = self.native(&bound);
        let made = Arc::new(Made {
            bound,
            code,
            emitted: start.elapsed(),
            left,
        });
        self.made.push(Arc::downgrade(&made));
        made
    }

    fn native(&mut self, bound: &Bound) -> Result<Vec<Native>, String> {
        if self.is_interpreted {
            return Err(format!("{} asks for it", variable::FILTERS));
        }
        if bound.counts() {
            return Err("it counts by value".to_owned());
        }
        let mut codes = Vec::with_capacity(bound.stages.len());
        let mut otherwise = reject();
        for stage in bound.stages.iter().rev() {
            let native = self.code(bound, stage, otherwise)?;
            otherwise = native.code.entry().addr();
            codes.push(native);
        }
        codes.reverse();
        Ok(codes)
    }

    /// The code of a stage, which goes on there with an event that it rejects. The registers with its arguments are
    /// then as the site has called.
    fn code(&mut self, bound: &Bound, stage: &Stage, otherwise: usize) -> Result<Native, String> {
        let onward = Box::new([bound.next, otherwise]);
        let filter = &stage.filter;
        let stop = filter.acting().filter(|_| filter.role() == Role::Stop);
        let (ways, next) = match stop {
            Some(acting) => (
                [acting.way_if_begun(); 2],
                onward.as_ptr().expose_provenance(),
            ),
            None => {
                let verdicts = [Verdict::Record, Verdict::RecordAndTrigger];
                (verdicts.map(|verdict| filter.way(verdict)), bound.next)
            }
        };
        let [accept, trigger] = ways;
        let target = Target {
            reject: otherwise,
            accept,
            trigger,
            next,
            by_record: bound.by_record,
            outside: Outside {
                read: nofault::read,
                fill: context::fill,
            },
        };
        let emitted = emit(&stage.lowered, &stage.places, &target);
        let emitted = emitted.map_err(|error| error.to_string())?;
        let emitted = match self.code_at {
            0 => emitted,
            bytes => emitted.with_entry(bytes),
        };
        let mut may = |call, arguments: [i64; 6]| -> io::Result<()> {
            let tried = self.tried.entry((call, arguments[3])).or_default();
            tried.let_pass(call, arguments)
        };
        let code = publish(emitted, &mut may).map_err(|reasons| reasons.join("; "))?;
        Ok(Native { code, onward })
    }
}

/// What the environment asks for; 0 if that cannot be.
fn code_at() -> u8 {
    let value = std::env::var(variable::CODE_AT).unwrap_or_default();
    let checked = variable::check_value(variable::CODE_AT, &value);
    checked.map_or(0, |()| value.parse().unwrap_or(0))
}

impl Bound {
    /// Whether both judge alike, and what they accept goes to the same place.
    fn is_same(&self, other: &Self) -> bool {
        let rest = |bound: &Self| (bound.stages.len(), bound.words, bound.by_record, bound.next);
        let mut stages = self.stages.iter().zip(&other.stages);
        are_same(&self.judges, &other.judges)
            && rest(self) == rest(other)
            && stages.all(|(one, other)| one.is_same(other))
    }

    /// Whether these filters judge by it, and this handler is next.
    pub fn is_of(&self, judges: &[Arc<Filter>], next: usize) -> bool {
        are_same(&self.judges, judges) && self.next == next
    }
}
