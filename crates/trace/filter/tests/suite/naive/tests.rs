//! The generator, and what the crate makes of what it generates.

use super::random::Random;
use super::read::read;
use super::shrink::shrunk;
use super::{Answer, Event, Kind, Refused, Tree, answer, expressions, hits, judged, kind, print};
use crate::vectors::checked;

/// Expressions that each test makes: few enough for a build without optimisation.
const EXPRESSIONS: u64 = 20_000;

/// An expression over a probe, an event of it, and the rest of the random numbers.
fn made(seed: u64) -> (Tree, Event, Random) {
    let mut random = Random::new(seed);
    let probe = expressions::probe(&mut random);
    let tree = expressions::tree(&mut random, &probe);
    let event = hits::event(&mut random, &probe, &tree);
    (tree, event, random)
}

#[test]
fn an_expression_is_read_as_it_was_printed() {
    for seed in 0..EXPRESSIONS {
        let (tree, _, mut random) = made(seed);
        let text = print::printed(&mut random, &tree);
        match read(&text) {
            Ok(again) => assert_eq!(again, tree, "seed {seed}: {text}"),
            Err(Refused(reason)) => panic!("seed {seed}: {reason}: {text}"),
        }
    }
}

#[test]
fn generated_expressions_are_filters_and_events_tell_them_apart() {
    let mut counts = [0; 3];
    for seed in 0..EXPRESSIONS {
        let (tree, event, _) = made(seed);
        match judged(&tree, &event) {
            Answer::Yes => counts[0] += 1,
            Answer::No => counts[1] += 1,
            Answer::Missing => counts[2] += 1,
            Answer::Refused => panic!("seed {seed}: {:?}: {tree:?}", kind(&tree, &event)),
        }
    }
    let [yes, no, missing] = counts;
    let tenth = EXPRESSIONS / 10;
    assert!(yes > tenth && no > tenth && missing > 0, "{counts:?}");
}

#[test]
fn the_crate_takes_generated_expressions() {
    for seed in 0..EXPRESSIONS {
        let (tree, event, random) = made(seed);
        // The same spaces and brackets for each smaller expression, as far as that goes.
        let text = |tree: &Tree| print::printed(&mut random.clone(), tree);
        let differs = |tree: &Tree| match (judged(tree, &event), checked(&text(tree), &event)) {
            (Answer::Yes | Answer::No, Ok(_)) => false,
            (expected, Err((got, _))) => expected != got,
            (Answer::Missing | Answer::Refused, Ok(_)) => true,
        };
        if differs(&tree) {
            let text = text(&shrunk(tree, differs));
            panic!("seed {seed}: {:?}: {text}", checked(&text, &event));
        }
    }
}

/// A token is lost, doubled or changes its place: mostly that is no expression any more, and both say so.
#[test]
fn the_crate_refuses_the_same_damaged_expressions() {
    for seed in 0..EXPRESSIONS {
        let (tree, event, mut random) = made(seed);
        let mut tokens = print::tokens(&mut random, &tree);
        let place = random.below(tokens.len());
        let token = tokens.remove(place);
        match random.below(3) {
            0 => {}
            1 => tokens.insert(random.below(tokens.len() + 1), token),
            _ => tokens
                .splice(place..place, [token.clone(), token])
                .for_each(drop),
        }
        let text = tokens.join(" ");
        let is_filter = read(&text)
            .and_then(|tree| kind(&tree, &event))
            .is_ok_and(|kind| matches!(kind, Kind::Integer | Kind::Unknown));
        let is_missing = answer(&text, &event) == Answer::Missing;
        let expected = is_filter && !is_missing;
        let got = checked(&text, &event);
        assert_eq!(got.is_ok(), expected, "seed {seed}: {got:?}: {text}");
    }
}
