//! What judges: a program that was bound to arguments, as machine code where that can be had.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use perflab_abi::variable;
use perflab_bpf::{Code, Outside, Target, emit, publish};

use super::gates::{Lead, accept, reject};
use super::judge::Bound;
use super::{Filter, context, marks};
use crate::patch::Tried;
use crate::record::nofault;

/// What judges the events of all points whose arguments are passed alike and whose handlers are the same.
#[derive(Debug)]
pub struct Made {
    /// What the interpreter judges by.
    pub bound: Bound,
    /// Machine code, and why there is none.
    code: Result<Code, String>,
    /// How long it took to make that.
    pub emitted: Duration,
    /// How often an event had been left when it was made, see [`marks::left`].
    left: u32,
}

impl Made {
    /// What a gate leads to.
    pub fn lead(&self) -> Lead<'_> {
        match &self.code {
            Ok(code) => Lead::Native(code.entry()),
            Err(_) => Lead::Interpreted(&self.bound),
        }
    }

    /// Bytes of machine code, or why there is none.
    pub fn code(&self) -> Result<usize, &str> {
        self.code.as_ref().map(Code::bytes).map_err(String::as_str)
    }

    /// Bytes of memory that it takes besides its machine code.
    pub fn kept(&self) -> usize {
        let bound = &self.bound;
        let beside = self
            .code
            .as_ref()
            .map_or(0, |code| code.memory() - code.bytes());
        let lowered = bound.filter.alternatives.get(bound.alternative);
        size_of::<Self>()
            + size_of_val(&*bound.places)
            + bound.filter.expression.len()
            + lowered.map_or(0, |lowered| lowered.bytes())
            + beside
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

    fn native(&mut self, bound: &Bound) -> Result<Code, String> {
        if self.is_interpreted {
            return Err(format!("{} asks for it", variable::FILTERS));
        }
        let lowered = bound.filter.alternatives.get(bound.alternative);
        let lowered = lowered.ok_or("there is no such program")?;
        let target = Target {
            reject: reject(),
            accept: accept(),
            trigger: accept(),
            next: bound.next,
            by_record: bound.by_record,
            outside: Outside {
                read: nofault::read,
                fill: context::fill,
            },
        };
        let emitted = emit(lowered, &bound.places, &target).map_err(|error| error.to_string())?;
        let mut may = |call, arguments: [i64; 6]| -> io::Result<()> {
            let tried = self.tried.entry((call, arguments[3])).or_default();
            tried.let_pass(call, arguments)
        };
        publish(emitted, &mut may).map_err(|reasons| reasons.join("; "))
    }
}

impl Bound {
    /// Whether both judge alike, and what they accept goes to the same place.
    fn is_same(&self, other: &Self) -> bool {
        let rest = |bound: &Self| (bound.alternative, bound.words, bound.by_record, bound.next);
        Arc::ptr_eq(&self.filter, &other.filter)
            && rest(self) == rest(other)
            && self.places == other.places
    }

    /// Whether a filter judges by it, and this handler is next.
    pub fn is_of(&self, filter: &Arc<Filter>, next: usize) -> bool {
        Arc::ptr_eq(&self.filter, filter) && self.next == next
    }
}
