//! Probe sites that cost one no-op until they are switched on.
//!
//! ```
//! use perflab_probe::probe;
//!
//! fn handle(fd: i32, key: &[u8]) {
//!     probe!(shop, request_start, fd: i32 = fd, key: bytes = key);
//! }
//! # handle(3, b"x");
//! ```
//!
//! A site is a no-op of five bytes; everything else lies out of line. Expressions are evaluated only
//! while the site is on, so they must not have effects that the program needs. A program with sites
//! needs nothing else and does nothing by itself: an agent in the process finds the sites and switches
//! them. bpftrace, perf and gdb find the same probes by SystemTap's notes.
//!
//! | type | of the expression | |
//! |---|---|---|
//! | `i8` ... `i64`, `u8` ... `u64` | the same | integers |
//! | `f32`, `f64`, `bool` | the same | |
//! | `ptr` | `*const T` | an address |
//! | `cstr` | `&CStr` | text that ends with a zero byte |
//! | `str` | `&str` | text |
//! | `bytes` | `&[u8]` | bytes |
//! | `enum(A = 0, B = 1)` | `i64` | an integer whose values have names |
//!
//! The features `branch` and `none` choose, for a whole program, that a flag is tested at each site
//! instead, or that nothing is left of it. Elsewhere than on x86-64 Linux a site is nothing.
#![no_std]

#[doc(hidden)]
pub use perflab_abi as abi;

mod emit;
#[doc(hidden)]
pub mod site;
mod text;
mod words;

/// Emits a site: `probe!(provider, name, argument: type = expression, ...)`.
///
/// Provider, name and arguments' names are identifiers of at most 128 bytes. There may be 64 arguments. See the [crate]
/// for the types.
///
/// A raw identifier is refused:
///
/// ```compile_fail
/// perflab_probe::probe!(shop, r#match);
/// ```
///
/// So is a type that no reader knows, here one that would lose half of its bits:
///
/// ```compile_fail
/// perflab_probe::probe!(shop, sold, amount: u128 = 1);
/// ```
///
/// So is a name that the program gives to a type, which no reader knows either:
///
/// ```compile_fail
/// type Cents = u64;
/// perflab_probe::probe!(shop, sold, amount: Cents = 1);
/// ```
#[macro_export]
macro_rules! probe {
    ($provider:ident, $name:ident $(, $($arguments:tt)*)?) => {
        $crate::__words!(@each ($provider $name "0" "2") () () () $($($arguments)*)?)
    };
}

/// As [`probe!`], with the time of an event taken when all that comes before it is done: events of such probes are shown
/// in their true order, also those of different threads. That takes the processor longer, so ask where it matters, as
/// behind a lock.
///
/// ```
/// perflab_probe::probe_ordered!(shop, stock_taken, item: u64 = 7);
/// ```
#[macro_export]
macro_rules! probe_ordered {
    ($provider:ident, $name:ident $(, $($arguments:tt)*)?) => {
        $crate::__words!(@each ($provider $name "1" "3") () () () $($($arguments)*)?)
    };
}
