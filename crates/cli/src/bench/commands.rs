//! The commands of `perflab bench`, expanded over parameters.

use perflab_experiment::counted;
use std::ffi::OsString;

use super::arguments::{BenchArguments, Output};
use crate::failure::Failure;

/// One command to measure.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchCommand {
    /// What it is called in the output.
    pub name: String,
    /// Its name, with the parameters that its line does not show, or a name for several commands: where commands
    /// stand side by side.
    pub full_name: String,
    /// The command line, with parameters filled in.
    pub line: String,
    /// Executed before each run.
    pub prepare: Option<String>,
    /// Executed after each run.
    pub conclude: Option<String>,
    /// Executed once, first.
    pub setup: Option<String>,
    /// Executed once, last.
    pub cleanup: Option<String>,
    /// Where its output goes.
    pub output: Output,
    /// Parameters in the order of the flags.
    pub parameters: Vec<(String, String)>,
}

/// How a command line becomes a process.
#[derive(Debug, Clone, PartialEq)]
pub enum Shell {
    /// Split into words and executed directly.
    None,
    /// Given to this program and its arguments, behind `-c`.
    Through(Vec<String>),
}

impl Shell {
    /// From the flags.
    ///
    /// # Errors
    /// When the shell's own command line cannot be split into words.
    pub fn from(arguments: &BenchArguments) -> Result<Self, Failure> {
        match arguments.shell.as_str() {
            _ if arguments.no_shell => Ok(Self::None),
            "none" => Ok(Self::None),
            "default" => Ok(Self::Through(vec!["sh".to_owned()])),
            other => match shell_words::split(other) {
                Ok(words) if words.first().is_some_and(|word| !word.is_empty()) => {
                    Ok(Self::Through(words))
                }
                _ => Err(Failure::usage(format!(
                    "--shell: `{other}` is not a command"
                ))),
            },
        }
    }

    /// Program and arguments for a command line.
    ///
    /// # Errors
    /// Without a shell: when the line cannot be split into words.
    pub fn argv(&self, line: &str) -> Result<Vec<OsString>, Failure> {
        match self {
            Self::Through(shell) => Ok(shell
                .iter()
                .map(String::as_str)
                .chain(["-c", line])
                .map(Into::into)
                .collect()),
            Self::None => match shell_words::split(line) {
                Ok(words) if !words.is_empty() => Ok(words.into_iter().map(Into::into).collect()),
                Ok(_) => Err(empty()),
                Err(error) => Err(Failure::usage(format!(
                    "cannot split `{line}` into words: {error}; quote it, or leave -N out"
                ))),
            },
        }
    }
}

fn empty() -> Failure {
    Failure::usage("a command is empty".to_owned())
}

/// All commands in the order of the command line, the reference first where one is given.
///
/// # Errors
/// When flags contradict each other.
pub fn expand(arguments: &BenchArguments) -> Result<Vec<BenchCommand>, Failure> {
    if arguments.commands.iter().any(String::is_empty) {
        return Err(empty());
    }
    let combinations = parameters(arguments)?;
    let count = arguments.commands.len();
    let total = count * combinations.len();
    let referred = usize::from(arguments.reference.is_some());
    let names = Names::of(arguments, total)?;
    // A value for each command: all the same, or in their order with the reference first. Without a
    // reference one for each command line does as well, whatever its parameters are.
    let places = |flag: &str, given: usize| match given {
        0 | 1 => Ok(None),
        given if given == total + referred => Ok(Some(total + referred)),
        given if given == count && referred == 0 => Ok(Some(count)),
        given => Err(Failure::usage(format!(
            "{flag} is given {given} times for {}{}; expected once, or once per command",
            counted(total + referred, "command"),
            if referred > 0 {
                ", the --reference among them"
            } else {
                ""
            }
        ))),
    };
    let prepare = places("--prepare", arguments.prepare.len())?;
    let conclude = places("--conclude", arguments.conclude.len())?;
    let output = places("--output", arguments.output.len())?;
    // As in hyperfine: all commands for one combination of values before those for the next.
    let reference = arguments.reference.iter().map(|line| {
        let name = arguments.reference_name.as_ref().unwrap_or(line);
        (name, line, line, Vec::new())
    });
    let others = combinations.iter().flat_map(|parameters| {
        let lines = arguments.commands.iter();
        lines.map(move |line| (line, parameters.clone()))
    });
    let others = others.enumerate().map(|(place, (line, parameters))| {
        let name = names.of_command(place, count).unwrap_or(line);
        let shows = if names.are_shared(count) { name } else { line };
        (name, line, shows, parameters)
    });
    Ok(reference
        .chain(others)
        .enumerate()
        .map(|(place, (name, line, shows, parameters))| {
            let fill = |text: &String| substitute(text, &parameters);
            let own = |values: &[String], places: Option<usize>| {
                let place = places.map_or(0, |places| place % places);
                values.get(place).map(fill)
            };
            let output = output.map_or(0, |places| place % places);
            BenchCommand {
                name: fill(name),
                full_name: fill(name) + &not_in(shows, &parameters),
                line: fill(line),
                prepare: own(&arguments.prepare, prepare),
                conclude: own(&arguments.conclude, conclude),
                setup: arguments.setup.as_ref().map(fill),
                cleanup: arguments.cleanup.as_ref().map(fill),
                output: match arguments.output.get(output) {
                    _ if arguments.show_output => Output::Inherit,
                    Some(output) => output.clone(),
                    None => Output::Null,
                },
                parameters,
            }
        })
        .collect())
}

