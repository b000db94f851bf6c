//! Whether something was added to a history since one looked.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use perflab_store::FileStamps;

use crate::directory::{CAMPAIGNS, FILE, MARKS, OUTLINE, RESULTS, SUMMARIES};
use crate::test_runs;

/// Length and time of the files of a history, and of its last campaign: they differ once something was added. Another
/// campaign may be resumed, and has its summary then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryStamps {
    files: Vec<(u64, Option<SystemTime>)>,
    last: Option<FileStamps>,
}

impl HistoryStamps {
    /// The stamps as they are now.
    pub fn of(path: &Path) -> Self {
        let files = [
            FILE,
            CAMPAIGNS,
            OUTLINE,
            MARKS,
            SUMMARIES,
            crate::builds::JOURNAL,
            test_runs::JOURNAL,
        ];
        let stamp = |file: &str| match fs::metadata(path.join(file)) {
            Ok(metadata) => (metadata.len(), metadata.modified().ok()),
            Err(_) => (0, None),
        };
        let campaigns = fs::read_dir(path.join(RESULTS))
            .into_iter()
            .flatten()
            .flatten();
        let last = campaigns.map(|entry| entry.path()).max();
        Self {
            files: files.into_iter().map(stamp).collect(),
            last: last.as_deref().map(FileStamps::of),
        }
    }
}
