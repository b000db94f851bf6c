//! What no package can mend.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::panic::Location;
use std::path::Path;
use std::thread;

/// The environment variable that names the file in which [`not_checked`] writes.
pub const NOT_CHECKED: &str = "PERFLAB_NOT_CHECKED";

/// Writes down that something could not be checked here, and why. The test then goes on without it, or returns.
///
/// `what` is the name of the test ([`test_name`]), or the part of it that is left out. The reason is one that no
/// package of `make tools` can mend: a privilege, a kernel that forbids something, a tool that Debian does not have.
///
/// The line `WHAT<TAB>WHY` is appended to the file that [`NOT_CHECKED`] names, if it names one. A line is written
/// at once, so those of several threads and processes do not mix. It also goes to standard error.
///
/// # Panics
///
/// If the file cannot be written, as the test would otherwise pass and nobody would learn of it.
#[track_caller]
pub fn not_checked(what: &str, why: &str) {
    let line = line(what, why);
    eprint!("not checked: {}", line.replace('\t', ": "));
    if let Some(path) = env::var_os(NOT_CHECKED).filter(|path| !path.is_empty()) {
        append(Path::new(&path), &line).unwrap_or_else(|error| {
            panic!("{NOT_CHECKED}: cannot write {}: {error}", path.display())
        });
    }
}

/// The name of the test that calls this, behind that of its package.
///
/// A thread that a test started has no name of its own. There it is the place in the source.
#[track_caller]
pub fn test_name() -> String {
    let thread = thread::current();
    let name = match thread.name() {
        Some(name) if name != "main" => name.to_owned(),
        _ => Location::caller().to_string(),
    };
    // Cargo and its other test runners say which package they test.
    match env::var("CARGO_PKG_NAME") {
        Ok(package) => format!("{package} {name}"),
        Err(_) => name,
    }
}

/// The fields of a line are one each, whatever is in them.
fn line(what: &str, why: &str) -> String {
    let field = |text: &str| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    format!("{}\t{}\n", field(what), field(why))
}

/// Appends a line by one write: the kernel does not let another one in between.
fn append(path: &Path, line: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let written = file.write(line.as_bytes())?;
    if written < line.len() {
        return Err(io::ErrorKind::WriteZero.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::PathBuf;

    /// A file that is gone when the test ends.
    struct Own(PathBuf);

    impl Own {
        fn new(name: &str) -> Self {
            Self(env::temp_dir().join(format!("perflab-testing-{}-{name}", std::process::id())))
        }

        fn lines(&self) -> Vec<String> {
            let text = fs::read_to_string(&self.0).expect("the file was written");
            assert!(text.ends_with('\n'), "{text:?}");
            text.lines().map(str::to_owned).collect()
        }
    }

    impl Drop for Own {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    #[test]
    fn a_line_has_two_fields_whatever_is_in_them() {
        assert_eq!(line("a test", "no root"), "a test\tno root\n");
        assert_eq!(line("a\ttest\n", " no\nroot "), "a test\tno root\n");
    }

    #[test]
    fn lines_are_appended_whole() {
        let own = Own::new("whole");
        for why in ["first", "second"] {
            append(&own.0, &line("test", why)).expect("it can be written");
        }
        assert_eq!(own.lines(), ["test\tfirst", "test\tsecond"]);
    }

    #[test]
    fn lines_of_two_threads_do_not_mix() {
        const EACH: usize = 2000;
        let own = Own::new("threads");
        thread::scope(|scope| {
            for name in ["a", "b"] {
                let path = &own.0;
                scope.spawn(move || {
                    for number in 0..EACH {
                        // Long lines of one letter show every mixture.
                        let line = line(&name.repeat(300), &format!("{name}{number}"));
                        append(path, &line).expect("it can be written");
                    }
                });
            }
        });
        let lines = own.lines();
        assert_eq!(lines.len(), 2 * EACH);
        let expected: BTreeSet<String> = ["a", "b"]
            .iter()
            .flat_map(|name| {
                (0..EACH).map(move |number| format!("{}\t{name}{number}", name.repeat(300)))
            })
            .collect();
        assert_eq!(lines.into_iter().collect::<BTreeSet<_>>(), expected);
    }

    #[test]
    fn the_name_of_a_test_is_that_of_its_thread() {
        assert!(
            test_name().ends_with("not_checked::tests::the_name_of_a_test_is_that_of_its_thread"),
            "{}",
            test_name()
        );
        let elsewhere = thread::spawn(test_name).join().expect("it has a name");
        assert!(!elsewhere.contains("the_name"), "{elsewhere}");
    }
}
