//! Any bytes as requests, as replies, as numbers, and as a program that writes replies.

mod answers;
mod numbers;
mod program;
mod requests;

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    requests::check(input);
    answers::check(input);
    numbers::check(input);
    program::check(input);
    true
}

/// The sizes of the pieces in which an input arrives: all of it, single bytes, and two that depend on the input.
fn cuts(input: &[u8]) -> [Box<dyn FnMut() -> usize>; 4] {
    let random = |bound: u32| {
        let mut state = input.iter().fold(bound, |state, byte| {
            state.wrapping_mul(31).wrapping_add(u32::from(*byte))
        });
        move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % bound as usize + 1
        }
    };
    [
        Box::new(|| usize::MAX),
        Box::new(|| 1),
        Box::new(random(7)),
        Box::new(random(100)),
    ]
}
