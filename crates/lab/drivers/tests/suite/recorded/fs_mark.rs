//! The driver of fs_mark on recorded outputs of the real tool.

use super::common::{Recorded, values};
use perflab_drivers::{Driver, FsMark};

#[test]
fn each_iteration_is_a_sample() {
    let recorded = Recorded::new(&FsMark, "3.3");
    let samples = recorded.read("threads-2", 0).unwrap();
    let printed = [("files", 14337.6), ("app_overhead", 147.0)];
    assert_eq!(values(&samples), printed.map(|(n, v)| (None, n, v)));
    assert_eq!(recorded.read("iterations", 0).unwrap().len(), 12);
    recorded.cut("iterations");
}

#[test]
fn what_is_no_table_is_refused() {
    for (name, code) in [("verbose", 0), ("no-files", 1)] {
        let read = Recorded::new(&FsMark, "3.3").read(name, code);
        read.expect_err(name);
    }
}

#[test]
fn arguments_are_judged() {
    FsMark.check(&["-vF".to_owned()]).unwrap_err();
    assert_eq!(FsMark.cautions(&["-S0".to_owned()]).len(), 1);
}
