//! Programs made of random bytes: what is accepted does no harm, and the interpreter judges as the oracle does.

use perflab_bpf::oracle::{Made, check};
use perflab_bpf::verify;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

#[test]
fn the_interpreter_judges_as_the_oracle_does() {
    let config = Config {
        cases: 3000,
        failure_persistence: None,
        ..Config::default()
    };
    let mut accepted = 0;
    let bytes = prop::collection::vec(any::<u8>(), 0..600);
    let mut runner = TestRunner::new(config);
    let outcome = runner.run(&bytes, |bytes| {
        check(&bytes);
        Ok(())
    });
    outcome.unwrap();
    // Else nothing is compared.
    for seed in 0..500_u64 {
        let mut state = seed;
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(seed | 1);
            (state >> 56) as u8
        })
        .take(300)
        .collect();
        let made = Made::of(&bytes);
        accepted += u32::from(verify(&made.program(&made.imports())).is_ok());
    }
    assert!(accepted > 250, "{accepted} of 500");
}
