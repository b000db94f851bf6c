//! Any bytes as decisions of which a program in eBPF is made, see `perflab_bpf::oracle`. Most are accepted.
//!
//! One that was accepted does no harm when it is executed with every access checked, and the interpreter of the agent
//! and its native code judge as this executor does, with texts before memory that cannot be read.

use std::sync::atomic::{AtomicU64, Ordering};

use perflab_bpf::oracle::check;

/// Programs that were made, and those that were accepted.
static MADE: AtomicU64 = AtomicU64::new(0);
static ACCEPTED: AtomicU64 = AtomicU64::new(0);

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let made = MADE.fetch_add(1, Ordering::Relaxed) + 1;
    if check(input) {
        ACCEPTED.fetch_add(1, Ordering::Relaxed);
    }
    if made.is_multiple_of(10_000) {
        let accepted = ACCEPTED.load(Ordering::Relaxed);
        assert!(
            accepted >= made / 10,
            "{accepted} of {made} programs were accepted: too few are executed"
        );
    }
    true
}
