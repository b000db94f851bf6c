//! Programs made of random bytes: what is accepted does no harm, and all judge it as the oracle does.

use std::cell::Cell;

use perflab_bpf::oracle::check;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

#[test]
fn all_judge_as_the_oracle_does() {
    let config = Config {
        cases: 3000,
        failure_persistence: None,
        ..Config::default()
    };
    let accepted = Cell::new(0);
    let bytes = prop::collection::vec(any::<u8>(), 0..600);
    let outcome = TestRunner::new(config).run(&bytes, |bytes| {
        accepted.set(accepted.get() + u32::from(check(&bytes)));
        Ok(())
    });
    outcome.unwrap();
    // Else nothing is compared.
    assert!(accepted.get() > 1500, "{} of 3000", accepted.get());
}
