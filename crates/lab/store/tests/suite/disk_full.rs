//! A disk that fills up, for real: a small file system in memory.

use std::fs;
use std::path::Path;
use std::process::Command;

use perflab_store::{ResultDir, StoreError};
use perflab_testing::{needs, not_checked, test_name};

use crate::fixture::{
    EXPERIMENT, create, environment, names, origin, plan, record, run_one, runs_file,
};

/// A file system that is unmounted at the end.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `None` if this user may not mount one, which is written down.
    fn mount(bytes: u32) -> Option<Self> {
        needs("mount", "mount");
        let point = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={bytes}"), "tmpfs"])
            .arg(point.path())
            .output()
            .unwrap();
        if mounted.status.success() {
            return Some(Self(point));
        }
        let said = String::from_utf8_lossy(&mounted.stderr);
        let why = format!("a file system cannot be mounted: {said}");
        not_checked(&test_name(), &why);
        None
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Uses up all room but for about `bytes`, in the file that is returned.
    fn fill(&self, bytes: usize) -> std::path::PathBuf {
        let path = self.path().join("filler");
        let mut content = vec![0; 1 << 20];
        while fs::write(&path, &content).is_err() {
            content.truncate(content.len() - 4096);
        }
        content.truncate(content.len().saturating_sub(bytes));
        fs::write(&path, &content).unwrap();
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _stays = Command::new("umount").arg(self.path()).status();
    }
}

#[test]
fn a_record_that_does_not_fit_is_taken_back_and_can_be_added_later() {
    let Some(disk) = SmallDisk::mount(256 << 10) else {
        return;
    };
    let path = disk.path().join("results");
    let mut results = create(&path);
    // One page is left: the line that crosses its end is written in part.
    let filler = disk.fill(4096);
    let mut recorded = 0;
    let error = loop {
        match results.append(&record(recorded + 1)) {
            Ok(()) => recorded += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    assert!(error.to_string().contains("the disk is full"), "{error}");
    assert!(recorded > 0);
    let content = fs::read(runs_file(&path)).unwrap();
    assert_eq!(content.last(), Some(&b'\n'), "nothing of the line is left");
    let expected: Vec<_> = (1..=recorded).map(record).collect();
    assert_eq!(results.records().unwrap(), expected);

    // Still full, for the raw output and for a laboratory that goes on.
    assert!(matches!(
        results.append(&record(recorded + 1)),
        Err(StoreError::DiskFull { .. })
    ));
    drop(results);
    drop(ResultDir::resume(&path).unwrap());
    fs::remove_file(filler).unwrap();
    let mut results = ResultDir::resume(&path).unwrap();
    run_one(&mut results, recorded + 1);
    assert_eq!(results.records().unwrap().len() as u32, recorded + 1);
}

#[test]
fn a_set_up_that_does_not_fit_leaves_nothing_in_the_way() {
    let Some(disk) = SmallDisk::mount(256 << 10) else {
        return;
    };
    let path = disk.path().join("results");
    let filler = disk.fill(8192);
    let make = || ResultDir::create(&path, EXPERIMENT, &plan(), &environment(), origin());
    let error = make().unwrap_err();
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    assert_eq!(names(&path), ["lock"]);
    fs::remove_file(filler).unwrap();
    make().unwrap();
}

#[test]
fn a_cut_line_is_kept_if_there_is_no_room_to_move_it() {
    let Some(disk) = SmallDisk::mount(256 << 10) else {
        return;
    };
    let path = disk.path().join("results");
    let mut results = create(&path);
    run_one(&mut results, 1);
    drop(results);
    let mut content = fs::read(runs_file(&path)).unwrap();
    content.extend_from_slice(b"{\"schema\":1,\"run\":2");
    fs::write(runs_file(&path), &content).unwrap();
    let filler = disk.fill(0);
    let error = ResultDir::resume(&path).unwrap_err();
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    assert_eq!(fs::read(runs_file(&path)).unwrap(), content);
    fs::remove_file(filler).unwrap();
    let results = ResultDir::resume(&path).unwrap();
    assert_eq!(results.records().unwrap(), [record(1)]);
    assert_eq!(
        names(&path)
            .iter()
            .filter(|name| name.contains("cut"))
            .count(),
        1
    );
}
