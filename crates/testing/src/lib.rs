//! What a test needs of the machine, so that no test passes because something is absent.
//!
//! A tool that Debian has as a package can be installed, so a test that lacks it fails: [`needs`], [`needs_found`].
//! A privilege, a feature of the kernel or a tool without a package cannot be had everywhere, and a package that
//! `make tools` does not install is asked for by its wing only. A test that lacks one writes that down with
//! [`not_checked`] and returns; `make test` prints those lines at its end.
//!
//! The tests of this crate look for tests that print such a thing by themselves. They cannot see one that returns
//! without a word.

mod needs;
mod not_checked;

pub use needs::{needs, needs_found};
pub use not_checked::{NOT_CHECKED, not_checked, test_name};
