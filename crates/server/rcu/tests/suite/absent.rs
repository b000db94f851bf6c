//! Flavours that are not here say why.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use perflab_rcu::{Choice, Flavour, NAMES, Unavailable, urcu, with_flavour};

/// Names the directory of libraries to the test's own process: libraries are loaded once in a process.
const DIRECTORY: &str = "PERFLAB_RCU_LIBRARIES";

#[test]
fn without_its_library_a_flavour_is_unavailable_in_the_words_of_the_loader() {
    if let Some(directory) = env::var_os(DIRECTORY) {
        look_at_all(Path::new(&directory));
        return;
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-libraries");
    fs::create_dir_all(&directory).unwrap();
    let test = "absent::without_its_library_a_flavour_is_unavailable_in_the_words_of_the_loader";
    let status = Command::new(env::current_exe().unwrap())
        .args([test, "--exact"])
        .env(DIRECTORY, directory)
        .status()
        .unwrap();
    assert!(status.success());
}

fn look_at_all(directory: &Path) {
    assert!(urcu::only_from(directory));
    for name in NAMES {
        let loaded = Choice::new(name).and_then(|choice| with_flavour!(choice, F => F::load()));
        let is_ours = name.starts_with("own-") || name == "rwlock";
        match loaded {
            Err(Unavailable::Library(words)) => {
                assert!(!is_ours, "{name}: {words}");
                let library = name.split('-').next().unwrap();
                let file = directory.join(format!("liburcu-{library}.so.8"));
                assert!(words.contains(file.to_str().unwrap()), "{words}");
            }
            // The kernel may lack what an own domain needs.
            loaded => assert!(is_ours, "{name}: {loaded:?}"),
        }
    }
}

#[test]
fn an_unknown_name_is_told_from_a_missing_library() {
    let unknown = Choice::new("memb-").unwrap_err();
    assert_eq!(unknown, Unavailable::Unknown("memb-".to_owned()));
    let words = unknown.to_string();
    assert!(
        words.starts_with("no flavour is called 'memb-': expected one of qsbr, bp, "),
        "{words}"
    );
}
