//! Prints what reads and edits of trees cost, in ns: to choose how many elements nodes have.
//!
//! ```text
//! cargo run --release -p perflab-tree --example costs
//! ```
#![expect(unsafe_code, reason = "a program promises how it uses a tree")]
#![expect(clippy::print_stdout, reason = "it is what the program is for")]

use std::hint::black_box;
use std::time::Instant;

use perflab_rcu::{Limbo, Limits, OwnQsbr, Pinned};
use perflab_tree::{Edit, Tree};

/// Repetitions of each operation.
const TIMES: u32 = 200_000;

fn main() {
    println!("{:>9} {:>16} {:>8}", "items", "operation", "ns");
    for items in [1, 10, 100, 10_000, 1_000_000] {
        reads(items);
        edits(items);
    }
}

/// A tree with the even numbers below twice `items`.
fn tree(items: u64, limbo: &mut Limbo<OwnQsbr>) -> Tree<u64> {
    // SAFETY: only OwnQsbr is used with it.
    let tree = unsafe { Tree::new() };
    // SAFETY: only this thread has it.
    let mut edit = unsafe { tree.edit() };
    edit.extend_back((0..items).map(|number| 2 * number));
    edit.commit(limbo);
    tree
}

/// Numbers without order, below `items`.
fn places(items: u64) -> impl FnMut() -> u64 {
    let mut state = 1_u64;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((u128::from(state) * u128::from(items)) >> 64) as u64
    }
}

fn measure(items: u64, name: &str, mut work: impl FnMut()) {
    let begin = Instant::now();
    for _ in 0..TIMES {
        work();
    }
    let each = begin.elapsed() / TIMES;
    println!("{items:>9} {name:>16} {:>8}", each.as_nanos());
}

fn reads(items: u64) {
    let mut limbo = Limbo::new(Limits::default());
    let tree = tree(items, &mut limbo);
    let mut place = places(items);
    // SAFETY: nobody edits it meanwhile.
    let view = || tree.view(unsafe { Pinned::unprotected() });
    println!(
        "{items:>9} {:>16} {:>8.2}",
        "bytes of each",
        view().bytes() as f64 / items as f64
    );
    measure(items, "len", || {
        black_box(view().len());
    });
    measure(items, "get", || {
        black_box(view().get(place() as usize));
    });
    measure(items, "position_by", || {
        let wanted = 2 * place();
        let _ = black_box(view().position_by(|number| number.cmp(&wanted)));
    });
    measure(items, "100 of a range", || {
        black_box(view().iter(place() as usize..).take(100).sum::<u64>());
    });
}

fn edits(items: u64) {
    let mut limbo = Limbo::new(Limits::default());
    let tree = tree(items, &mut limbo);
    let mut place = places(items);
    let mut edits = |name: &str, change: &mut dyn FnMut(&mut Edit<'_, u64>)| {
        measure(items, name, || {
            // SAFETY: only this thread has the tree.
            let mut edit = unsafe { tree.edit() };
            change(&mut edit);
            edit.commit(&mut limbo);
            limbo.relieve_alone().expect("no reader holds it up");
        });
    };
    edits("replace", &mut |edit| {
        edit.replace(place() as usize, 1);
    });
    edits("push and pop", &mut |edit| {
        edit.push_back(1);
        edit.pop_front();
    });
    edits("insert, remove", &mut |edit| {
        edit.insert(place() as usize, 1);
        edit.remove(place() as usize);
    });
    edits("push_back", &mut |edit| edit.push_back(1));
    edits("pop_back", &mut |edit| {
        edit.pop_back();
    });
}
