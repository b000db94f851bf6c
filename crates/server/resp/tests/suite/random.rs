//! Random requests, whole and damaged.

use perflab_resp::write_request;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Bytes that mean something in a request.
const SPECIAL: &[u8] = b"\r\n\r\n*$ \"'\\\0\t\x0b-+0123x\xff";

/// The random numbers of a test.
pub fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A request.
pub fn request(arguments: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    write_request(arguments.iter().copied(), &mut out);
    out
}

/// Some requests, of which about half are damaged.
pub fn requests(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut input = Vec::new();
    for _ in 0..rng.random_range(1..=4) {
        match rng.random_range(0..8) {
            0 => input.extend_from_slice(b"*0\r\n"),
            1 => input.extend_from_slice(b"\r\n"),
            2..=4 => {
                let word = word(rng);
                input.extend(request(&[b"ECHO", &word]));
            }
            _ => {
                input.extend_from_slice(b"ECHO ");
                input.extend(quoted(rng));
                input.extend_from_slice(b"\r\n");
            }
        }
    }
    if rng.random_bool(0.5) {
        for _ in 0..rng.random_range(1..=3) {
            damage(rng, &mut input);
        }
    }
    input
}

/// Some bytes, of which many are special.
fn word(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let length = rng.random_range(0..30);
    (0..length)
        .map(|_| {
            if rng.random_bool(0.3) {
                *SPECIAL.choose(rng).unwrap()
            } else {
                rng.random_range(b'a'..=b'z')
            }
        })
        .collect()
}

/// The same in quotes, or in none. What is within may close them.
fn quoted(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut word = word(rng);
    word.retain(|byte| !matches!(byte, b'\n' | b'\0'));
    let quote: &[u8] = [&b"\""[..], b"'", b""].choose(rng).unwrap();
    if rng.random_bool(0.7) {
        word.retain(|byte| !matches!(byte, b'"' | b'\'' | b'\\'));
    }
    [quote, &word, quote].concat()
}

/// One byte that is another one, missing or too many; or the end is missing.
fn damage(rng: &mut ChaCha8Rng, input: &mut Vec<u8>) {
    if input.is_empty() {
        return;
    }
    let place = rng.random_range(0..input.len());
    let special = *SPECIAL.choose(rng).unwrap();
    match rng.random_range(0..4) {
        0 => input[place] = special,
        1 => input.insert(place, special),
        2 => {
            input.remove(place);
        }
        _ => input.truncate(place),
    }
}
