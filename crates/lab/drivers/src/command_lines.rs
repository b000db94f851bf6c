//! What the tests of all drivers need of command lines.

use crate::driver::Driver;

/// The words of a line.
pub(crate) fn args(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Checks that a driver refuses each of these lines, and that its error names the driver and the
/// argument beside the line.
#[track_caller]
pub(crate) fn assert_refused(driver: &dyn Driver, lines: &[(&str, &str)]) {
    for (line, argument) in lines {
        let error = driver.check(&args(line)).expect_err(line);
        assert_eq!(error.driver, driver.name(), "{line}");
        assert_eq!(error.argument, *argument, "{line}");
    }
}

/// Checks that a driver accepts each of these lines.
#[track_caller]
pub(crate) fn assert_accepted(driver: &dyn Driver, lines: &[&str]) {
    for line in lines {
        driver.check(&args(line)).expect(line);
    }
}
