//! Where results go.

use std::path::Path;

use crate::failure::Failure;

/// Where results go unless told otherwise.
pub const RESULTS: &str = "results";

/// UTC to the second, in a form that sorts and suits a file name.
pub fn now_for_a_name() -> String {
    jiff::Timestamp::now()
        .strftime("%Y%m%dT%H%M%SZ")
        .to_string()
}

/// Refuses a path that is no directory.
///
/// # Errors
/// When there is none.
pub fn must_be_directory(path: &Path) -> Result<(), Failure> {
    match path.is_dir() {
        true => Ok(()),
        false => Err(Failure::usage(format!(
            "there is no directory {}",
            path.display()
        ))),
    }
}
