//! Readers answer any bytes with values or an error, and what was written is read back the same.

use perflab_formats::columns;
use perflab_formats::hyperfine::{
    Entry, Unit, read_json, write_asciidoc, write_csv, write_json, write_markdown, write_orgmode,
};
use proptest::prelude::*;

fn time() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        0.0..1e3,
        proptest::num::f64::POSITIVE | proptest::num::f64::SUBNORMAL
    ]
}

prop_compose! {
    fn entry()(
        command: String,
        [mean, median, user, system, min, max] in prop::array::uniform6(time()),
        stddev in prop::option::of(time()),
        times in prop::option::of(prop::collection::vec(time(), 0..5)),
        memory_usage_byte in prop::option::of(prop::collection::vec(any::<u64>(), 0..5)),
        exit_codes in prop::collection::vec(any::<Option<i32>>(), 0..5),
        metric in prop::option::of(prop::sample::select(vec!["cpu".to_owned(), "wall".to_owned()])),
        parameters in prop::collection::vec(any::<(String, String)>(), 0..4),
    ) -> Entry {
        Entry {
            command, mean, stddev, median, user, system, min, max, times, memory_usage_byte,
            exit_codes, metric, parameters: parameters.into_iter().collect(),
        }
    }
}

/// Bytes out of the pieces that real files are made of, so that readers get past the first line.
fn likely() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "{\"results\":[",
        "{\"command\":\"a\",",
        "\"mean\":",
        "1",
        "-1e308",
        "1e309",
        "]}",
        ",",
        "}",
        "nan",
        "inf",
        " ",
        "\t",
        "#",
        "\n",
        "\r\n",
        "é",
        "0.5",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat().into_bytes())
}

fn read_all(bytes: &[u8], column: usize, delimiter: &str) {
    let _ = read_json(bytes);
    if let Ok(values) = columns::read(bytes, column, delimiter) {
        assert!(!values.is_empty() && values.iter().all(|value| value.is_finite()));
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_no_harm(bytes: Vec<u8>, column in 0_usize..4, delimiter: String) {
        read_all(&bytes, column, &delimiter);
        read_all(&bytes, usize::MAX, columns::WHITE_SPACE);
    }

    #[test]
    fn likely_bytes_do_no_harm(bytes in likely(), column in 1_usize..4) {
        read_all(&bytes, column, columns::WHITE_SPACE);
    }

    #[test]
    fn numbers_come_back_from_their_column(values in prop::collection::vec(-1e75..1e75, 1..20)) {
        let text: String = values.iter().map(|value| format!("x\t{value} # y\n")).collect();
        prop_assert_eq!(columns::read(text.as_bytes(), 2, columns::WHITE_SPACE), Ok(values));
    }

    #[test]
    fn entries_come_back_from_json(entries in prop::collection::vec(entry(), 0..4)) {
        let text = write_json(&entries).unwrap();
        prop_assert_eq!(read_json(text.as_bytes()), Ok(entries));
    }

    #[test]
    fn tables_are_written_for_any_entries(entries in prop::collection::vec(entry(), 0..4)) {
        let _ = write_csv(&entries);
        for unit in [Unit::Second, Unit::Millisecond, Unit::Microsecond, Unit::automatic(&entries)] {
            for table in [write_markdown, write_asciidoc, write_orgmode] {
                prop_assert!(table(&entries, unit).is_ok());
            }
        }
    }
}
