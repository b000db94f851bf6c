//! Expressions: read, checked and lowered.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod any;
mod ebpf;
mod executed;
mod listing;
mod lowered;
mod naive;
mod objects;
mod precedence;
mod problems;
mod tokens;
mod types;
mod vectors;

use perflab_filter::Fields;

/// One argument of each type.
pub fn fields() -> Fields<'static> {
    let arguments = [
        ("i32", "fd"),
        ("u64", "size"),
        ("bool", "is_new"),
        ("ptr", "at"),
        ("enum(GET=0,SET=1)", "kind"),
        ("f32", "ratio"),
        ("f64", "mean"),
        ("cstr", "name"),
        ("str_nofault", "key"),
        ("bytes", "data"),
    ];
    Fields::new(arguments).unwrap()
}
