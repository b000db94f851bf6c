//! Files that are no log, and paths that are no file.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use perflab_aof::{Log, OpenError, Policy, ReplayError};

use crate::fixture::{names, open, payloads, place, try_open, write};

#[test]
fn a_foreign_file_is_refused_and_left_alone() {
    for (content, expected) in [
        (
            "*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n",
            "found `*2\\r\\n$6\\r\\nSELECT",
        ),
        ("REDIS0009\u{fa}", "found `REDIS0009\\xc3\\xba`"),
        ("#perflab-aof 2 abc\n", "found version `2`"),
        ("#perflab-aof \n", "found version ``"),
        ("#perflab-aof 12", "found version `12`"),
        ("#perflab-ao_", "found `#perflab-ao_`"),
        (
            "#perflab-aof 1 0123456789abcdef 00000000\n",
            "the first line",
        ),
    ] {
        let (directory, path) = place();
        fs::write(&path, content).unwrap();
        let error = try_open(&path, Policy::Always).unwrap_err();
        let said = error.to_string();
        assert!(said.contains(expected), "{said}");
        let is_control = |character: char| character.is_control();
        assert!(!said.contains(is_control), "{said}");
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
        assert_eq!(names(directory.path()), ["log.aof"]);
    }
}

#[test]
fn an_empty_file_begins() {
    let (_directory, path) = place();
    fs::write(&path, "").unwrap();
    let (log, opened, blocks) = open(&path, Policy::Always);
    assert_eq!((opened.cut, blocks.len(), opened.bytes), (None, 0, 41));
    assert_eq!((log.facts().size, log.facts().base_size), (41, 41));
}

#[test]
fn what_cannot_be_executed_is_refused_and_left_alone() {
    let (directory, path) = place();
    write(&path, &[b"SET a 1", b"FLY"]);
    // The torn end stays, too.
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_slice(b"#blo");
    fs::write(&path, &bytes).unwrap();
    let mut executed = 0;
    let error = Log::open(&path, Policy::Always, |payload, _| match payload {
        b"FLY" => Err("there is no command FLY"),
        _ => {
            executed += 1;
            Ok(())
        }
    });
    let error = error.unwrap_err();
    assert_eq!(executed, 1);
    let refused = matches!(
        error,
        OpenError::Replay {
            source: ReplayError::Refused { offset: 83, .. },
            ..
        }
    );
    assert!(refused, "{error}");
    assert!(
        error.to_string().contains("there is no command FLY"),
        "{error}"
    );
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(names(directory.path()), ["log.aof"]);
}

#[test]
fn what_is_no_file_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    for path in [directory.path(), "/dev/null".as_ref()] {
        let error = try_open(path, Policy::No).unwrap_err();
        assert!(matches!(error, OpenError::NotAFile(_)), "{error}");
        assert!(error.to_string().contains("name another path"), "{error}");
    }
    let missing = directory.path().join("no/such/log");
    let error = try_open(&missing, Policy::No).unwrap_err();
    assert!(matches!(error, OpenError::System { .. }), "{error}");
    assert!(error.to_string().contains("no/such/log"), "{error}");
}

#[test]
fn nobody_else_may_read_it() {
    let (_directory, path) = place();
    write(&path, &[b"secret"]);
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// A rewrite must not replace the link by a file.
#[test]
fn a_link_leads_to_the_log() {
    let (directory, path) = place();
    write(&path, &[b"a"]);
    let link = directory.path().join("link");
    symlink("log.aof", &link).unwrap();
    let (log, _, blocks) = open(&link, Policy::Always);
    assert_eq!(blocks, [b"a"]);
    let mut rewrite = log.begin_rewrite().unwrap();
    rewrite.append(b"b").unwrap();
    rewrite.finish().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(payloads(&path), [b"b"]);
}
