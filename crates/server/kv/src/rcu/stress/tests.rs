#![expect(
    unsafe_code,
    reason = "a flavour that breaks its promise must be found"
)]

use perflab_rcu::{Counts, DomainState, NotAtWork, OwnMembarrier, OwnQsbr, Sign, Unavailable};

use super::*;

/// Its grace periods end at once.
struct Broken;

static STATE: DomainState = DomainState::new("broken");

// SAFETY: there is none: readers see freed memory. Freed nodes stay mapped, as they are kept.
unsafe impl Flavour for Broken {
    const NAME: &'static str = "broken";

    const SIGN: Sign = Sign::Barriers;

    const TIMES: u64 = 0;

    type Place = ();

    fn load() -> Result<(), Unavailable> {
        Ok(())
    }

    unsafe fn join() -> Result<(), Unavailable> {
        Ok(())
    }

    unsafe fn leave((): ()) {}

    unsafe fn enter((): &()) {}

    unsafe fn exit((): &()) {}

    unsafe fn end_forgotten((): &()) {}

    unsafe fn synchronize() {}

    unsafe fn holds_up((): &()) -> bool {
        false
    }

    fn domain() -> &'static DomainState {
        &STATE
    }

    fn mechanism(_: &Counts, _: &Counts, _: u64) -> Result<(), NotAtWork> {
        Ok(())
    }
}

#[test]
fn a_broken_flavour_is_found() {
    let begin = Instant::now();
    let failure = stress_for::<Broken>(Duration::from_secs(10), Holder::Nobody).unwrap_err();
    assert_eq!(failure.code, Code::Found);
    assert!(failure.to_string().contains("a node "), "{failure}");
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn own_domains_are_not() {
    stress_for::<OwnQsbr>(Duration::from_secs(1), Holder::Nobody).unwrap();
    stress_for::<OwnMembarrier>(Duration::from_secs(1), Holder::Nobody).unwrap();
}

#[test]
fn a_section_that_never_ends_is_named_and_memory_stays_bounded() {
    let stressed =
        stress_for::<OwnMembarrier>(Duration::from_secs(3), Holder::NeverEnding).unwrap();
    assert!(stressed.stalls > 0, "{stressed:?}");
    assert!(stressed.most > LIMITS.most_bytes as u64, "{stressed:?}");
}
