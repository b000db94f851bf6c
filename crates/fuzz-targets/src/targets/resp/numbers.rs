//! Numbers come back from their texts.

use perflab_resp::{double, integer};

pub fn check(input: &[u8]) {
    if let Some(number) = integer::parse(input) {
        let mut text = Vec::new();
        integer::write(number, &mut text);
        assert_eq!(text, input, "a number has one text");
    }
    if let Some(number) = double::parse(input) {
        comes_back(number);
    }
    for bytes in input.chunks_exact(8) {
        let bits = u64::from_le_bytes(bytes.try_into().expect("there are eight"));
        comes_back(f64::from_bits(bits));
    }
}

fn comes_back(number: f64) {
    let text = double::text(number);
    let back = double::parse(text.as_bytes()).map(f64::to_bits);
    if number.is_nan() {
        assert_eq!(back, None);
    } else {
        assert_eq!(back, Some(number.to_bits()));
    }
}
