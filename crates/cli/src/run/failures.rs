//! What went wrong in the laboratory or its files, with the code that says whose fault it is.

use std::io::{self, ErrorKind};
use std::path::Path;

use perflab_machine::LockFileError;
use perflab_report::operand;
use perflab_runner::LabError;
use perflab_store::StoreError;

use crate::failure::{Code, Failure};

/// A failure of the store.
#[expect(
    clippy::needless_pass_by_value,
    reason = "for map_err, which hands it over"
)]
pub(crate) fn store_failure(error: StoreError) -> Failure {
    let code = match &error {
        StoreError::NotEmpty(_)
        | StoreError::NoDirectory(_)
        | StoreError::NotBegun(_)
        | StoreError::Uncreatable { .. } => Code::Usage,
        StoreError::Io { source, .. } | StoreError::Lock(LockFileError::Open { source, .. })
            if is_closed(source) =>
        {
            Code::Usage
        }
        StoreError::Lock(_) => Code::Environment,
        _ => Code::NoData,
    };
    Failure::new(code, error.to_string())
}

/// Whether files may not be opened or made: it is not their content that is wrong.
fn is_closed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
    )
}

/// A failure of the laboratory, and how to go on.
pub(super) fn lab_failure(error: &LabError, path: &Path, file: &Path) -> Failure {
    let code = match error {
        LabError::Interrupted => Code::Interrupted,
        LabError::Limit(_) => Code::TimeLimit,
        LabError::Cpus(_) | LabError::Disturbed { .. } => Code::Environment,
        LabError::Plan(_) => Code::Usage,
        LabError::Hopeless { .. } | LabError::Store(_) | LabError::System(_) => Code::NoData,
    };
    let advice = match error {
        LabError::Hopeless { .. } => {
            format!("the raw output is below {}", path.join("runs").display())
        }
        LabError::Cpus(_) | LabError::Plan(_) | LabError::Store(StoreError::Removed(_)) => {
            String::new()
        }
        _ => format!(
            "what was recorded is kept; to go on: perflab run {} --resume --out {}",
            operand(file),
            operand(path)
        ),
    };
    Failure::new(
        code,
        [error.to_string(), advice].join("\n").trim_end().to_owned(),
    )
}
