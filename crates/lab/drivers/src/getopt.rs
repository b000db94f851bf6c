//! A command line split the way `getopt_long` splits it, for tools that use that.

use crate::error::ArgumentError;

/// One option: its short name or `""`, its long name or `""`, both with their dashes, and whether a
/// value follows.
pub(crate) type Known = (&'static str, &'static str, bool);

/// An option that cannot be used, why, and what to do instead.
pub(crate) type Unusable = (&'static str, &'static str, &'static str);

/// A number of threads or the like that an option gives: at least one, and as many as the tool takes
/// by itself where there is no such option.
pub(crate) fn count(given: Option<i64>, usual: u32) -> u32 {
    given.map_or(usual, |number| {
        u32::try_from(number.max(1)).unwrap_or(u32::MAX)
    })
}

/// A number as C's `atoi` takes it: leading digits, 0 if there are none or too many.
pub(crate) fn atoi(text: &str) -> i64 {
    let text = text.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    sign * digits[..end].parse::<i64>().unwrap_or(0)
}

/// The command line with these words behind all its options, where they count.
pub(crate) fn with(args: &[String], words: &[String]) -> Vec<String> {
    let end = args.iter().position(|word| word == "--");
    let (options, rest) = args.split_at(end.unwrap_or(args.len()));
    [options, words, rest].concat()
}

/// Refuses the first of these options that is there.
///
/// # Errors
/// Names the option and what to do instead.
pub(crate) fn refuse(
    driver: &'static str,
    options: &Options<'_>,
    unusable: &[Unusable],
) -> Result<(), ArgumentError> {
    match unusable.iter().find(|(option, ..)| options.has(option)) {
        None => Ok(()),
        Some((option, reason, advice)) => {
            Err(ArgumentError::new(driver, *option, *reason, *advice))
        }
    }
}

/// The options of one call that are known to the driver, and the words that are none.
#[derive(Debug)]
pub(crate) struct Options<'a> {
    known: &'static [Known],
    given: Vec<(Known, Option<&'a str>)>,
    /// Words that are neither options nor values of options.
    pub(crate) operands: Vec<&'a str>,
}

impl<'a> Options<'a> {
    /// Splits `args`. Options that are not in `known` are passed over, for the tool to refuse.
    ///
    /// Short options may share a word (`-ct5`), a long one may be shortened as long as it is clear,
    /// values may stand in the same word or the next, and `--` ends the options.
    pub(crate) fn of(known: &'static [Known], args: &'a [String]) -> Self {
        let mut options = Self {
            known,
            given: Vec::new(),
            operands: Vec::new(),
        };
        let mut rest = args.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            if word == "--" {
                options.operands.extend(rest);
                break;
            } else if word.starts_with("--") {
                options.long(word, &mut rest);
            } else if word.len() > 1 && word.starts_with('-') {
                options.short(&word[1..], &mut rest);
            } else {
                options.operands.push(word);
            }
        }
        options
    }

    fn long(&mut self, word: &'a str, rest: &mut impl Iterator<Item = &'a str>) {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let exact = self.known.iter().find(|(_, long, _)| *long == name);
        let mut begun = self
            .known
            .iter()
            .filter(|(_, long, _)| long.starts_with(name));
        let option = match (exact, begun.next(), begun.next()) {
            (Some(option), ..) | (None, Some(option), None) => *option,
            _ => return,
        };
        let value = match (option.2, attached) {
            (true, None) => rest.next(),
            (_, attached) => attached,
        };
        self.given.push((option, value));
    }

    fn short(&mut self, mut letters: &'a str, rest: &mut impl Iterator<Item = &'a str>) {
        while let Some(letter) = letters.chars().next() {
            letters = &letters[letter.len_utf8()..];
            let is_it = |(short, _, _): &&Known| {
                short.strip_prefix('-') == Some(letter.encode_utf8(&mut [0; 4]))
            };
            let Some(option) = self.known.iter().find(is_it) else {
                continue;
            };
            let value = match (option.2, letters) {
                (false, _) => None,
                (true, "") => rest.next(),
                (true, value) => {
                    letters = "";
                    Some(value)
                }
            };
            self.given.push((*option, value));
        }
    }

    /// Whether an option is there, by either name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(option, _)| is(*option, name))
    }

    /// The value of an option, by either name. The last one counts.
    pub(crate) fn value(&self, name: &str) -> Option<&'a str> {
        self.given
            .iter()
            .rev()
            .find(|(option, _)| is(*option, name))
            .and_then(|(_, value)| *value)
    }

    /// The value as C's `atoi` takes it.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.value(name).map(atoi)
    }
}

fn is(option: Known, name: &str) -> bool {
    !name.is_empty() && (option.0 == name || option.1 == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_lines::args;

    const KNOWN: &[Known] = &[
        ("-c", "--client", true),
        ("-R", "--reverse", false),
        ("-t", "--time", true),
        ("", "--timeout", true),
        ("", "--bidir", false),
    ];

    #[test]
    fn names_values_and_operands_are_told_apart() {
        for line in [
            "-c host -R -t 5 x",
            "-Rc host x -t5",
            "--client=host --rev x --time 5",
            "-Rchost -t5 -- x",
        ] {
            let args = args(line);
            let options = Options::of(KNOWN, &args);
            assert_eq!(options.value("-c"), Some("host"), "{line}");
            assert!(
                options.has("--reverse") && !options.has("--bidir"),
                "{line}"
            );
            assert_eq!(options.number("--time"), Some(5), "{line}");
            assert_eq!(options.operands, ["x"], "{line}");
        }
    }

    #[test]
    fn a_value_may_look_like_an_option_and_a_name_may_be_unknown() {
        let args = args("-t -R -zR --nonsense --ti 4 --timeou 3 -- -c");
        let options = Options::of(KNOWN, &args);
        assert_eq!(options.value("-t"), Some("-R"));
        assert!(options.has("-R"));
        assert_eq!(options.value("--timeout"), Some("3"));
        assert_eq!(options.operands, ["4", "-c"]);
    }

    #[test]
    fn numbers_are_read_as_atoi_reads_them() {
        for (value, number) in [
            ("12", 12),
            ("-3", -3),
            ("+4", 4),
            ("x", 0),
            ("1e6", 1),
            ("-", 0),
        ] {
            assert_eq!(atoi(value), number, "{value}");
        }
    }
}
