//! Programs in Rust, built by cargo.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use super::programs;

/// What one build has that others have not.
#[derive(Debug, Clone, Copy)]
pub struct Build {
    /// Of cargo.
    pub profile: &'static str,
    /// Of the package.
    pub features: &'static str,
    /// For rustc.
    pub flags: &'static str,
    /// `sites` or `plugin`.
    pub package: &'static str,
}

/// As most people build.
pub const RELEASE: Build = Build {
    profile: "release",
    features: "",
    flags: "",
    package: "sites",
};

/// Programs without shared objects have to start an agent themselves.
pub const STATIC: Build = Build {
    features: "agent",
    flags: "-C target-feature=+crt-static",
    ..RELEASE
};

/// Copies a file or directory, only what differs, so that cargo need not build again.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
        return;
    }
    let mut content = fs::read_to_string(from).unwrap();
    if from.ends_with("Cargo.toml") {
        let crates = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        content = content.replace("../../../../../", &format!("{crates}/"));
        content = content.replace("../../../../", &format!("{crates}/"));
    }
    if fs::read_to_string(to).ok().as_ref() != Some(&content) {
        fs::write(to, content).unwrap();
    }
}

/// Builds a package and copies what came of it to a name of its own. One target directory serves all builds, so
/// there is one at a time.
pub fn built(build: Build) -> PathBuf {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rust");
    copy(&programs().join("rust"), &place);
    // With the versions of the workspace, all that is needed is there.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    fs::copy(lock, place.join("Cargo.lock")).unwrap();
    let result = Command::new(env!("CARGO"))
        .args(["build", "--offline", "--quiet", "--package", build.package])
        .args(["--profile", build.profile, "--features", build.features])
        .arg("--target-dir")
        .arg(place.join("target"))
        .env("RUSTFLAGS", build.flags)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .current_dir(&place)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&result.stderr);
    assert!(result.status.success(), "{build:?}: {said}");
    let directory = if build.profile == "dev" {
        "debug"
    } else {
        build.profile
    };
    let file = match build.package {
        "plugin" => "libplugin.so",
        package => package,
    };
    let words = format!("{build:?}");
    let own: String = words.chars().filter(char::is_ascii_alphanumeric).collect();
    let own = place.join(own);
    let _ = fs::remove_file(&own);
    fs::copy(place.join("target").join(directory).join(file), &own).unwrap();
    own
}
