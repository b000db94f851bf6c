//! Any bytes as a result file of hyperfine. What is read can be written in every form, and comes back
//! from JSON.

use perflab_formats::hyperfine::{
    Unit, read_json, write_asciidoc, write_csv, write_json, write_markdown, write_orgmode,
};

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let entries = match read_json(input) {
        Ok(entries) => entries,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return true;
        }
    };
    let written = write_json(&entries).expect("what was read is finite");
    assert_eq!(read_json(written.as_bytes()).as_ref(), Ok(&entries));

    if let Ok(text) = write_csv(&entries) {
        let mut records = csv::Reader::from_reader(text.as_bytes());
        assert_eq!(
            records.records().filter(Result::is_ok).count(),
            entries.len()
        );
    }
    for unit in [
        Unit::Second,
        Unit::Millisecond,
        Unit::Microsecond,
        Unit::automatic(&entries),
    ] {
        for write in [write_markdown, write_asciidoc, write_orgmode] {
            assert!(write(&entries, unit).is_ok());
        }
    }
    true
}
