//! The driver on recorded outputs of the real tool.

use crate::common::{cuts_yield_no_other_value, fixture, read, values};
use perflab_drivers::{Driver, FsMark};

#[test]
fn each_iteration_is_a_sample() {
    let samples = read(&FsMark, &fixture("fs_mark/3.3/threads-2"), b"", 0).unwrap();
    let printed = [("files", 14337.6), ("app_overhead", 147.0)];
    assert_eq!(values(&samples), printed.map(|(n, v)| (None, n, v)));
    cuts_yield_no_other_value(&FsMark, "fs_mark/3.3/iterations");
}

#[test]
fn what_is_no_table_is_refused() {
    for (name, code) in [("verbose", 0), ("no-files", 1)] {
        read(&FsMark, &fixture(&format!("fs_mark/3.3/{name}")), b"", code).expect_err(name);
    }
}

#[test]
fn arguments_are_judged() {
    FsMark.check(&["-vF".to_owned()]).unwrap_err();
    assert_eq!(FsMark.cautions(&["-S0".to_owned()]).len(), 1);
}
