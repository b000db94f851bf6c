//! docs/rcu.md and the help have the same exit codes, in the same words.

use std::fs;
use std::process::Command;

use crate::{KV, Said};

#[test]
fn the_page_has_the_exit_codes_of_the_help() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/rcu.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, table) = page.split_once("\n| exit code | meaning |\n").unwrap();
    // Behind the line between the head and the rows.
    let rows = table.lines().skip(1);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let described: Vec<String> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split('|').collect();
            format!("{} {}", cells[1].trim(), cells[2].trim())
        })
        .collect();
    let help = Said::of(Command::new(KV).arg("--help").output().unwrap()).code(0);
    let words: Vec<&str> = help.out.split_whitespace().collect();
    let expected = format!("Exit codes: {}", described.join("; "));
    assert!(
        words.join(" ").ends_with(&expected),
        "{expected}\n{}",
        help.out
    );
}
