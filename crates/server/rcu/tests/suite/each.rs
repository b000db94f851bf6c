//! The flavours by their names, and which of them can be used here.

use perflab_rcu::{Choice, Flavour, with_flavour};
use perflab_testing::{not_checked, test_name};

/// Each library's flavour, the own domains that are fast, and the lock.
pub const FLAVOURS: [&str; 8] = [
    "memb",
    "qsbr",
    "bp",
    "mb",
    "signal",
    "own-qsbr",
    "own-membarrier",
    "rwlock",
];

/// Makes a test for each flavour: it calls this function with the flavour's name. A test is a process of its own under
/// nextest, so that flavours of one library do not meet.
macro_rules! a_test_for_each_flavour {
    ($play:path) => {
        $crate::each::a_test_for_each_flavour! { $play;
            qsbr: "qsbr",
            bp: "bp",
            memb: "memb",
            mb: "mb",
            signal: "signal",
            memb_forced: "memb-forced",
            memb_without: "memb-without",
            memb_global: "memb-global",
            own_qsbr: "own-qsbr",
            own_membarrier: "own-membarrier",
            own_membarrier_global: "own-membarrier-global",
            rwlock: "rwlock",
        }
    };
    ($play:path; $($test:ident: $name:literal,)+) => {
        $(
            #[test]
            fn $test() {
                $play($name);
            }
        )+

        #[test]
        fn every_name_has_its_test() {
            assert_eq!(perflab_rcu::NAMES, [$($name),+]);
        }
    };
}

pub(crate) use a_test_for_each_flavour;

/// A flavour that can be used here. One that cannot is written down: `make tools-kv` installs liburcu.
pub fn found(name: &str) -> Option<Choice> {
    let loaded = Choice::new(name).and_then(|choice| {
        with_flavour!(choice, F => F::load())?;
        Ok(choice)
    });
    match loaded {
        Ok(choice) => Some(choice),
        Err(reason) => left_out(name, &reason.to_string()),
    }
}

/// The same for tests whose readers sleep.
pub fn loaded(name: &str) -> Option<Choice> {
    if cfg!(perflab_tsan) && name == "signal" {
        let reason = "ThreadSanitizer keeps signals from a thread that sleeps in the kernel";
        return left_out(name, reason);
    }
    found(name)
}

fn left_out(name: &str, reason: &str) -> Option<Choice> {
    not_checked(&format!("{}, {name}", test_name()), reason);
    None
}
