//! The order of the runs of `perflab bench`: random within blocks, and the same again from a seed.

use std::collections::HashSet;

use crate::support::Laboratory;

/// The commands in the order in which they were executed.
fn order(arguments: &[&str]) -> Vec<String> {
    let laboratory = Laboratory::new();
    let log = |name| format!("sh -c 'echo {name} >> log'");
    let commands = [log("a"), log("b"), log("c")];
    let fixed = [
        "bench",
        "-N",
        "-q",
        "-r",
        "12",
        commands[0].as_str(),
        &commands[1],
        &commands[2],
    ];
    laboratory.call(&[&fixed[..], arguments].concat()).code(0);
    laboratory.read("log").lines().map(str::to_owned).collect()
}

#[test]
fn every_block_has_each_command_equally_often_in_random_order() {
    let order = order(&["--seed", "7"]);
    assert_eq!(order.len(), 36);
    let blocks: Vec<&[String]> = order.chunks(9).collect();
    for block in &blocks {
        for name in ["a", "b", "c"] {
            assert_eq!(
                block.iter().filter(|line| *line == name).count(),
                3,
                "{block:?}"
            );
        }
        assert!(!block.is_sorted(), "not shuffled: {block:?}");
    }
    assert_eq!(
        blocks.iter().collect::<HashSet<_>>().len(),
        4,
        "all blocks alike: {blocks:?}"
    );
}

#[test]
fn blocks_of_another_size() {
    let order = order(&["--block", "1"]);
    for block in order.chunks(3) {
        assert_eq!(block.iter().collect::<HashSet<_>>().len(), 3, "{block:?}");
    }
}

#[test]
fn a_seed_gives_the_order_again() {
    let first = order(&["--seed", "1"]);
    assert_eq!(first, order(&["--seed", "1"]));
    assert_ne!(first, order(&["--seed", "2"]));
    assert_ne!(
        order(&[]),
        order(&[]),
        "a seed that is not given must be drawn"
    );
}

#[test]
fn sequential_is_sequential() {
    let order = order(&["--order", "sequential"]);
    let expected: Vec<&str> = ["a", "b", "c"]
        .iter()
        .flat_map(|name| [*name; 12])
        .collect();
    assert_eq!(order, expected);
}

#[test]
fn what_is_printed_names_the_order() {
    let laboratory = Laboratory::new();
    let commands = ["bench", "-N", "-r", "6", "--seed", "99", "true 1", "true 2"];
    laboratory
        .call(&commands)
        .code(0)
        .prints(&["random order, seed 99"]);
    let said = laboratory
        .call(&[&commands[..], &["--order", "sequential"]].concat())
        .code(0);
    said.prints(&["one after the other"]);
}
