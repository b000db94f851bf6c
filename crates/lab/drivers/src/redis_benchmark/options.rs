//! The tool's command line, as far as the driver has to understand it.

use crate::getopt::atoi;

/// Options that take the next argument as their value, TLS options included.
const WITH_VALUE: [&str; 23] = [
    "-h",
    "-p",
    "-s",
    "-a",
    "--user",
    "-u",
    "-c",
    "-n",
    "-k",
    "-d",
    "-P",
    "-r",
    "-t",
    "--dbnum",
    "--precision",
    "--threads",
    "--sni",
    "--cacertdir",
    "--cacert",
    "--cert",
    "--key",
    "--tls-ciphers",
    "--tls-ciphersuites",
];

/// Options of one call, and whether a command of the user's own follows them.
#[derive(Debug)]
pub(super) struct Options<'a> {
    given: Vec<(&'a str, Option<&'a str>)>,
    /// Words before the command.
    length: usize,
    own_command: bool,
}

impl<'a> Options<'a> {
    /// Splits arguments the way the tool does: up to the first word that is neither an option nor
    /// an option's value.
    pub(super) fn of(args: &'a [String]) -> Self {
        let mut given = Vec::new();
        let mut rest = args.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            if !word.starts_with('-') {
                return Self {
                    given,
                    length: args.len() - rest.len() - 1,
                    own_command: true,
                };
            }
            let takes_value = WITH_VALUE.contains(&word);
            given.push((word, if takes_value { rest.next() } else { None }));
        }
        Self {
            given,
            length: args.len(),
            own_command: false,
        }
    }

    /// How many words there are before the command of the user's own.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Whether an option is there.
    pub(super) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(option, _)| *option == name)
    }

    /// The value of an option; the last one counts, as in the tool.
    pub(super) fn value(&self, name: &str) -> Option<&'a str> {
        self.given
            .iter()
            .rev()
            .find(|(option, _)| *option == name)
            .and_then(|(_, value)| *value)
    }

    /// The value as C's `atoi` takes it, which the tool uses.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.value(name).map(atoi)
    }

    /// Requests per test.
    pub(super) fn requests(&self) -> i64 {
        self.number("-n").unwrap_or(100_000)
    }

    /// Whether threads make the load: in cluster mode there is one for each node, asked for or not.
    pub(super) fn is_threaded(&self) -> bool {
        self.has("--cluster") || self.number("--threads").unwrap_or(0) > 0
    }

    /// Significant decimal figures of the histogram of latencies.
    pub(super) fn figures(&self) -> u32 {
        match self.number("--precision").map(u32::try_from) {
            Some(Ok(given)) => given.min(4),
            _ => 3,
        }
    }

    /// Whether a test of the built-in suite is to be run.
    pub(super) fn runs(&self, test: &str) -> bool {
        if self.own_command {
            return false;
        }
        self.value("-t").is_none_or(|tests| {
            tests
                .split(',')
                .any(|selected| selected.eq_ignore_ascii_case(test))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_lines::args;

    #[test]
    fn values_are_no_options_and_the_command_ends_them() {
        let args = args("-a -l -n 5 -n 7x SET -P 16");
        let options = Options::of(&args);
        assert!(!options.has("-l") && !options.has("-P"));
        assert_eq!(options.requests(), 7);
        assert!(!options.runs("set"));
    }

    #[test]
    fn what_is_not_given_has_no_number() {
        assert_eq!(Options::of(&args("-n")).number("-n"), None);
        assert_eq!(Options::of(&[]).requests(), 100_000);
    }

    #[test]
    fn tests_are_selected_by_whole_names_in_any_case() {
        let all = Options::of(&[]);
        assert!(all.runs("get"));
        let args = args("-t GET,mset");
        let some = Options::of(&args);
        assert!(some.runs("get") && some.runs("mset") && !some.runs("set"));
    }
}
