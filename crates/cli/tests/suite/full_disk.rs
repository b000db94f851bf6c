//! A full disk is named as such, spoils nothing, and does not end the experiment for good.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use perflab_testing::{needs, not_checked, test_name};

use crate::life::Place;
use crate::support::{Laboratory, Said};

/// A small file system in memory below a laboratory.
struct SmallDisk<'a> {
    directory: &'a Path,
}

impl<'a> SmallDisk<'a> {
    /// `None` if this user may not mount one, which is written down.
    fn mount(directory: &'a Path, options: &str) -> Option<Self> {
        needs("mount", "mount");
        fs::create_dir(directory).unwrap();
        let disk = Self { directory };
        match disk.execute("mount", &["-t", "tmpfs", "-o", options, "tmpfs"]) {
            Ok(()) => Some(disk),
            Err(why) => {
                let why = format!("a file system cannot be mounted: {why}");
                not_checked(&test_name(), &why);
                None
            }
        }
    }

    fn remount(&self, options: &str) {
        self.execute("mount", &["-o", &format!("remount,{options}")])
            .unwrap();
    }

    /// What the program says if it fails.
    fn execute(&self, program: &str, arguments: &[&str]) -> Result<(), String> {
        let output = Command::new(program)
            .args(arguments)
            .arg(self.directory)
            .output()
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _stays = self.execute("umount", &["--lazy"]);
    }
}

fn call(laboratory: &Laboratory, more: &[&str]) -> Said {
    laboratory.call(&[&["run", "exp.toml", "--out", "disk/result"][..], more].concat())
}

fn experiment(command: &str) -> String {
    format!(
        "[design]\nruns = 6\n[variants.a]\n[workloads.w]\ndriver = 'command'\nshell = true\n\
         command = '{command}'\n"
    )
}

#[test]
fn an_experiment_that_fills_the_disk_goes_on_when_there_is_room() {
    // The second workload does not care that its output is lost; the third lets the space go again.
    for command in [
        "head -c 300000 /dev/zero",
        "head -c 300000 /dev/zero || true",
        "head -c 300000 /dev/zero; head -c 900000 /dev/zero > {dir}/data; exit 0",
    ] {
        let laboratory = Laboratory::new();
        let directory = laboratory.path("disk");
        let Some(disk) = SmallDisk::mount(&directory, "size=1m") else {
            return;
        };
        laboratory.write("exp.toml", experiment(command));
        call(&laboratory, &[]).code(4).says(&[
            "the disk is full",
            "disk/result",
            "make room",
            "--resume",
        ]);
        laboratory.assert_nothing_runs();

        let before = laboratory.read("disk/result/runs.jsonl");
        assert!(before.is_empty() || before.ends_with('\n'));
        assert!(
            !before.contains("EXIT"),
            "a run is not to blame for the disk: {before}"
        );
        call(&laboratory, &["--resume"])
            .code(4)
            .says(&["the disk is full"]);
        laboratory
            .call(&["show", "disk/result"])
            .code(0)
            .prints(&["of 6 runs recorded"]);

        disk.remount("size=16m");
        call(&laboratory, &["--resume"])
            .code(0)
            .says(&["6 runs recorded, 0 of them failed"]);
        let after = laboratory.read("disk/result/runs.jsonl");
        assert!(after.starts_with(&before), "records changed");
        assert_eq!(after.lines().count(), 6);
    }
}

#[test]
fn a_disk_without_room_for_the_plan() {
    let laboratory = Laboratory::new();
    let directory = laboratory.path("disk");
    let Some(disk) = SmallDisk::mount(&directory, "size=8k") else {
        return;
    };
    laboratory.write("exp.toml", experiment("true"));
    call(&laboratory, &[])
        .code(4)
        .says(&["the disk is full", "disk/result"]);
    disk.remount("size=4m");
    call(&laboratory, &[])
        .code(0)
        .says(&["6 runs recorded, 0 of them failed"]);
}

#[test]
fn a_disk_without_a_single_free_name() {
    let laboratory = Laboratory::new();
    let directory = laboratory.path("disk");
    // The root, the result's directory, and a few files; then no run can begin.
    let Some(disk) = SmallDisk::mount(&directory, "size=4m,nr_inodes=16") else {
        return;
    };
    laboratory.write("exp.toml", experiment("true"));
    call(&laboratory, &[]).code(4).says(&["the disk is full"]);
    disk.remount("nr_inodes=1000");
    call(&laboratory, &["--resume"])
        .code(0)
        .says(&["6 runs recorded, 0 of them failed"]);
}

/// A file as large as the rest of the disk.
fn fill(directory: &Path) {
    let block = vec![0_u8; 1 << 12];
    let mut file = fs::File::create(directory.join("filling")).unwrap();
    while file.write_all(&block).is_ok() {}
}

#[test]
fn what_is_written_once_can_be_written_again_when_there_is_room() {
    let laboratory = Laboratory::new();
    laboratory.write("exp.toml", experiment("true"));
    laboratory.write("numbers", "1\n2\n3\n");
    laboratory
        .call(&["run", "exp.toml", "--out", "result"])
        .code(0);
    let directory = laboratory.path("disk");
    let Some(_disk) = SmallDisk::mount(&directory, "size=24m") else {
        return;
    };
    for (written, arguments) in [
        ("disk/e.toml", &["init", "true", "-o", "disk/e.toml"][..]),
        ("disk/pages", &["report", "result", "-o", "disk/pages"]),
        (
            "disk/imported",
            &["import", "numbers", "--out", "disk/imported"],
        ),
    ] {
        fill(&directory);
        let said = laboratory.call(arguments).code(4);
        let said = said.says(&["the disk is full", "disk/", "make room"]);
        assert!(!said.err.contains("--resume"), "{}", said.err);
        let written = laboratory.path(written);
        // The next report takes the place of half a one.
        assert_eq!(written.exists(), arguments[0] == "report", "{}", said.err);
        fs::remove_file(directory.join("filling")).unwrap();
        laboratory.call(arguments).code(0);
        match written.is_dir() {
            true => fs::remove_dir_all(written).unwrap(),
            false => fs::remove_file(written).unwrap(),
        }
    }
}

/// The signal that comes with it ended perflab without a word.
#[test]
fn a_limit_of_file_sizes_is_named_and_leaves_a_trace_that_can_be_read() {
    let place = Place::new();
    let (program, trace) = (place.compile("family"), place.file("trace"));
    // In blocks of 512 bytes; a ring is smaller.
    let script = r#"ulimit -f 1200; exec "$@""#;
    let mut limited = Command::new("sh");
    limited.args(["-c", script, "sh"]);
    limited.arg(place.path("bin/perflab"));
    limited.args([
        "trace", "record", "--ring", "256", "-o", &trace, "--", &program,
    ]);
    let output = limited.args(["burst", "3000000"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("File too large"), "{said}");
    assert!(said.contains("has what was written before"), "{said}");
    let shown = place.trace(&["view", &trace]);
    assert!(shown.stdout.len() > 100_000);
    // A program that is measured is ended by it, as without perflab.
    let laboratory = Laboratory::new();
    let file = laboratory.path("large");
    let write = format!("head -c 1000000 /dev/zero > {}", file.display());
    let words = ["bench", "--runs", "1", "-N", "--ignore-failure"];
    let mut limited = Command::new("sh");
    limited.args(["-c", script, "sh", env!("CARGO_BIN_EXE_perflab")]);
    limited
        .args(words)
        .arg(format!("sh -c '{write}; kill -l $?'"));
    let output = limited.arg("--show-output").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("XFSZ"), "{printed}");
}
