//! Compares the interpreter and native code with the oracle.

use alloc::sync::Arc;

use super::made::Made;
use super::{Addresses, Passed, run};
use crate::lower::lower;
use crate::verifier::verify;

/// Bytes between a text and memory that cannot be read. With the last one, texts of some bytes lie on two pages.
const BEFORE_END: [usize; 6] = [0, 1, 7, 8, 300, 4090];

/// Makes a program of any bytes, and returns whether it was accepted.
///
/// # Panics
/// If a program that was accepted does harm, if its verdict depends on addresses, or if the interpreter or native code
/// does not judge as the oracle does.
pub fn check(input: &[u8]) -> bool {
    let made = Made::of(input);
    let imports = made.imports();
    let program = made.program(&imports);
    let Ok(verified) = verify(&program) else {
        return false;
    };
    let lowered = Arc::new(lower(&verified));
    let expected = run(&program, &made.data, Addresses::FIRST);
    let verdict = expected.unwrap_or_else(|harm| panic!("{harm:?} is done by {made}"));
    assert_eq!(
        run(&program, &made.data, Addresses::SECOND),
        expected,
        "the addresses are seen by {made}"
    );
    // It is the same wherever the texts are.
    let natives = [false, true].map(|nofault| Passed::new(&made.data, 0, nofault).native(&lowered));
    // No text has more bytes than those that are recorded.
    let places = BEFORE_END.map(|before_end| (before_end, false));
    for (before_end, nofault) in places.into_iter().chain([(0, true)]) {
        let passed = Passed::new(&made.data, before_end, nofault);
        let native = natives[usize::from(nofault)].as_ref();
        let native = native.map(|native| passed.judged_by(native));
        assert_eq!(
            (passed.judged(&lowered), native.unwrap_or(verdict)),
            (verdict, verdict),
            "{before_end} bytes before the end, nofault {nofault}, interpreted and native, {made}{lowered:#?}"
        );
    }
    true
}
