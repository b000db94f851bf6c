//! The pages of a history in a folder, with those of its campaigns.

use std::fs;
use std::path::{Path, PathBuf};

use super::address::HistoryAddress;
use super::site::HistorySite;
use crate::content::Content;
use crate::folder::{Progress, Step, WriteError, begin, put, write};
use crate::site::Site;

/// Writes all pages of a history into a folder, instead of a report that is there. Returns the first page.
///
/// # Errors
/// As [`write()`].
pub fn write_history(
    site: &mut HistorySite,
    directory: &Path,
    progress: Progress<'_>,
) -> Result<PathBuf, WriteError> {
    begin(directory, &is_own)?;
    site.prepare_all();
    let addresses = site.addresses();
    let results = site.results();
    let all = addresses.len() + results.len();
    for (done, address) in addresses.iter().enumerate() {
        progress(Step::Write, done, all);
        if let Some(Content::Made { bytes, .. }) = site.content(address) {
            put(&directory.join(address), &bytes)?;
        }
    }
    for (done, (address, path)) in (addresses.len()..).zip(&results) {
        progress(Step::Write, done, all);
        let folder = directory.join(address);
        fs::create_dir_all(&folder).map_err(|source| WriteError::Io {
            path: folder.clone(),
            source,
        })?;
        write(&Site::of_campaign(path), &folder, &mut |_, _, _| {})?;
    }
    progress(Step::Write, all, all);
    Ok(directory.join(HistoryAddress::First.to_string()))
}

/// Whether a file of this name is one of a history's pages.
fn is_own(address: &str) -> bool {
    let is_shared = crate::assets::asset(address).is_some();
    is_shared || HistoryAddress::parse(address).is_some()
}
