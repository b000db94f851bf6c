//! Hands the targets of `perflab-fuzz-targets` to libFuzzer.

use libfuzzer_sys::Corpus;
use perflab_fuzz_targets::Target;

#[doc(hidden)]
pub use libfuzzer_sys;

/// Makes a program of the target of this name.
#[macro_export]
macro_rules! target {
    ($name:ident) => {
        static RUN: std::sync::LazyLock<fn(&[u8]) -> bool> =
            std::sync::LazyLock::new(|| $crate::run_of(stringify!($name)));

        $crate::libfuzzer_sys::fuzz_target!(|input: &[u8]| -> $crate::libfuzzer_sys::Corpus {
            $crate::verdict(RUN(input))
        });
    };
}

/// What runs the target of this name.
pub fn run_of(name: &str) -> fn(&[u8]) -> bool {
    Target::by_name(name).expect("the table has the target").run
}

/// Whether libFuzzer keeps the input.
pub fn verdict(is_worth_keeping: bool) -> Corpus {
    if is_worth_keeping {
        Corpus::Keep
    } else {
        Corpus::Reject
    }
}
