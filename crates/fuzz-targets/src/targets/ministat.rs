//! Any bytes as the standard input of ministat, with options from the first line, compared with a file
//! of good numbers.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::sync::LazyLock;

use perflab_ministat::{ParseOptions, parse, parse_number};

use crate::shared::{directory, first_line};

/// A plot may be as wide as memory allows: with so many digits it stays small.
const MOST_DIGITS: usize = 3;

static GOOD: LazyLock<OsString> = LazyLock::new(|| {
    let path = directory().join("good");
    fs::write(&path, "48.1 1\n47.2 2\n47.9 3\n33.1 4\n48.0 5\n").expect("a file can be written");
    path.into_os_string()
});

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let (words, data) = first_line(input);
    whole_program(words, data);

    for column in [1, 2] {
        let options = ParseOptions {
            column,
            ..ParseOptions::default()
        };
        match parse(data, &options) {
            Ok(set) => {
                assert!(set.count() >= 3);
                if set.sorted().iter().all(|value| value.is_finite()) {
                    assert!(set.min() <= set.median() && set.median() <= set.max());
                    assert!(set.sorted().is_sorted());
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    let number = parse_number(words);
    if let Ok(decimal) = String::from_utf8_lossy(words).parse::<f64>()
        && decimal.is_finite()
    {
        assert_eq!(number, Some(decimal));
    }
    true
}

fn whole_program(words: &[u8], mut data: &[u8]) {
    // Words without a dash would name files; a dash alone is the standard input.
    let arguments: Vec<OsString> = words
        .split(|&byte| byte == b' ')
        .filter(|word| word.len() > 1 && word[0] == b'-' && *word != b"--")
        .filter(|word| word.iter().filter(|byte| byte.is_ascii_digit()).count() <= MOST_DIGITS)
        .map(|word| OsString::from_vec(word.to_vec()))
        .chain([GOOD.clone(), OsString::from("-")])
        .collect();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let code = perflab_ministat::run(&arguments, &mut data, &mut stdout, &mut stderr, None);
    match code {
        0 => assert!(!stdout.is_empty() && stderr.is_empty()),
        1 | 2 => assert!(stdout.is_empty() && !stderr.is_empty()),
        _ => panic!("exit code {code} of {arguments:?}"),
    }
}
