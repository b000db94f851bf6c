//! Room on the disk of a result.

use std::io;
use std::path::Path;

use perflab_store::StoreError;

use super::error::LabError;
use crate::host::Host;

/// Room on the result's disk below which it counts as full, in bytes: a program that ran out of
/// it leaves less than a few blocks.
pub const LEAST_ROOM_BYTES: u64 = 1 << 14;

/// Whether the result's disk has no room left: then the run may have failed, or done less, for
/// that alone, and is not recorded.
pub(super) fn no_room(host: &dyn Host, root: &Path) -> bool {
    host.room(root).is_some_and(|room| room < LEAST_ROOM_BYTES)
}

pub(super) fn disk_full(root: &Path, source: io::Error) -> LabError {
    StoreError::DiskFull {
        action: "finish the run in",
        path: root.to_path_buf(),
        source,
    }
    .into()
}
