//! Libraries that have the names of soname 8, and do not do what it does: each is refused before it is used.

use crate::fakes::outcome;

#[test]
fn a_reader_with_its_word_elsewhere() {
    let outcome = outcome(
        "trial::a_reader_with_its_word_elsewhere",
        "mb",
        &["-DELSEWHERE"],
    );
    assert!(
        outcome.ends_with(
            "does not do what a library of soname 8 does: after read_lock a reader's word is 0x0, expected 0x1"
        ),
        "{outcome}"
    );
}

#[test]
fn a_grace_period_that_waits_for_nobody() {
    let outcome = outcome(
        "trial::a_grace_period_that_waits_for_nobody",
        "mb",
        &["-DHASTY"],
    );
    assert!(
        outcome.ends_with(": a grace period did not wait for a section that was open"),
        "{outcome}"
    );
}

#[test]
fn a_grace_period_that_waits_for_ever() {
    let outcome = outcome(
        "trial::a_grace_period_that_waits_for_ever",
        "mb",
        &["-DDEAF"],
    );
    assert!(
        outcome.contains(": a grace period has not ended ")
            && outcome.ends_with(" s after the section that it waited for"),
        "{outcome}"
    );
}

/// As under a filter that lets no signal through: the library is not to blame.
#[test]
fn a_grace_period_whose_signals_are_refused() {
    let outcome = outcome(
        "trial::a_grace_period_whose_signals_are_refused",
        "mb",
        &["-DDEAF", "-DMUTE"],
    );
    assert!(
        outcome.contains("liburcu-mb.so.8 cannot do its work here: a grace period has not ended ")
            && outcome.ends_with("; pthread_kill failed: Invalid argument (os error 22)"),
        "{outcome}"
    );
}