/// The values of --command-name.
struct Names<'a> {
    given: &'a [String],
    has_parameters: bool,
}

impl<'a> Names<'a> {
    /// Without parameters the last commands may go without a name; with parameters one name is for
    /// all, and several are for all commands or for all command lines.
    fn of(arguments: &'a BenchArguments, total: usize) -> Result<Self, Failure> {
        let given = arguments.command_name.as_slice();
        let has_parameters =
            arguments.parameter_scan.is_some() || !arguments.parameter_list.is_empty();
        let fits = match given.len() {
            0 | 1 => true,
            names if has_parameters => names == total || names == arguments.commands.len(),
            names => names <= total,
        };
        if !fits {
            let expected = if has_parameters {
                "expected once, or once per command"
            } else {
                "there are no more commands than that"
            };
            return Err(Failure::usage(format!(
                "--command-name is given {} for {}; {expected}",
                counted(given.len(), "time"),
                counted(total, "command")
            )));
        }
        Ok(Self {
            given,
            has_parameters,
        })
    }

    /// Whether a name is that of a command line with each of its parameters.
    fn are_shared(&self, lines: usize) -> bool {
        self.has_parameters && (self.given.len() == 1 || self.given.len() == lines)
    }

    fn of_command(&self, place: usize, lines: usize) -> Option<&'a String> {
        let place = match self.given.len() {
            1 if self.has_parameters => 0,
            given if self.has_parameters && given == lines => place % lines,
            _ => place,
        };
        self.given.get(place)
    }
}

/// Fills in the parameters, all at once: what a value contains is left as it is.
fn substitute(text: &str, parameters: &[(String, String)]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(brace) = rest.find('{') {
        let (before, from) = rest.split_at(brace);
        filled.push_str(before);
        let found = parameters.iter().find_map(|(name, value)| {
            let after = from.strip_prefix('{')?.strip_prefix(name.as_str())?;
            Some((value.as_str(), after.strip_prefix('}')?))
        });
        let (value, after) = found.unwrap_or_else(|| from.split_at(1));
        filled.push_str(value);
        rest = after;
    }
    filled + rest
}

/// The parameters that a line or a name does not mention, as ` (n = 1, m = 2)`.
fn not_in(line: &str, parameters: &[(String, String)]) -> String {
    let missing: Vec<String> = parameters
        .iter()
        .filter(|(name, _)| !line.contains(&format!("{{{name}}}")))
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    match missing.as_slice() {
        [] => String::new(),
        missing => format!(" ({})", missing.join(", ")),
    }
}

