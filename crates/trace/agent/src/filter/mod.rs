//! Filters: programs that judge the events of a site before they are counted or recorded.
//!
//! ```text
//! points    which filter judges the events of each point, and how
//! bind      which program judges the events of a probe, and where they have what it imports
//! codes     a program that was bound -> what judges, as machine code where that can be had
//!
//! gates     what a site calls: permanent code that marks its thread and goes on with what judges now
//! judge     the interpreter as a gate calls it; context: what is known of an event besides its arguments
//!
//! marks     which threads are inside a gate; threads: those that have come to one
//! limbo     what was replaced, until no thread can be in it
//! ```
//!
//! # Judging
//!
//! 1. The gate marks its thread with the frame of the event. A thread that has no mark yet enters itself among the
//!    threads before. A thread that has another mark is within an event that this one interrupts, and that mark stays;
//!    or it has left that event by a jump, which its frame tells.
//! 2. The gate loads its cell, once, and goes where that leads: so one filter judges an event, the one that was
//!    published then.
//! 3. The filter judges. It changes no register that the site has passed something in, nor the stack.
//! 4. Permanent code clears the mark, if it is this event's, and goes on with the handler, or back to the site.
//!
//! # Replacing a filter
//!
//! 1. The new one is made.
//! 2. The cell leads to it.
//! 3. All threads serialise. A thread that has loaded the cell before has a mark by now that others see (1 comes before
//!    2 above), and one that loads it later comes to the new one.
//! 4. The agent looks at the marks of all threads until it has seen each one idle, once, or ended. A thread that is
//!    idle for a moment only is seen so sooner or later.
//! 5. The old one is freed.
//!
//! Step 4 may take as long as a thread sleeps inside, so replaced filters wait for it in limbo. No thread waits for
//! anything.

mod atomic;
mod bind;
mod codes;
mod context;
mod gates;
mod judge;
mod limbo;
#[cfg(test)]
mod limbo_tests;
mod marks;
mod points;
#[cfg(test)]
mod tests;
mod threads;

use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_abi::{Actions, FilterWish, Then};
use perflab_bpf::{Class, Import, Lowered, Program, lower, verify};

use crate::objects::KnownSite;
use crate::pattern::Pattern;

pub use points::{Filters, Prepared, Shown};

/// A filter as somebody wishes it, verified.
#[derive(Debug)]
pub struct Filter {
    /// As a person wrote it.
    pub expression: String,
    /// Programs for it; of these, the first that fits a probe judges its events.
    pub alternatives: Vec<Arc<Lowered>>,
    /// Whether accepted events are counted or recorded at all.
    pub acts: bool,
    /// How long it took to verify and to lower all of them.
    pub verified: Duration,
    /// Probes that it does not judge.
    except: Option<Pattern>,
}

impl Filter {
    /// Verifies what was wished.
    ///
    /// # Errors
    /// When a program is refused, with its instruction and the rule that this breaks, or something else is wished that
    /// this agent does not do.
    pub fn read(wish: &FilterWish<'_>) -> Result<Self, String> {
        let start = Instant::now();
        let Actions {
            every,
            at_most,
            then,
        } = wish.actions;
        if every > 1 {
            return Err(format!("this agent cannot take 1 of {every} events only"));
        }
        if at_most > 0 {
            return Err(format!(
                "this agent cannot take at most {at_most} events a second"
            ));
        }
        let alternatives = wish.alternatives();
        let count = alternatives.len();
        let mut lowered = Vec::with_capacity(count);
        for (index, alternative) in alternatives.enumerate() {
            let refused = |reason: &dyn std::fmt::Display| {
                format!(
                    "the filter is refused: program {} of {count}: {reason}",
                    index + 1
                )
            };
            let imports = alternative.imports.map(|import| {
                let class = Class::from_number(import.class)
                    .ok_or_else(|| refused(&format_args!("unknown class {}", import.class)))?;
                let name = import.name;
                Ok(Import { class, name })
            });
            let imports: Vec<Import<'_>> = imports.collect::<Result<_, String>>()?;
            let program = Program {
                imports: &imports,
                code: alternative.code,
                literals: alternative.literals,
            };
            let verified = verify(&program).map_err(|error| refused(&error))?;
            lowered.push(Arc::new(lower(&verified)));
        }
        if lowered.is_empty() {
            return Err("the filter is refused: it has no program".to_owned());
        }
        let except = (!wish.except.is_empty()).then(|| Pattern::parse(wish.except));
        Ok(Self {
            expression: wish.expression.to_owned(),
            alternatives: lowered,
            acts: then == Then::Act,
            verified: start.elapsed(),
            except: except.transpose()?,
        })
    }

    /// Whether it judges the events of a site.
    pub fn judges(&self, site: &KnownSite) -> bool {
        let (provider, name) = (site.description.provider, site.description.name);
        let except = self.except.as_ref();
        !except.is_some_and(|except| except.matches(provider, name))
    }
}
