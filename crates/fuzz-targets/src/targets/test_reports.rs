//! Any bytes as the report of a test runner. The first line names the format. What is read has names, times that are
//! numbers, and messages of a bounded size, and is read the same again.

use perflab_formats::{File, Kind, TestFormat, detect_tests};

use crate::shared::first_line;

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let (name, content) = first_line(input);
    let format = std::str::from_utf8(name).ok().and_then(TestFormat::by_name);
    let Some(format) = format else {
        return false;
    };
    let file = File {
        path: "file".to_owned(),
        bytes: content.to_vec(),
    };
    let _ = detect_tests(&file);
    let report = match format.read(&file) {
        Ok(report) => report,
        Err(fault) => {
            assert!(fault.to_string().starts_with("file"));
            return true;
        }
    };
    assert!(!report.tests.is_empty());
    assert!(report.notes.len() <= 101);
    // A line may end in a blank one, and a text without a line end has a line too.
    let lines = content.iter().filter(|byte| **byte == b'\n').count() + 1;
    for test in &report.tests {
        assert!(test.kind == Kind::Group || !test.name.is_empty());
        assert!(test.name.iter().all(|part| !part.is_empty()));
        assert!(test.name.iter().map(String::len).sum::<usize>() < 5000);
        assert!(
            test.seconds
                .is_none_or(|time| time.is_finite() && time >= 0.0)
        );
        let message = test.message.as_deref().unwrap_or("-");
        assert!(!message.is_empty() && message.len() < 1200, "{message}");
        assert!(test.line <= lines, "{}", test.line);
    }
    assert_eq!(format.read(&file), Ok(report));
    true
}
