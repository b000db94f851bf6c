//! Names: which are allowed, and which is meant by one that is not known.

/// What a name may be, in the words of an error message.
pub(crate) const NAME_RULE: &str =
    "letters, digits, `_`, `-` and `.`, beginning with a letter or digit";

/// Whether a text can name a variant, a workload or a subset. Such names end up in paths.
pub fn is_valid(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

/// Whether a text can name an experiment.
pub fn is_valid_experiment(name: &str) -> bool {
    is_valid(name) && !name.bytes().any(|b| b.is_ascii_uppercase())
}

/// The stem of a file's name, made into a name for an experiment.
pub fn from_file(file_name: &str) -> String {
    let base = file_name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = base
        .strip_suffix(".toml")
        .unwrap_or(base)
        .to_ascii_lowercase();
    let name: String = stem
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') {
                c
            } else {
                '-'
            }
        })
        .collect();
    let name = name.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    if name.is_empty() {
        "experiment".to_owned()
    } else {
        name.to_owned()
    }
}

/// The candidate that was probably meant, if one is near.
///
/// Near is a Damerau-Levenshtein distance, case apart, of at most a third of the length: one slip
/// in a short name, two in a longer one.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let name = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| {
            (
                strsim::damerau_levenshtein(&name, &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, candidate)| {
            let length = candidate.chars().count().max(name.chars().count());
            *distance <= (length / 3).max(1) && *distance < length
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The help for an unknown name in an experiment file: the one that was probably meant, else all there are.
pub fn suggestion<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    suggestion_after("known here:", name, candidates)
}

/// The help for an unknown name: the one that was probably meant, else all there are after these words.
pub fn suggestion_after<'a>(
    words: &str,
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    match (
        nearest(name, candidates.iter().copied()),
        candidates.is_empty(),
    ) {
        (Some(near), _) => Some(format!("did you mean `{near}`?")),
        (None, true) => None,
        (None, false) => Some(format!("{words} {}", list(candidates))),
    }
}

/// Names in backquotes, separated by commas; a long list is cut.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 30;
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.len().checked_sub(SHOWN) {
        Some(more @ 1..) => format!("{} and {more} more", names[..SHOWN].join(", ")),
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_near_and_another_word_is_not() {
        let keys = ["runs", "refresh", "refresh_every", "timeout", "variants"];
        assert_eq!(nearest("run", keys), Some("runs"));
        assert_eq!(nearest("Runs", keys), Some("runs"));
        assert_eq!(nearest("time_out", keys), Some("timeout"));
        assert_eq!(nearest("refersh", keys), Some("refresh"));
        assert_eq!(nearest("variant", keys), Some("variants"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(
            nearest("b", ["a", "c"]),
            None,
            "a wholly different letter is no slip"
        );
    }

    #[test]
    fn a_file_name_gives_a_valid_name() {
        assert_eq!(from_file("experiments/redis-suite.toml"), "redis-suite");
        assert_eq!(from_file("My Test.v2.toml"), "my-test.v2");
        assert_eq!(from_file(".toml"), "experiment");
        assert_eq!(from_file("-"), "experiment");
        assert_eq!(from_file("dir/"), "experiment");
        for file in ["a.toml", "Ä b.toml", "<stdin>", "../x", ""] {
            assert!(is_valid_experiment(&from_file(file)), "{file}");
        }
    }

    #[test]
    fn names_that_would_be_odd_paths_are_refused() {
        for name in ["", ".", "..", ".a", "-a", "a/b", "a b", "ä"] {
            assert!(!is_valid(name), "{name}");
        }
        assert!(is_valid("redis-7.2_a"));
    }
}
