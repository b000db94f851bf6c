//! `rcu stress` as a process. A broken flavour is found by the unit tests: no user can name one.

use crate::{is_here, rcu};

#[test]
fn a_stress_that_finds_nothing_says_what_it_did() {
    for flavour in ["own-qsbr", "own-membarrier", "memb", "qsbr", "rwlock"] {
        if !is_here(flavour) {
            continue;
        }
        let said = rcu(&["stress", flavour, "--seconds", "1"]).code(0);
        let line = said.out.strip_suffix('\n').unwrap();
        assert!(line.starts_with(&format!("{flavour}: 1 s, ")), "{line}");
        assert!(
            line.contains(" nodes retired and freed, at most "),
            "{line}"
        );
    }
}

#[test]
fn a_reader_that_never_ends_is_named_and_memory_is_bounded() {
    for flavour in ["own-qsbr", "memb"] {
        if !is_here(flavour) {
            continue;
        }
        let said = rcu(&["stress", flavour, "--seconds", "3", "--never-ending"]).code(0);
        assert!(
            said.err.contains(" `never-ending` (sleeping"),
            "{}",
            said.err
        );
        assert!(!said.out.contains(", 0 stalls"), "{}", said.out);
    }
}
