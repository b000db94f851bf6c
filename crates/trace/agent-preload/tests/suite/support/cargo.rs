//! Programs in Rust, built by cargo.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::compile::{copy as copy_program, version};
use super::made::made;
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
    /// `sites`, `plugin` or `wide`.
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

/// What a build is made of besides the programs themselves.
const CRATES: [&str; 5] = ["abi", "agent", "bpf", "probe", "ring"];

/// Builds a package, once for all that ask for the same.
pub fn built(build: Build) -> PathBuf {
    let wing = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut inputs = vec![
        programs().join("rust"),
        wing.join("../../Cargo.toml"),
        wing.join("../../Cargo.lock"),
    ];
    for name in CRATES {
        inputs.extend([
            wing.join(name).join("Cargo.toml"),
            wing.join(name).join("src"),
        ]);
    }
    let inputs: Vec<&Path> = inputs.iter().map(AsRef::as_ref).collect();
    made(
        &[&format!("{build:?}"), &version("rustc")],
        &inputs,
        |path| {
            build_to(build, path);
        },
    )
}

/// One target directory serves all builds, so there is one at a time.
fn build_to(build: Build, output: &Path) {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rust");
    fs::create_dir_all(&place).unwrap();
    let lock = File::create(place.join("lock")).unwrap();
    lock.lock().unwrap();
    copy(&programs().join("rust"), &place);
    // With the versions of the workspace, all that is needed is there.
    let versions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../Cargo.lock");
    fs::copy(versions, place.join("Cargo.lock")).unwrap();
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
    let from = place.join("target").join(directory).join(file);
    copy_program(&from, output);
}
