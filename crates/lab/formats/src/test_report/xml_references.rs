//! Characters of XML that are written as references: `&lt;`, `&#65;`.

use std::borrow::Cow;

/// The beginning of a text, enough for an excerpt, with its references replaced.
pub(super) fn beginning(raw: &str) -> Cow<'_, str> {
    const ENOUGH: usize = 1 << 14;
    unescape(raw.get(..raw.floor_char_boundary(ENOUGH)).unwrap_or(raw))
}

/// Puts characters in the place of the references that XML itself has. Others stay as they are.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('&') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(start) = rest.find('&') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        match reference(rest) {
            Some((character, length)) => {
                text.push(character);
                rest = &rest[length..];
            }
            None => {
                text.push('&');
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The character of a reference at the beginning, and how many bytes that has.
fn reference(text: &str) -> Option<(char, usize)> {
    const LONGEST: usize = 12;
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let character = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => number.parse(),
            };
            char::from_u32(number.ok()?)?
        }
    };
    Some((character, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_that_xml_has_are_replaced_and_others_stay() {
        let raw = "&lt;&gt;&amp;&quot;&apos; &#65;&#x42;&#X43; &no; &; & &#xd800; &#1114112; &#aaaaaaaaaaaaaaaaaaaa;";
        let text = "<>&\"' ABC &no; &; & &#xd800; &#1114112; &#aaaaaaaaaaaaaaaaaaaa;";
        assert_eq!(unescape(raw), text);
        assert_eq!(unescape("é&"), "é&");
        assert_eq!(beginning(&"é".repeat(100_000)).len(), 1 << 14);
    }
}
