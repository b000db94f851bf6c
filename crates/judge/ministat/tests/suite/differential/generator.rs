//! Random calls of the tool, most of them with something odd about them.

use super::content::{Layout, Scale, content};
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// One call of the tool: arguments, files to be found in the current directory, standard input. All are bytes.
#[derive(Debug)]
pub struct Case {
    pub arguments: Vec<Vec<u8>>,
    pub files: Vec<(Vec<u8>, Vec<u8>)>,
    pub stdin: Vec<u8>,
}

pub fn case(rng: &mut ChaCha8Rng) -> Case {
    let layout = Layout {
        column: if rng.random_bool(0.6) {
            1
        } else {
            rng.random_range(1..=4)
        },
        delimiters: choose(
            rng,
            &[
                b" \t", b" \t", b" \t", b",", b",;", b";\t ", b"|", b"#,", b"x", b"\xff,", b" ",
            ],
        )
        .to_vec(),
        faults: rng.random_bool(0.1),
        special_values: rng.random_bool(0.12),
    };
    let scale = Scale::random(rng);
    let count = *[1, 1, 2, 2, 2, 2, 3, 3, 4, 5, 6, 7].choose(rng).unwrap();
    let names: [&[u8]; 9] = [
        b"a",
        b"b",
        b"with space",
        b"\xff\xfe",
        b"#c",
        b"d.txt",
        b"-e",
        b"sub/f",
        b"%s%n",
    ];
    let mut files = Vec::new();
    let mut words: Vec<Vec<u8>> = Vec::new();
    for name in names.choose_multiple(rng, count) {
        files.push((name.to_vec(), content(rng, &layout, &scale)));
        words.push(name.to_vec());
    }
    if rng.random_bool(0.1) {
        words.clear();
    }
    if rng.random_bool(0.1) && !words.is_empty() {
        let at = rng.random_range(0..words.len());
        words[at] = choose(
            rng,
            &[b"-", b"-", b"none", b"", b".", b"a/b", b"/dev/null", b"sub"],
        )
        .to_vec();
    }
    if rng.random_bool(0.05) {
        words.extend(vec![b"a".to_vec(); rng.random_range(1..8)]);
    }
    let stdin = content(rng, &layout, &scale);
    Case {
        arguments: arguments(rng, &layout, words),
        files,
        stdin,
    }
}

fn arguments(rng: &mut ChaCha8Rng, layout: &Layout, names: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut options: Vec<(u8, Option<Vec<u8>>)> = Vec::new();
    for (letter, probability) in [(b'A', 0.15), (b'n', 0.1), (b's', 0.3)] {
        if rng.random_bool(probability) {
            options.push((letter, None));
        }
    }
    if layout.column != 1 || rng.random_bool(0.1) {
        let column = layout.column.to_string().into_bytes();
        options.push((
            b'C',
            Some(or_odd(
                rng,
                column,
                &[
                    b"0",
                    b"-1",
                    b"x",
                    b"2x",
                    b"",
                    b" 1",
                    b"+2",
                    b"99",
                    b"4294967297",
                    b"99999999999999999999",
                ],
            )),
        ));
    }
    if layout.delimiters != b" \t" || rng.random_bool(0.05) {
        let delimiters = layout.delimiters.clone();
        options.push((
            b'd',
            Some(or_odd(
                rng,
                delimiters,
                &[b"", b"1", b".", b"\n", b"e", b"0x"],
            )),
        ));
    }
    for _ in 0..*[0, 0, 1, 1, 2].choose(rng).unwrap() {
        let level = choose(rng, &[b"80", b"90", b"95", b"98", b"99", b"99.5"]).to_vec();
        options.push((
            b'c',
            Some(or_odd(
                rng,
                level,
                &[
                    b"97", b"", b"x", b"95x", b"0x5f", b" 9.8e1", b"nan", b"95 ", b"1e999",
                ],
            )),
        ));
    }
    if rng.random_bool(0.5) {
        let width = if rng.random_bool(0.8) {
            rng.random_range(2..130)
        } else {
            rng.random_range(2..9)
        };
        let odd: [&[u8]; 13] = [
            b"0",
            b"0",
            b"1",
            b"2",
            b"3",
            b"-5",
            b"",
            b"abc",
            b"40x",
            b" 33",
            b"4294967336",
            b"99999999999999999999",
            b"20000",
        ];
        options.push((
            b'w',
            Some(or_odd(rng, width.to_string().into_bytes(), &odd)),
        ));
    }
    if rng.random_bool(0.02) {
        options.push((
            *[b'x', b'?', b':', b';', b'-', b'W', 0xff, b'h']
                .choose(rng)
                .unwrap(),
            None,
        ));
    }

    let mut words = cluster(rng, options);
    if rng.random_bool(0.02) {
        words.push(choose(rng, &[b"-C", b"-sc", b"--help", b"-d"]).to_vec());
    }
    let dashes_needed = names
        .iter()
        .any(|name| name.starts_with(b"-") && name.len() > 1);
    if dashes_needed && rng.random_bool(0.95) || rng.random_bool(0.05) {
        words.push(b"--".to_vec());
        words.extend(names);
    } else if rng.random_bool(0.2) {
        // Options may stand behind names.
        words = names.into_iter().chain(words).collect();
    } else {
        words.extend(names);
    }
    words
}

/// Joins options into words, as `-s -w 40`, `-s -w40`, `-sw 40` or `-sw40`.
fn cluster(rng: &mut ChaCha8Rng, options: Vec<(u8, Option<Vec<u8>>)>) -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut open = false;
    for (letter, argument) in options {
        match words.last_mut() {
            Some(word) if open && rng.random_bool(0.5) => word.push(letter),
            _ => words.push(vec![b'-', letter]),
        }
        open = argument.is_none();
        if let Some(argument) = argument {
            match words.last_mut() {
                Some(word) if rng.random_bool(0.5) && !argument.is_empty() => word.extend(argument),
                _ => words.push(argument),
            }
        }
    }
    words
}

fn or_odd(rng: &mut ChaCha8Rng, usual: Vec<u8>, odd: &[&[u8]]) -> Vec<u8> {
    if rng.random_bool(0.06) {
        choose(rng, odd).to_vec()
    } else {
        usual
    }
}

pub fn choose<'a>(rng: &mut ChaCha8Rng, texts: &[&'a [u8]]) -> &'a [u8] {
    texts.choose(rng).unwrap()
}
