//! A disk that fills up, for real: a small file system in memory.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use perflab_aof::{AppendError, Log, Policy, RewriteError};
use perflab_testing::{needs, not_checked, test_name};
use tempfile::TempDir;

use crate::fixture::{names, open, payloads, try_open};

/// A file system that is unmounted at the end.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// `None` if this user may not mount one, which is written down.
    fn mount() -> Option<Self> {
        needs("mount", "mount");
        let point = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
            .arg(point.path());
        let mounted = mount.output().unwrap();
        if mounted.status.success() {
            return Some(Self(point));
        }
        let said = String::from_utf8_lossy(&mounted.stderr);
        not_checked(
            &test_name(),
            &format!("a file system cannot be mounted: {said}"),
        );
        None
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A file that takes up all room but for some pages, each of which has 4096 bytes.
    fn fill(&self, pages: usize) -> PathBuf {
        let path = self.path("filling");
        let mut file = File::create(&path).unwrap();
        while file.write_all(&[0; 4096]).is_ok() {}
        let length = file.metadata().unwrap().len();
        file.set_len(length - (pages * 4096) as u64).unwrap();
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _stays = Command::new("umount").arg(self.0.path()).status();
    }
}

/// Appends numbers until the log fails. Returns them, with the one that failed.
pub fn fill_up(log: &Log, kind: ErrorKind) -> Vec<Vec<u8>> {
    let mut expected = Vec::new();
    let failure = loop {
        let payload = format!("{:0100}", expected.len()).into_bytes();
        let ticket = log.append(&payload).unwrap();
        expected.push(payload);
        if let Err(failure) = log.wait(ticket) {
            break failure;
        }
    };
    assert_eq!(failure.kind(), kind, "{failure}");
    assert!(!failure.is_final());
    assert!(matches!(log.append(b"no"), Err(AppendError::Failed(other)) if other == failure));
    assert!(log.retry().is_err());
    expected
}

/// All of the log but for the block that failed is in the file, and no part of that.
pub fn is_whole(path: &Path, expected: &[Vec<u8>]) {
    assert_eq!(payloads(path), expected[..expected.len() - 1]);
}

#[test]
fn blocks_wait_until_there_is_room() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let path = disk.path("log.aof");
    let (log, _, _) = open(&path, Policy::Always);
    // A block that crosses the end of the last page is written in part.
    let filling = disk.fill(2);
    let mut expected = fill_up(&log, ErrorKind::StorageFull);
    assert!(expected.len() > 10, "{}", expected.len());
    is_whole(&path, &expected);
    fs::remove_file(filling).unwrap();
    log.retry().unwrap();
    assert_eq!(payloads(&path), expected);
    let ticket = log.append(b"again").unwrap();
    log.wait(ticket).unwrap();
    expected.push(b"again".to_vec());
    log.close().unwrap();
    assert_eq!(open(&path, Policy::Always).2, expected);
}

#[test]
fn a_log_that_syncs_each_second_goes_on_by_itself() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let path = disk.path("log.aof");
    let (log, _, _) = open(&path, Policy::EverySecond);
    let filling = disk.fill(2);
    let (mut expected, began) = (Vec::new(), Instant::now());
    let failed = loop {
        let payload = format!("{:0100}", expected.len()).into_bytes();
        match log.append(&payload) {
            Ok(_) => expected.push(payload),
            Err(failed) => break failed,
        }
        assert!(began.elapsed() < Duration::from_secs(30));
        thread::sleep(Duration::from_micros(100));
    };
    assert!(failed.to_string().contains("make room"), "{failed}");
    fs::remove_file(filling).unwrap();
    while log.facts().failure.is_some() {
        assert!(began.elapsed() < Duration::from_secs(30));
        thread::sleep(Duration::from_millis(10));
    }
    log.append(b"again").unwrap();
    expected.push(b"again".to_vec());
    log.close().unwrap();
    assert_eq!(payloads(&path), expected);
}

#[test]
fn a_rewrite_without_room_leaves_the_log_as_it_was() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let path = disk.path("log.aof");
    let (log, _, _) = open(&path, Policy::Always);
    log.wait(log.append(b"a").unwrap()).unwrap();
    disk.fill(2);
    let mut rewrite = log.begin_rewrite().unwrap();
    let payload = vec![b'x'; 1000];
    let error = loop {
        // Blocks are written in steps: some of them fit, all of them do not.
        match rewrite.append(&payload) {
            Ok(()) => {}
            Err(error) => break error,
        }
    };
    let is_full = |source: &std::io::Error| source.kind() == ErrorKind::StorageFull;
    assert!(
        matches!(&error, RewriteError::System { source, .. } if is_full(source)),
        "{error}"
    );
    assert!(error.to_string().contains("make room"), "{error}");
    // Whoever ends it all the same gets no file with a gap.
    assert!(rewrite.finish().is_err());
    assert_eq!(names(path.parent().unwrap()), ["filling", "log.aof"]);
    assert!(log.facts().failure.is_none());
    log.wait(log.append(b"b").unwrap()).unwrap();
    assert_eq!(payloads(&path), [b"a", b"b"]);
}

#[test]
fn a_torn_end_that_cannot_be_kept_is_not_cut() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let path = disk.path("log.aof");
    open(&path, Policy::No).0.close().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes.resize(20_000, b'x');
    fs::write(&path, &bytes).unwrap();
    let filling = disk.fill(1);
    let error = try_open(&path, Policy::Always).unwrap_err();
    assert!(
        error.to_string().contains("cannot cut the torn end off"),
        "{error}"
    );
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(names(path.parent().unwrap()), ["filling", "log.aof"]);
    fs::remove_file(filling).unwrap();
    let cut = try_open(&path, Policy::Always).unwrap().1.cut.unwrap();
    assert_eq!((cut.offset, cut.bytes), (41, 20_000 - 41));
}
