//! Filters: programs that judge the events of a site before they are counted or recorded.
//!
//! ```text
//! wish      a filter as somebody wishes it
//! points    which filters judge the events of each point, and how
//! bind      which programs judge the events of a probe, and where they have what these import
//! codes     programs that were bound -> what judges, as machine code where that can be had
//!
//! gates     what a site calls: permanent code that marks its thread and goes on with what judges now
//! judge     the interpreter as a gate calls it; context: what is known of an event besides its arguments
//!
//! acting    filters that take some of what they accept, or begin or end a recording; cell: what these share
//! pace      how many events a filter may still take in this second
//! by        how often each value of an argument came
//!
//! marks     which threads are inside a gate; threads: those that have come to one
//! limbo     what was replaced, until no thread can be in it
//!
//! errno     what the program's calls said last, which no filter changes
//! ```
//!
//! # Judging
//!
//! 1. The gate marks its thread with the frame of the event. A thread that has no mark yet enters itself among the
//!    threads before. A thread that has another mark is within an event that this one interrupts, and that mark stays;
//!    or it has left that event by a jump, which its frame tells.
//! 2. The gate loads its cell, once, and goes where that leads: so one filter judges an event, the one that was
//!    published then.
//! 3. The filter judges. It changes no register that the site has passed something in, nor the stack. Where a recording
//!    waits for events of the site, the filters of these come first, that of its end before that of its begin. An event
//!    goes on to the next one if one rejects it, or if it would end a recording that has not begun.
//! 4. Permanent code decides whether an event that was accepted is taken, if not all are.
//! 5. Permanent code clears the mark, if it is this event's, and goes on with the handler, or back to the site.
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
//! anything: not even the agent's, while it has its lock, which a fork of the program needs.
//!
//! # Threads that leave a filter by a jump
//!
//! A mark may be that of an event which the handler of a signal has left by `siglongjmp`. The next event that is not
//! below it on the same stack takes the mark over. That is wrong if a handler goes on with a stack that `sigaltstack`
//! does not know, and the filter goes on later, without a mark. So filters that are there when a mark is taken over are
//! never freed.
//!
//! This does not help if such a stack is below the one that was interrupted: an event there counts as one of the
//! handler, under the mark of an event that may end first.

mod acting;
mod atomic;
mod bind;
mod by;
mod cell;
mod codes;
mod context;
mod errno;
mod gates;
mod judge;
mod limbo;
#[cfg(test)]
mod limbo_tests;
mod marks;
mod pace;
mod points;
mod threads;
mod wish;

pub use points::{Filters, Prepared, Shown};
pub use wish::Filter;
