//! `perflab init`: writes an experiment file to begin with.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use perflab_drivers::most_slices;
use perflab_experiment::{Experiment, TOOLS};
use perflab_report::operand;

use crate::failure::{Code, Failure, is_disk_full};
use crate::terminal;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  perflab init 'sort lines' 'sort --parallel=1 lines'\n  \
perflab init -o redis.toml --server 'redis-server --port {port}' 'redis-benchmark -p {port}'"
)]
pub struct InitArguments {
    /// Ways to do the same thing, the baseline first. One alone is compared with itself until you
    /// change something. With --server: the one command that puts load on the servers.
    #[arg(value_name = "COMMAND", required = true)]
    commands: Vec<String>,

    /// Starts a server to be compared; may be given several times, the baseline first. `{port}`
    /// stands for a free TCP port, `{dir}` for a fresh directory.
    #[arg(long, value_name = "COMMAND")]
    server: Vec<String>,

    /// The file to write; `-` is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "experiment.toml")]
    output: PathBuf,
}

/// Executes the command.
pub fn init(arguments: &InitArguments) -> Result<Option<Code>, Failure> {
    if !arguments.server.is_empty() && arguments.commands.len() > 1 {
        return Err(Failure::usage(format!(
            "with --server there is one command that puts load on the servers, found {}",
            arguments.commands.len()
        )));
    }
    let text = text(arguments)?;
    let to_stdout = arguments.output == Path::new("-");
    let name = if to_stdout {
        "experiment.toml".to_owned()
    } else {
        arguments.output.display().to_string()
    };
    // Whatever is written here can be run: what makes no experiment is refused with its place.
    Experiment::parse(&text, &name).map_err(Failure::usage)?;
    if to_stdout {
        terminal::print(&text)?;
        return Ok(None);
    }
    let file = arguments.output.display();
    create(&arguments.output, &text).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::usage(format!(
            "{file} is there already; name another file with -o"
        )),
        _ if is_disk_full(&error) => Failure::disk_full(format!("cannot write {file}: {error}")),
        _ => Failure::usage(format!("cannot write {file}: {error}")),
    })?;
    terminal::say(&format!(
        "{file} written; look into it, then: perflab run {} --dry-run",
        operand(&arguments.output)
    ));
    Ok(None)
}

/// Writes a file that was not there. It is not there either if it cannot be written to its end.
fn create(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all());
    if written.is_err() {
        let _stays = fs::remove_file(path);
    }
    written
}

fn text(arguments: &InitArguments) -> Result<String, Failure> {
    let mut lines = arguments.commands.iter().chain(&arguments.server);
    if lines.any(|line| line.trim().is_empty()) {
        return Err(Failure::usage("a command is empty"));
    }
    let (variants, workload) = match (arguments.server.as_slice(), arguments.commands.as_slice()) {
        ([], [command]) => (changed_by_hand(), load(command, false)),
        ([], commands) => (by_command(commands), any_command("{command}")),
        (servers, [command, ..]) => (by_server(servers)?, load(command, true)),
        (_, []) => return Err(Failure::usage("there is no command")),
    };
    let head = HEAD.replace("LAYOUT", &layout(arguments));
    Ok(format!("{head}\n{}\n\n{workload}", variants.trim_end()))
}

/// Slices of a run, if its tool can cut its work into so many, and the fewest that are proposed.
const SLICES: u32 = 40;
const FEWEST: u32 = 5;

/// The most slices, up to [`SLICES`], into which a tool cuts the work that these arguments ask for.
fn slices(tool: &str, args: &[String]) -> Option<u32> {
    let driver = perflab_drivers::tool(tool)?;
    let can_cut = |count| driver.slices(args, count).is_ok();
    can_cut(FEWEST).then(|| most_slices(FEWEST, SLICES, can_cut))
}

/// How runs are laid out: servers take turns, which shows smaller differences where the machine's speed changes.
fn layout(arguments: &InitArguments) -> String {
    const BLOCK: &str = "block = 3            # runs of each variant within a block, which divides `runs`; \
                         the order in a block is random";
    const BOTH: &str = "block = 3            # runs of each variant within a block, which divides `runs`; \
                        the order in a block is random\n# slices = 40        # instead of `block`: servers take turns \
                        within a run; the load must be enough for so many, or say its share with {slice:AMOUNT}";
    // Servers on one port cannot be up at the same time.
    let has_port = |server: &String| server.contains("{port}");
    if arguments.server.is_empty() || !arguments.server.iter().all(has_port) {
        return BLOCK.to_owned();
    }
    let tool = arguments.commands.first().and_then(|command| tool(command));
    match tool.and_then(|(tool, args)| slices(tool, &args)) {
        Some(slices) => format!(
            "slices = {slices:<10}  # servers of a block take turns in so many slices of each run; \
             `perflab doctor --noise`\n                     # tells their best length"
        ),
        None => BOTH.to_owned(),
    }
}

const HEAD: &str = r#"# What is compared, and how. All keys are explained in docs/experiment-file.md.
#   perflab run FILE --dry-run      the plan and its time limits
#   perflab run FILE                measures
#   perflab compare RESULT          the verdict
# question = "What do you want to know? It is printed above the report."

