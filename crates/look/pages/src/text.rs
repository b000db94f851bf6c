//! Text of others, as it may be on a page.

use perflab_plot::clean;

/// Longer texts are cut: nobody reads them, and pages get slow.
const MOST: usize = 2000;

/// Text of others, as it may stand on a page. (What HTML escapes is left to HTML.)
pub(crate) fn say(text: &str) -> String {
    if text.len() <= MOST {
        return clean(text);
    }
    let kept: String = text.chars().take(MOST).collect();
    if kept.len() == text.len() {
        return clean(text);
    }
    format!("{}… ({} bytes in all)", clean(&kept), text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_letters() {
        let long = "ä".repeat(3000);
        let said = say(&long);
        assert!(said.ends_with("… (6000 bytes in all)"), "{said}");
        assert!(said.len() < 5000);
        assert_eq!(say("a\u{202e}b"), "a\\u{202e}b");
    }
}
