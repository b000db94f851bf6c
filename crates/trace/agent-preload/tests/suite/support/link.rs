//! Programs in C that link the agent.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::compile::compile;
use super::made::made;

/// A program of five sites.
pub const IN_C: &[&str] = &["linked.c", "sites.c", "elsewhere.c"];

/// A program of three sites.
pub const IN_CPP: &[&str] = &["linked.cc", "sites.cc", "other_unit.cc"];

/// The library that was built with these tests, as `make install` leaves it: the newest in the directory.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let files = std::fs::read_dir(test.parent().unwrap()).unwrap();
    let libraries = files.map(|file| file.unwrap().path()).filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("libperflab_static-") && name.ends_with(".a")
    });
    let modified = |path: &PathBuf| path.metadata().unwrap().modified().unwrap();
    let newest = libraries.max_by_key(modified).unwrap();
    // It is large, and says by its time what it is.
    let words = format!("{newest:?} of {:?}", modified(&newest));
    perflab_testing::needs("objcopy", "binutils");
    made(&["objcopy", &words], &[], |path| {
        let stripped = Command::new("objcopy")
            .args(["--strip-debug", "-R", ".llvmbc", "-R", ".llvmcmd"])
            .args([&*newest, path])
            .status();
        assert!(stripped.unwrap().success());
    })
}

/// Links a program of sites that starts an agent itself.
pub fn link(compiler: &str, flags: &[&str], sources: &[&str], output: &Path) {
    let library = library();
    let mut all = vec!["-O2", "-Dmain=sites_main", library.to_str().unwrap()];
    all.extend(flags);
    compile(compiler, &all, sources, output);
}
