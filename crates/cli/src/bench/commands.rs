//! The commands of `perflab bench`, expanded over parameters.

use perflab_experiment::counted;

use super::arguments::{BenchArguments, Output};
use super::command_line::empty;
use super::parameters::parameters;
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
