//! What can be installed.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Fails the test if a command is not installed.
///
/// The command is looked for in `PATH`, or is itself a path if it has a slash. `package` is Debian's package of it.
///
/// ```
/// perflab_testing::needs("sh", "dash");
/// perflab_testing::needs("/bin/sh", "dash");
/// ```
///
/// # Panics
///
/// If the command is not there.
#[track_caller]
pub fn needs(command: &str, package: &str) {
    let path = env::var_os("PATH").unwrap_or_default();
    needs_found(&format!("`{command}`"), find(command, &path), package);
}

/// Fails the test if it looked for a thing and did not find it. Returns what it found.
///
/// This is for what is not a command in `PATH`: a library, a header, a module of Python, a program in a directory of
/// its own. The name of the thing becomes a part of a sentence.
///
/// ```
/// let shell = ["/bin/sh", "/usr/bin/sh"].into_iter().find(|path| std::path::Path::new(path).exists());
/// let shell = perflab_testing::needs_found("a shell", shell, "dash");
/// assert!(shell.ends_with("/sh"));
/// ```
///
/// # Panics
///
/// If `found` is `None`.
#[track_caller]
pub fn needs_found<T>(thing: &str, found: Option<T>, package: &str) -> T {
    match found {
        Some(found) => found,
        None => panic!(
            "this test needs {thing}, which is not installed; Debian's package {package} has it \
             (`make tools` installs everything)"
        ),
    }
}

/// Finds a command as a shell does. The answer says only that it is there.
fn find(command: &str, path: &OsStr) -> Option<()> {
    let found = if command.contains('/') {
        is_executable(Path::new(command))
    } else {
        env::split_paths(path).any(|directory| is_executable(&directory.join(command)))
    };
    found.then_some(())
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    fn message(test: impl FnOnce() + std::panic::UnwindSafe) -> String {
        let payload = catch_unwind(test).expect_err("it must fail");
        *payload
            .downcast::<String>()
            .expect("a message with its values")
    }

    #[test]
    fn a_missing_command_fails_and_names_its_package() {
        assert_eq!(
            message(|| needs("no-such-command", "its-package")),
            "this test needs `no-such-command`, which is not installed; Debian's package its-package has it \
             (`make tools` installs everything)"
        );
        assert!(message(|| needs("/no/such/command", "its-package")).contains("its-package"));
    }

    #[test]
    fn a_missing_thing_fails_and_names_its_package() {
        let said = message(|| needs_found("the header of it", None, "its-dev"));
        assert!(
            said.starts_with("this test needs the header of it, which is not installed")
                && said.contains("package its-dev"),
            "{said}"
        );
    }

    #[test]
    fn what_is_there_is_found() {
        needs("sh", "dash");
        needs("/bin/sh", "dash");
        assert_eq!(needs_found("a number", Some(5), "numbers"), 5);
    }

    #[test]
    fn only_files_that_can_be_executed_are_commands() {
        let places = OsStr::new("/nonexistent:/etc:/");
        for command in ["passwd", "tmp", ""] {
            assert_eq!(find(command, places), None, "{command}");
        }
        assert_eq!(find("/etc", places), None);
    }
}