/// Every combination of parameter values; one empty combination where there are no parameters.
fn parameters(arguments: &BenchArguments) -> Result<Vec<Vec<(String, String)>>, Failure> {
    if let Some(scan) = &arguments.parameter_scan {
        let [name, low, high] = scan.as_slice() else {
            return Err(Failure::usage(
                "--parameter-scan takes VAR, MIN and MAX".to_owned(),
            ));
        };
        let step = arguments.parameter_step_size.as_deref();
        if step.is_none() && [low, high].iter().any(|end| end.contains('.')) {
            return Err(Failure::usage(format!(
                "--parameter-scan from {low} to {high} needs --parameter-step-size, as they are not whole numbers"
            )));
        }
        let values = scan_values(low, high, step.unwrap_or("1"))?;
        return Ok(values
            .into_iter()
            .map(|value| vec![(name.clone(), value)])
            .collect());
    }
    let mut combinations = vec![Vec::new()];
    for pair in arguments.parameter_list.chunks(2) {
        let [name, values] = pair else { continue };
        if combinations
            .iter()
            .flatten()
            .any(|(known, _)| known == name)
        {
            return Err(Failure::usage(format!(
                "--parameter-list names `{name}` twice"
            )));
        }
        let values = split_list(values);
        // The first variable changes fastest.
        combinations = values
            .iter()
            .flat_map(|value| {
                combinations.iter().map(move |combination: &Vec<_>| {
                    let mut combination = combination.clone();
                    combination.push((name.clone(), value.clone()));
                    combination
                })
            })
            .collect();
    }
    Ok(combinations)
}

/// Splits at commas; `\,` is a comma.
fn split_list(text: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if characters.peek() == Some(&',') => {
                characters.next();
                if let Some(value) = values.last_mut() {
                    value.push(',');
                }
            }
            ',' => values.push(String::new()),
            other => {
                if let Some(value) = values.last_mut() {
                    value.push(other);
                }
            }
        }
    }
    values
}

/// Most values of a scan: each is a command of its own.
const MOST_SCANNED: i128 = 10_000;

/// The numbers from `low` to `high`, in decimal, so that 0.1 steps do not drift.
fn scan_values(low: &str, high: &str, step: &str) -> Result<Vec<String>, Failure> {
    let parsed = [low, high, step].map(Decimal::parse);
    let [Some(low_value), Some(high_value), Some(step_value)] = parsed else {
        return Err(Failure::usage(format!(
            "--parameter-scan needs plain numbers as 1, -2 or 0.25; found {low}, {high} and step {step}"
        )));
    };
    let places = low_value
        .places
        .max(step_value.places)
        .max(high_value.places);
    let (low, high, step) = match (
        low_value.scaled(places),
        high_value.scaled(places),
        step_value.scaled(places),
    ) {
        (Some(low), Some(high), Some(step)) if step > 0 && low <= high => (low, high, step),
        (Some(_), Some(_), Some(step)) if step <= 0 => {
            return Err(Failure::usage(
                "--parameter-step-size must be greater than 0".to_owned(),
            ));
        }
        _ => {
            return Err(Failure::usage(format!(
                "--parameter-scan: the range from {low} to {high} is empty"
            )));
        }
    };
    if (high - low) / step >= MOST_SCANNED {
        return Err(Failure::usage(format!(
            "--parameter-scan makes more than {MOST_SCANNED} commands; take larger steps"
        )));
    }
    let mut values = Vec::new();
    let (mut value, mut shown) = (low, low_value.places);
    while value <= high {
        values.push(Decimal { value, places }.show(shown));
        // As in hyperfine: a sum has the digits of the longer number, but 0 adds none of its own.
        shown = match value {
            0 => step_value.places,
            _ => shown.max(step_value.places),
        };
        value += step;
    }
    Ok(values)
}

