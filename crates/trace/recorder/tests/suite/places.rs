//! Which processes have rings, and what is left of those that ended.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::Duration;

use perflab_recorder::{Recording, recorded, sweep};
use perflab_ring::Mode;

use crate::support::{KEEP, Kept, dead, own, trace};

#[test]
fn the_living_and_the_dead() {
    let kept = Kept::new(dead());
    let places = [
        kept.parent.path().to_owned(),
        PathBuf::from("/does/not/exist"),
    ];
    let living = kept
        .parent
        .path()
        .join(format!("{}-{}.rings", own().pid, own().start));
    fs::create_dir(&living).unwrap();
    fs::write(kept.parent.path().join("other"), "").unwrap();
    let found = recorded(&places);
    let found: Vec<_> = found.iter().map(|of| (of.process, of.is_alive)).collect();
    assert_eq!(found, [(dead(), false), (own(), true)]);
    fs::set_permissions(&places[0], fs::Permissions::from_mode(0o755)).unwrap();
    assert!(recorded(&places).is_empty());
}

#[test]
fn what_the_dead_left_is_removed_when_it_is_old() {
    let kept = Kept::new(dead());
    kept.no_ring(1);
    kept.ring(1, 2, Mode::Keep);
    let places = [kept.parent.path().to_owned()];
    assert_eq!(
        sweep(&places, Duration::from_secs(3600)),
        Vec::<PathBuf>::new()
    );
    assert!(kept.ring_path(1).exists());
    assert_eq!(
        sweep(&places, Duration::ZERO),
        std::slice::from_ref(&kept.path)
    );
    assert!(!kept.path.exists());
}

#[test]
fn what_was_read_to_its_end_goes_at_once() {
    let (kept, living) = (Kept::new(dead()), Kept::new(own()));
    let mut recording = Recording::new(trace(), KEEP);
    for kept in [&kept, &living] {
        kept.probe(3, "");
        kept.ring(1, 2, Mode::Keep);
        recording.add(&kept.path).unwrap();
    }
    recording.remove_finished().unwrap();
    assert!(kept.path.exists(), "nothing was read");
    recording.round().unwrap();
    recording.remove_finished().unwrap();
    assert!(!kept.path.exists() && living.path.exists());
    // What another program left in the same place is not read yet.
    fs::create_dir(&kept.path).unwrap();
    recording.remove_finished().unwrap();
    assert!(kept.path.exists());
}

#[test]
fn what_is_not_ours_stays() {
    let kept = Kept::new(dead());
    let living = Kept::new(own());
    let outside = kept.parent.path().join("outside");
    fs::write(&outside, "").unwrap();
    symlink(&outside, kept.ring_path(1)).unwrap();
    fs::write(kept.path.join("notes"), "").unwrap();
    let places = [
        kept.parent.path().to_owned(),
        living.parent.path().to_owned(),
    ];
    assert_eq!(sweep(&places, Duration::ZERO), Vec::<PathBuf>::new());
    assert!(outside.exists() && kept.path.join("notes").exists());
    assert!(kept.ring_path(1).is_symlink());
    assert!(living.path.join("process").exists());
}
