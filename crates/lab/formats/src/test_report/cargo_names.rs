//! What cargo calls test programs and tests, without what changes from build to build.

use std::collections::HashMap;

use perflab_experiment::Status;

use super::gathered::group;
use super::report::Test;

/// A test program that cargo has started.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Program {
    /// The name of the crate and what it was built from: `sums`, `unittests src/lib.rs`.
    pub(super) name: [String; 2],
    /// The path of the file with its hash, which tells programs of the same name apart.
    path: String,
}

/// The program in a line `Running unittests src/lib.rs (target/debug/deps/sums-0123456789abcdef)` or `Doc-tests sums`.
/// Versions of cargo before 1.57 name the path alone.
pub(super) fn program(line: &str) -> Option<Program> {
    let line = line.trim();
    if let Some(name) = line.strip_prefix("Doc-tests ") {
        return Some(Program {
            name: [name.to_owned(), "doc-tests".to_owned()],
            path: String::new(),
        });
    }
    let rest = line.strip_prefix("Running ")?;
    let (source, path) = match rest.strip_suffix(')') {
        Some(rest) => rest.rsplit_once(" (")?,
        None => ("", rest),
    };
    let (_, file) = path.rsplit_once(['/', '\\'])?;
    let file = file.split_whitespace().next()?;
    let file = file.strip_suffix(".exe").unwrap_or(file);
    let stem = match file.rsplit_once('-') {
        Some((stem, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            stem
        }
        _ => file,
    };
    Some(Program {
        name: [stem.to_owned(), source.replace('\\', "/")],
        path: path.to_owned(),
    })
}

/// The program in a line ``error: could not compile `sums` (lib test) due to 1 previous error``.
pub(super) fn not_built(line: &str, number: usize) -> Option<Test> {
    let what = line.strip_prefix("error: could not compile `")?;
    let (package, rest) = what.split_once('`')?;
    let target = rest
        .trim_start()
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'));
    let mut name = vec![package.to_owned()];
    name.extend(target.map(|(target, _)| target.to_owned()));
    let own = group(name, Status::NoBuild.into(), number);
    Some(own.says("it could not be compiled"))
}

/// The programs of a report so far.
#[derive(Default)]
pub(super) struct Programs(HashMap<[String; 2], Vec<String>>);

impl Programs {
    /// A name that no other program of the report has: of two crates with a test `suite`, the second is `suite (2)`, as
    /// cargo starts them in the order of their packages. A program that is started again keeps its name.
    pub(super) fn name(&mut self, program: Program) -> Vec<String> {
        let paths = self.0.entry(program.name.clone()).or_default();
        let place = paths.iter().position(|path| *path == program.path);
        let place = place.unwrap_or_else(|| {
            paths.push(program.path);
            paths.len() - 1
        });
        let [stem, source] = program.name;
        let stem = match place {
            0 => stem,
            _ => format!("{stem} ({})", place + 1),
        };
        vec![stem, source]
    }
}

/// The name of a test without what libtest adds to it.
pub(super) fn without_mode(name: &str) -> &str {
    [" - should panic", " - compile fail", " - compile"]
        .into_iter()
        .find_map(|mode| name.strip_suffix(mode))
        .unwrap_or(name)
}

/// The item and the line of an example in documentation: `src/lib.rs - sum (line 9)`.
pub(super) fn example(name: &str) -> Option<(&str, u64)> {
    let (item, line) = name.strip_suffix(')')?.rsplit_once(" (line ")?;
    Some((item, line.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_names_without_hashes() {
        let named = |line: &str| program(line).map(|program| program.name.join("|"));
        let hash = "0123456789abcdef";
        for (line, name) in [
            (
                format!("     Running unittests src/lib.rs (target/debug/deps/sums-{hash})"),
                "sums|unittests src/lib.rs",
            ),
            (
                format!("Running tests\\a.rs (target\\debug\\deps\\a-{hash}.exe)"),
                "a|tests/a.rs",
            ),
            (format!("Running target/debug/deps/a_b-{hash}"), "a_b|"),
            ("   Doc-tests sums".to_owned(), "sums|doc-tests"),
        ] {
            assert_eq!(named(&line).as_deref(), Some(name), "{line}");
        }
        for other in [
            "running 5 tests",
            "Running",
            "Running (",
            "Running late",
            "",
        ] {
            assert_eq!(named(other), None, "{other}");
        }
    }

    #[test]
    fn programs_of_one_name_are_counted_and_those_started_again_are_not() {
        let mut programs = Programs::default();
        let mut name = |hash: &str| {
            let line = format!("Running tests/a.rs (target/debug/deps/a-{hash})");
            programs.name(program(&line).expect("it is one")).remove(0)
        };
        let [one, two] = ["0123456789abcdef", "0123456789abcde0"];
        assert_eq!(
            [name(one), name(two), name(one), name(two)],
            ["a", "a (2)", "a", "a (2)"]
        );
    }

    #[test]
    fn examples_have_an_item_and_a_line() {
        assert_eq!(
            example("src/lib.rs - sum (line 9)"),
            Some(("src/lib.rs - sum", 9))
        );
        assert_eq!(example("tests::adds"), None);
        assert_eq!(
            without_mode("src/lib.rs - sum (line 9) - should panic"),
            "src/lib.rs - sum (line 9)"
        );
    }
}