/// A number with so many digits behind the point.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Decimal {
    value: i128,
    places: u32,
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all: String = [whole, fraction].concat();
        let plain = !all.is_empty()
            && all.len() <= 18
            && all.bytes().all(|byte| byte.is_ascii_digit())
            && (whole.len() + fraction.len() + 1 == digits.len() || !digits.contains('.'));
        if !plain {
            return None;
        }
        Some(Self {
            value: sign * all.parse::<i128>().ok()?,
            places: fraction.len() as u32,
        })
    }

    fn scaled(self, places: u32) -> Option<i128> {
        self.value
            .checked_mul(10_i128.checked_pow(places - self.places)?)
    }

    fn show(self, places: u32) -> String {
        let sign = if self.value < 0 { "-" } else { "" };
        let unit = 10_i128.pow(self.places);
        let (whole, fraction) = (self.value.abs() / unit, self.value.abs() % unit);
        let mut digits = format!("{fraction:0width$}", width = self.places as usize);
        digits.truncate(places as usize);
        if digits.is_empty() {
            format!("{sign}{whole}")
        } else {
            format!("{sign}{whole}.{digits}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        bench: BenchArguments,
    }

    fn lines(arguments: &[&str]) -> Result<Vec<String>, String> {
        let line =
            Line::try_parse_from([&["bench"], arguments].concat()).map_err(|e| e.to_string())?;
        expand(&line.bench)
            .map(|commands| commands.into_iter().map(|command| command.line).collect())
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn lists_multiply() {
        let got = lines(&["-L", "a", "1,2", "-L", "b", r"x\,y,z", "t {a} {b}"]).unwrap();
        assert_eq!(got, ["t 1 x,y", "t 2 x,y", "t 1 z", "t 2 z"]);
        let got = lines(&["-L", "a", "1,2", "t {a}", "u {a}"]).unwrap();
        assert_eq!(got, ["t 1", "u 1", "t 2", "u 2"]);
    }

    #[test]
    fn scans_are_exact_in_decimal() {
        assert_eq!(
            scan_values("0", "0.3", "0.1").unwrap(),
            ["0", "0.1", "0.2", "0.3"]
        );
        assert_eq!(scan_values("-2", "2", "2").unwrap(), ["-2", "0", "2"]);
        assert_eq!(scan_values("1", "3.5", "1").unwrap(), ["1", "2", "3"]);
        for (low, high, step) in [
            ("1", "0", "1"),
            ("1", "2", "0"),
            ("a", "2", "1"),
            ("1e3", "2", "1"),
            ("0", "9e9", "1"),
            ("1", "999999999", "1"),
        ] {
            assert!(scan_values(low, high, step).is_err(), "{low} {high} {step}");
        }
    }

    #[test]
    fn prepare_is_given_once_or_per_command() {
        assert!(
            lines(&["-p", "x", "-p", "y", "a", "b", "c"])
                .unwrap_err()
                .contains("once per command")
        );
        assert!(lines(&["-p", "x", "-p", "y", "a", "b"]).is_ok());
        // Where there are parameters, each of their values makes a command.
        assert!(lines(&["-p", "x", "-p", "y", "-L", "n", "1,2", "a"]).is_ok());
        assert!(lines(&["-p", "x", "-p", "y", "-L", "n", "1,2", "a", "b"]).is_ok());
        // The reference is one of them.
        let line = [
            "bench",
            "--reference",
            "r",
            "-p",
            "x",
            "-p",
            "y",
            "-p",
            "z",
            "a",
            "b",
        ];
        let prepared: Vec<_> = expand(&Line::try_parse_from(line).unwrap().bench)
            .unwrap()
            .into_iter()
            .map(|command| format!("{} {}", command.prepare.unwrap(), command.line))
            .collect();
        assert_eq!(prepared, ["x r", "y a", "z b"]);
        assert!(lines(&["--reference", "r", "-p", "x", "-p", "y", "a", "b"]).is_err());
    }

    #[test]
    fn names_follow_the_commands() {
        let line =
            Line::try_parse_from(["bench", "-n", "first", "a {x}", "b", "-L", "x", "1,2"]).unwrap();
        let names: Vec<_> = expand(&line.bench)
            .unwrap()
            .into_iter()
            .map(|c| c.name)
            .collect();
        assert_eq!(names, ["first"; 4]);
    }

    #[test]
    fn values_are_filled_in_once() {
        let got = lines(&["-L", "a", "1{b}", "-L", "b", "2", "t {a} {b} {c} {"]).unwrap();
        assert_eq!(got, ["t 1{b} 2 {c} {"]);
    }

    #[test]
    fn parameters_that_a_line_does_not_show_are_in_its_full_name() {
        let line = Line::try_parse_from(["bench", "-L", "x", "1", "-L", "y", "-2", "a {x}"]);
        let commands = expand(&line.unwrap().bench).unwrap();
        assert_eq!(commands[0].name, "a 1");
        assert_eq!(commands[0].full_name, "a 1 (y = -2)");
    }
}
