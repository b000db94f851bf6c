//! The lock between processes and between users.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use perflab_machine::{LockError, LockFile, LockFileError, MachineLock};
use perflab_testing::{not_checked, test_name};

const HOLD: &str = "PERFLAB_TEST_HOLD";

/// Not a test by itself: another process that measures until its standard input ends.
#[test]
fn another_laboratory() {
    if std::env::var_os(HOLD).is_none() {
        return;
    }
    let _lock = MachineLock::acquire(None).unwrap();
    println!("holding");
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
}

/// Starts another laboratory and waits until it holds the lock.
fn start(lock: &Path, user: Option<u32>) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "lock::another_laboratory", "--nocapture"])
        .env(HOLD, "1")
        .env("PERFLAB_LOCK", lock)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    let mut child = command.spawn().unwrap();
    let mut output = std::io::BufReader::new(child.stdout.as_mut().unwrap());
    let mut line = String::new();
    while !line.contains("holding") {
        line.clear();
        assert!(
            std::io::BufRead::read_line(&mut output, &mut line).unwrap() > 0,
            "it did not start"
        );
    }
    child
}

#[test]
fn death_releases_the_lock_and_life_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lock");
    let mut child = start(&path, None);
    let error = MachineLock::acquire(Some(&path)).unwrap_err();
    let text = error.to_string();
    let LockError::Busy {
        holder: Some(holder),
        ..
    } = error
    else {
        panic!("{text}")
    };
    assert_eq!(holder.pid, child.id());
    assert!(
        holder
            .command
            .ends_with("--exact lock::another_laboratory --nocapture"),
        "{holder}"
    );
    assert!(text.contains(&format!("(pid {}, ", child.id())), "{text}");
    assert!(text.contains("wait for it"), "{text}");
    child.kill().unwrap();
    child.wait().unwrap();
    MachineLock::acquire(Some(&path)).unwrap();
}

#[test]
fn waiting_ends_with_the_other_or_when_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lock");
    let mut child = start(&path, None);
    assert!(matches!(
        MachineLock::wait(Some(&path), |_| false),
        Err(LockError::Busy { .. })
    ));
    let mut seen = Vec::new();
    let lock = MachineLock::wait(Some(&path), |holder| {
        seen.push(holder.map(|holder| holder.pid));
        drop(child.stdin.take());
        child.wait().unwrap();
        true
    });
    lock.unwrap();
    assert_eq!(seen, [Some(child.id())]);
}

#[test]
fn somebody_who_is_about_to_let_go_is_not_waited_for_long() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lock");
    let lock = LockFile::try_unsigned(&path).unwrap();
    let begin = Instant::now();
    let mut looks = 0;
    let error = MachineLock::wait(Some(&path), |_| {
        looks += 1;
        looks <= 4
    });
    assert!(begin.elapsed() < Duration::from_secs(1));
    let text = error.unwrap_err().to_string();
    assert!(
        text.contains("or the process reaper of one that was killed"),
        "{text}"
    );
    drop(lock);
}

#[test]
fn a_file_of_another_user_is_locked_all_the_same() {
    if !rustix::process::geteuid().is_root() {
        not_checked(
            &test_name(),
            "only root can start a process as another user",
        );
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    // As /tmp: for everybody, and sticky.
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    let path = directory.path().join("lock");
    drop(LockFile::try_lock(&path).unwrap());
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o644
    );
    let mut child = start(&path, Some(65534));
    let Err(LockError::Busy { holder, .. }) = MachineLock::acquire(Some(&path)) else {
        panic!("the lock of another user was not respected")
    };
    assert_eq!(
        holder, None,
        "it could not sign, and its predecessor has gone"
    );
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_second_lock_in_the_same_process_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lock");
    let one = LockFile::try_lock(&path).unwrap();
    assert!(matches!(
        LockFile::try_lock(&path),
        Err(LockFileError::Held { .. })
    ));
    drop(one);
    LockFile::try_lock(&path).unwrap();
}

#[test]
fn what_is_no_lock_file_is_refused_and_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("precious"), "text").unwrap();
    symlink(at("precious"), at("link")).unwrap();
    fs::create_dir(at("directory")).unwrap();
    for name in ["link", "directory"] {
        let error = LockFile::try_lock(&at(name)).unwrap_err();
        assert!(matches!(error, LockFileError::NotAFile(_)), "{error}");
    }
    assert_eq!(fs::read_to_string(at("precious")).unwrap(), "text");
    assert!(matches!(
        LockFile::try_lock(&at("none/lock")),
        Err(LockFileError::Open { .. })
    ));
}

#[test]
fn nonsense_in_a_lock_file_names_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lock");
    let _lock = LockFile::try_lock(&path).unwrap();
    let this = std::process::id();
    for text in [
        "",
        "pid",
        "pid x\ny\n",
        "pid 99999999999\ny\n",
        "pid 0\ny\n",
        "pid 4194304\ny\n",
    ] {
        fs::write(&path, text).unwrap();
        let error = LockFile::try_lock(&path).unwrap_err();
        assert!(
            matches!(error, LockFileError::Held { holder: None, .. }),
            "{text:?}: {error}"
        );
    }
    fs::write(&path, format!("pid {this}\n\x1b[2Jperflab\n")).unwrap();
    let error = LockFile::try_lock(&path).unwrap_err().to_string();
    assert!(!error.contains('\x1b'), "{error:?}");
}

#[test]
fn a_lock_file_that_was_cleaned_away_does_not_split_the_lock() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lock");
    let holders = AtomicU32::new(0);
    let holders_at_once = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let Ok(_lock) = LockFile::try_lock(&path) else {
                        continue;
                    };
                    let others = holders.fetch_add(1, SeqCst);
                    holders_at_once.fetch_max(others + 1, SeqCst);
                    thread::yield_now();
                    holders.fetch_sub(1, SeqCst);
                    // Removed by its holder, so that the next comer makes a new one.
                    let _gone = fs::remove_file(&path);
                }
            });
        }
    });
    assert_eq!(holders_at_once.into_inner(), 1);
}
