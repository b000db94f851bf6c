//! Programs in C that link the agent.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use super::compile::compile;

/// A program of five sites.
pub const IN_C: &[&str] = &["linked.c", "sites.c", "elsewhere.c"];

/// A program of three sites.
pub const IN_CPP: &[&str] = &["linked.cc", "sites.cc", "other_unit.cc"];

/// The library that was built with these tests, as `make install` leaves it. Older ones may lie beside it.
fn library() -> &'static str {
    static LIBRARY: OnceLock<String> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let test = std::env::current_exe().unwrap();
        let files = std::fs::read_dir(test.parent().unwrap()).unwrap();
        let libraries = files.map(|file| file.unwrap().path()).filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with("libperflab_static-") && name.ends_with(".a")
        });
        let newest = libraries.max_by_key(|path| path.metadata().unwrap().modified().unwrap());
        let library = concat!(env!("CARGO_TARGET_TMPDIR"), "/libperflab_agent.a");
        let stripped = Command::new("objcopy")
            .args(["--strip-debug", "-R", ".llvmbc", "-R", ".llvmcmd"])
            .args([newest.unwrap().as_path(), Path::new(library)])
            .status();
        assert!(stripped.unwrap().success());
        library.to_owned()
    })
}

/// Links a program of sites that starts an agent itself.
pub fn link(compiler: &str, flags: &[&str], sources: &[&str], output: &Path) {
    let mut all = vec!["-O2", "-Dmain=sites_main", library()];
    all.extend(flags);
    compile(compiler, &all, sources, output);
}
