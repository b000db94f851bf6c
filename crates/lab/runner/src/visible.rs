//! Text from elsewhere in messages.

/// Text from elsewhere, fit for a message: not long, and with control characters spelt out.
pub(crate) fn visible(text: &str) -> String {
    const LONGEST: usize = 200;
    let mut shown = String::new();
    for character in text.chars().take(LONGEST) {
        match character.is_control() {
            true => shown.extend(character.escape_default()),
            false => shown.push(character),
        }
    }
    shown
}
