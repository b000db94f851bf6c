//! Programs against the naive evaluator, on random expressions and events.
//!
//! `PERFLAB_FILTER_PAIRS` sets how many pairs of an expression and an event all ways of evaluation judge (100 000),
//! `PERFLAB_FILTER_SEED` the first seed (0).

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, thread};

use super::random::Random;
use super::shrink::shrunk;
use super::{Answer, Event, Tree, expressions, hits, judged, print};
use crate::executed::{Executed, PAGE, READABLE, as_judged};

/// Events of each expression.
const EVENTS: u64 = 20;

/// The number that a variable of the environment has.
pub fn number(variable: &str, default: u64) -> u64 {
    match env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable} must be a number, not {text:?}")),
        Err(_) => default,
    }
}

#[test]
fn programs_judge_as_the_naive_evaluator_does() {
    let first = number("PERFLAB_FILTER_SEED", 0);
    let wanted = number("PERFLAB_FILTER_PAIRS", 100_000);
    let (next, done) = (AtomicU64::new(first), AtomicU64::new(0));
    let work = || {
        let mut counts = Counts::default();
        while done.load(Ordering::Relaxed) < wanted {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            assert!(seed < first + wanted, "too few filters have native code");
            let before = counts.native;
            counts.expression(seed);
            done.fetch_add(counts.native - before, Ordering::Relaxed);
        }
        counts
    };
    let mut all = Counts::default();
    thread::scope(|scope| {
        let workers = 0..thread::available_parallelism().map_or(1, NonZero::get);
        let workers: Vec<_> = workers.map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let Ok(counts) = worker.join() else {
                panic!("a worker has found a difference, see above");
            };
            all.add(&counts);
        }
    });
    let Counts {
        recorded,
        rejected,
        missing,
        native,
    } = all;
    let (pairs, expressions) = (recorded + rejected + missing, next.into_inner() - first);
    println!(
        "{pairs} pairs of {expressions} expressions, {native} of them by native code, too: {recorded} recorded, \
         {rejected} rejected, {missing} that lack a name, no difference"
    );
    let tenth = pairs / 10;
    assert!(recorded > tenth && rejected > tenth, "too few of a kind");
}

/// Pairs on which all agree.
#[derive(Debug, Default)]
struct Counts {
    recorded: u64,
    rejected: u64,
    missing: u64,
    /// All of these for which there is native code.
    native: u64,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.recorded += other.recorded;
        self.rejected += other.rejected;
        self.missing += other.missing;
        self.native += other.native;
    }

    /// Compares an expression on some events.
    fn expression(&mut self, seed: u64) {
        let mut random = Random::new(seed);
        let probe = expressions::probe(&mut random);
        let tree = expressions::tree(&mut random, &probe);
        let printing = random.clone();
        let text = print::printed(&mut random, &tree);
        let events = (0..EVENTS).map(|_| hits::event(&mut random, &probe, &tree));
        let events: Vec<Event> = events.collect();
        // Whether it is a filter depends on the types alone.
        let executed = Executed::of(&text, &events[0]);
        for event in &events {
            let expected = judged(&tree, &as_judged(event));
            let places = random.clone();
            if differs(expected, &executed, event, &mut random).is_some() {
                report(seed, tree, event, &printing, &places);
            }
            self.native += u64::from(executed.as_ref().is_ok_and(Executed::is_native));
            match expected {
                Answer::Yes => self.recorded += 1,
                Answer::No => self.rejected += 1,
                Answer::Missing => self.missing += 1,
                Answer::Refused => panic!("seed {seed} is no filter: {text}"),
            }
        }
    }
}

/// An answer other than this one, with who gives it.
pub fn differs(
    expected: Answer,
    executed: &Result<Executed, (Answer, String)>,
    event: &Event,
    random: &mut Random,
) -> Option<(&'static str, Answer)> {
    let executed = match executed {
        Ok(executed) => executed,
        Err((answer, _)) => return (*answer != expected).then_some(("the crate", *answer)),
    };
    let mut at = |length| place(random, length);
    let answers = [
        ("the oracle", executed.by_oracle(event)),
        ("the interpreter", executed.by_interpreter(event, &mut at)),
    ];
    let native = executed.by_native(event, &mut at);
    let native = native.map(|answer| ("native code", answer));
    let mut answers = answers.into_iter().chain(native);
    answers.find(|(_, answer)| *answer != expected)
}

/// Where a text of so many bytes is put: before memory that cannot be read, at once or not, at the beginning of a page,
/// or across two.
fn place(random: &mut Random, length: usize) -> usize {
    match random.below(4) {
        0 => READABLE - length,
        1 => READABLE - length - 1 - random.below(40),
        2 => PAGE,
        _ => PAGE - random.below(length + 1),
    }
}

/// Panics with the smallest expression on which not all agree.
fn report(seed: u64, tree: Tree, event: &Event, printing: &Random, places: &Random) -> ! {
    // The same spaces and brackets, and places of texts, for each smaller expression, as far as that goes.
    let text = |tree: &Tree| print::printed(&mut printing.clone(), tree);
    let difference = |tree: &Tree| {
        let executed = Executed::of(&text(tree), event);
        let expected = judged(tree, &as_judged(event));
        let other = differs(expected, &executed, event, &mut places.clone())?;
        let program = match executed {
            Ok(executed) => executed.to_string(),
            Err((_, problem)) => problem,
        };
        Some((expected, other, program))
    };
    let tree = shrunk(tree, |tree| difference(tree).is_some());
    let text = text(&tree);
    let Some((expected, (who, answer), program)) = difference(&tree) else {
        panic!("seed {seed} differs once only: {text}\n{event:?}");
    };
    panic!("seed {seed}: {who} answers {answer:?}, not {expected:?}: {text}\n{event:?}\n{program}");
}
