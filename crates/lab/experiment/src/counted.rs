//! Counts in sentences.

use std::fmt::Display;

/// `1 run`, `2 runs`, `0 processes`: a count and its noun, which is given for one.
pub fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    let ending = match (count.as_str(), noun.ends_with('s')) {
        ("1", _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_no_plural() {
        assert_eq!(counted(0, "run"), "0 runs");
        assert_eq!(counted(1_u32, "run"), "1 run");
        assert_eq!(counted(1, "process"), "1 process");
        assert_eq!(counted(30_usize, "process"), "30 processes");
    }
}