[design]
runs = 30            # of each variant. More runs show smaller differences
LAYOUT
# margin = "1%"      # differences below this do not matter to you: makes the verdict `same` possible
timeout = "10m"      # of one run; what takes longer is ended and has no numbers
# limit = "1h"       # of all; `perflab run FILE --resume` goes on later

# [cpus]             # pinned processes disturb each other less
# system = [0]
# load = [1]
"#;

/// One command, to be compared with itself until somebody changes a variant.
fn changed_by_hand() -> String {
    r#"# Both variants are the same so far: nothing can differ, and the verdict will be `not proven`.
# Change the second one: `env` sets variables, `vars` fills {placeholders} in the command below,
# `build` compiles, `start` brings up a server.
[variants.before]

[variants.after]
# env = { NAME = "value" }
"#
    .to_owned()
}

fn by_command(commands: &[String]) -> String {
    let mut text = String::from("# The first variant is the baseline.\n");
    for (name, command) in names(commands) {
        let command = quoted(&escaped(command));
        text += &format!("[variants.{name}]\nvars = {{ command = {command} }}\n\n");
    }
    text + "# The control: the baseline once more. What were found between these two would be a false alarm.\n\
            # Take it in by removing the `#` here, and with  control = \"a-again\"  under [design].\n\
            # [variants.a-again]\n"
        + &commented(&format!(
            "vars = {{ command = {} }}\n",
            quoted(&escaped(commands.first().map_or("", String::as_str)))
        ))
}

fn by_server(servers: &[String]) -> Result<String, Failure> {
    let mut text = String::from(
        "# Each server is restarted for every run, with a fresh directory {dir} and a free {port}.\n",
    );
    let mut servers = servers.to_vec();
    if let [only] = servers.as_slice() {
        text += "# Both are the same so far, and the verdict will be `not proven`: change the second one.\n";
        servers = vec![only.clone(), only.clone()];
    }
    for (name, server) in names(&servers) {
        let start = list(&words(server)?);
        let ready = if server.contains("{port}") {
            "ready = { tcp = \"127.0.0.1:{port}\" }\n"
        } else {
            "# ready = { tcp = \"127.0.0.1:{port}\" }    # without it the load begins at once\n"
        };
        text += &format!("[variants.{name}]\nstart = {start}\n{ready}\n");
    }
    Ok(text)
}

/// The workload of one command: with the driver of its tool, if there is one.
fn load(command: &str, placeholders: bool) -> String {
    let keep = |text: &str| {
        if placeholders {
            text.to_owned()
        } else {
            escaped(text)
        }
    };
    match tool(command) {
        Some((tool, args)) => {
            let hint = match tool {
                "redis-benchmark" if !says_how_much(&args) => SHORTER,
                _ => "",
            };
            let args: Vec<String> = args.iter().map(|arg| keep(arg)).collect();
            format!(
                "# docs/drivers.md says what is measured, and what this tool is known to get wrong.\n{hint}\
                 [workloads.{tool}]\ndriver = \"{tool}\"\nargs = {}\n",
                list(&args)
            )
        }
        None => any_command(&keep(command)),
    }
}

/// Advice on a call of `redis-benchmark` with nothing but its defaults.
const SHORTER: &str = r#"# Without -t and -n a run makes 100000 requests of each of about 20 types, which takes a minute or more.
# For shorter runs, choose types with -t and the requests of each with -n: "-t", "get,set", "-n", "20000"
"#;

/// Whether the arguments of `redis-benchmark` choose its request types or their number.
fn says_how_much(args: &[String]) -> bool {
    args.iter().any(|arg| arg == "-t" || arg == "-n")
}

/// The tool that a command is a plain call of, if it has a driver, and its arguments.
fn tool(command: &str) -> Option<(&'static str, Vec<String>)> {
    // What only a shell can split is no plain call of a tool.
    let mut words = shell_words::split(command).ok()?.into_iter();
    let program = words.next()?;
    let name = Path::new(&program).file_name()?.to_str()?;
    let tool = TOOLS.iter().find(|tool| **tool == name)?;
    Some((tool, words.collect()))
}

fn any_command(line: &str) -> String {
    format!(
        r#"# The command's duration and use of resources are measured; docs/drivers.md has other drivers,
# and `generic` reads metrics out of any output.
[workloads.command]
driver = "command"
shell = true
directory = "."      # of this file; without it every run gets a fresh directory of its own
command = {}
# prepare = "..."    # executed before each run, not measured
"#,
        quoted(line)
    )
}

/// `a`, `b`, ... for so many; a number behind those that have no letter left.
fn names(of: &[String]) -> impl Iterator<Item = (String, &String)> {
    let name = |index: usize| match u8::try_from(index) {
        Ok(letter @ 0..26) => char::from(b'a' + letter).to_string(),
        _ => format!("v{}", index + 1),
    };
    of.iter()
        .enumerate()
        .map(move |(index, what)| (name(index), what))
}

fn words(line: &str) -> Result<Vec<String>, Failure> {
    shell_words::split(line)
        .map_err(|error| Failure::usage(format!("cannot split `{line}` into arguments: {error}")))
}

/// With a `#` in front of every line: a text may have several.
fn commented(text: &str) -> String {
    text.lines().map(|line| format!("# {line}\n")).collect()
}

/// Braces that are no placeholders.
fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn list(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    format!("[{}]", words.join(", "))
}
