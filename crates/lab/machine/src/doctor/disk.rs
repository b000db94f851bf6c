//! Room on file systems.

use std::path::{Path, PathBuf};

use super::finding::{Finding, alarm, fine, warning};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Below so much nothing can be recorded for long.
const FULL_BYTES: u64 = 64 * MIB;

/// A file system, as seen from a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disk {
    /// The path.
    pub path: PathBuf,
    /// What lies there, in words: `results`.
    pub purpose: String,
    /// Identifies the file system among those that are asked about.
    pub id: u64,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Bytes that this user may still write.
    pub free_bytes: u64,
    /// Number of files that it can hold; 0 where there is no such limit.
    pub files: u64,
    /// Number of files that can still be made.
    pub free_files: u64,
}

impl Disk {
    /// Asks about the file system of a path, or, as the path may not be there yet, of the nearest
    /// directory above it. `None` if it cannot be asked.
    pub fn of(path: &Path, purpose: &str) -> Option<Self> {
        let path = std::path::absolute(path).ok()?;
        let there = path.ancestors().find(|path| path.exists())?;
        let seen = rustix::fs::statvfs(there).ok()?;
        Some(Self {
            path: there.to_path_buf(),
            purpose: purpose.to_owned(),
            id: seen.f_fsid,
            size_bytes: seen.f_blocks.saturating_mul(seen.f_frsize),
            free_bytes: seen.f_bavail.saturating_mul(seen.f_frsize),
            files: seen.f_files,
            free_files: seen.f_favail,
        })
    }
}

/// Judges the room on file systems, each once.
pub fn disks(disks: &[Disk]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, disk) in disks.iter().enumerate() {
        let same = |other: &Disk| {
            (other.id, other.size_bytes, other.files) == (disk.id, disk.size_bytes, disk.files)
        };
        if disks[..index].iter().any(same) {
            continue;
        }
        let purposes: Vec<&str> = disks
            .iter()
            .filter(|other| same(other))
            .map(|other| other.purpose.as_str())
            .collect();
        findings.push(judge(disk, &purposes.join(", ")));
    }
    findings
}

fn judge(disk: &Disk, purposes: &str) -> Finding {
    // Kernel file systems and the like say 0 and cannot be full.
    let share = |free: u64, all: u64| {
        if all == 0 {
            1.0
        } else {
            free as f64 / all as f64
        }
    };
    let room = share(disk.free_bytes, disk.size_bytes);
    let files = share(disk.free_files, disk.files);
    let found = format!(
        "{purposes}: {} of {} MiB are free{}",
        disk.free_bytes / MIB,
        disk.size_bytes / MIB,
        if files < 0.05 {
            format!(", and room for {} more files", disk.free_files)
        } else {
            String::new()
        }
    );
    let full = disk.size_bytes > 0 && disk.free_bytes < FULL_BYTES && room < 0.10;
    let finding = if full || room < 0.01 || files < 0.01 {
        alarm("disk", found)
    } else if room < 0.05 && disk.free_bytes < 10 * GIB || files < 0.05 {
        warning("disk", found)
    } else {
        return fine("disk", found).at(&disk.path.display().to_string());
    };
    finding
        .at(&disk.path.display().to_string())
        .costs("a full disk ends the experiment; one nearly full writes slower, as free blocks are scattered")
        .advice("make room, or put results and TMPDIR elsewhere")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;

    fn disk(purpose: &str, size: u64, free: u64) -> Disk {
        Disk {
            path: "/x".into(),
            purpose: purpose.to_owned(),
            id: 7,
            size_bytes: size,
            free_bytes: free,
            files: 0,
            free_files: 0,
        }
    }

    fn severity(size: u64, free: u64) -> Severity {
        disks(&[disk("d", size, free)])[0].severity
    }

    #[test]
    fn a_disk_is_full_by_share_or_by_size() {
        assert_eq!(severity(100 * GIB, 50 * GIB), Severity::Fine);
        assert_eq!(severity(100 * GIB, 4 * GIB), Severity::Warning);
        assert_eq!(severity(10_000 * GIB, 400 * GIB), Severity::Fine);
        assert_eq!(severity(100 * GIB, GIB / 2), Severity::Alarm);
        assert_eq!(severity(GIB, 50 * MIB), Severity::Alarm);
        assert_eq!(
            severity(100 * MIB, 60 * MIB),
            Severity::Fine,
            "small, but empty"
        );
        assert_eq!(severity(100 * MIB, 0), Severity::Alarm);
        assert_eq!(severity(0, 0), Severity::Fine, "not a disk");
    }

    #[test]
    fn a_file_system_is_judged_once() {
        let found = disks(&[disk("here", GIB, GIB / 2), disk("results", GIB, GIB / 2)]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].found, "here, results: 512 of 1024 MiB are free");
    }

    #[test]
    fn a_path_that_is_not_there_yet_is_on_the_disk_of_its_parent() {
        let directory = tempfile::tempdir().unwrap();
        let seen = Disk::of(&directory.path().join("a/b"), "results").unwrap();
        assert_eq!(seen.path, directory.path().canonicalize().unwrap());
        assert!(seen.size_bytes > 0);
    }

    #[test]
    fn a_disk_without_room_for_files_is_full() {
        let full = Disk {
            files: 1000,
            free_files: 3,
            ..disk("d", GIB, GIB)
        };
        let found = &disks(&[full])[0];
        assert_eq!(found.severity, Severity::Alarm);
        assert!(
            found.found.contains("room for 3 more files"),
            "{}",
            found.found
        );
    }
}
