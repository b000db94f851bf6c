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

/// Stresses a flavour whose readers die, if it can be used here.
fn dying(flavour: &str) -> Option<String> {
    if !is_here(flavour) {
        return None;
    }
    let said = rcu(&["stress", flavour, "--seconds", "2", "--dying"]).code(0);
    assert!(said.err.contains(" ended without leaving"), "{}", said.err);
    Some(said.out)
}

#[test]
fn own_domains_give_back_what_dead_readers_had() {
    for flavour in ["own-qsbr", "own-membarrier"] {
        let Some(line) = dying(flavour) else {
            continue;
        };
        assert!(line.contains(" nodes retired and freed, "), "{line}");
        assert!(line.ends_with(" given back\n"), "{line}");
        assert!(!line.contains(", 0 dead readers"), "{line}");
    }
}

/// Memory stays below its bound, or the stress would fail.
#[test]
fn a_library_that_waits_for_a_dead_reader_says_so() {
    for flavour in ["qsbr", "bp", "memb", "mb", "signal", "rwlock"] {
        if let Some(line) = dying(flavour) {
            let words = ", 0 dead readers given back, 1 never, and ";
            assert!(line.contains(words), "{line}");
        }
    }
}

#[test]
fn a_reader_that_never_ends_is_named_and_memory_is_bounded() {
    for flavour in ["own-qsbr", "memb"] {
        if !is_here(flavour) {
            continue;
        }
        // A report takes longer than the one second.
        for seconds in ["1", "3"] {
            let said = rcu(&["stress", flavour, "--seconds", seconds, "--never-ending"]).code(0);
            assert!(said.err.contains(" `never-ending` ("), "{}", said.err);
            assert!(
                seconds == "1" || !said.out.contains(", 0 stalls"),
                "{}",
                said.out
            );
        }
    }
}
