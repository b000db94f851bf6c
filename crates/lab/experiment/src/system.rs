//! A system under test: what starts it, when it is ready, and how it is stopped.

use std::time::Duration;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::checked;
use crate::command::Command;
use crate::cpus::CpuList;
use crate::duration::{self, DurationText};
use crate::error::Place;
use crate::scope::{Scope, Visitor};

/// How to see that a system is ready, and how long to wait for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "ReadyTable")]
pub struct Ready {
    /// What is tried until it succeeds.
    pub check: ReadyCheck,
    /// After this time the system counts as not ready.
    pub timeout: Duration,
}

/// What shows that a system is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadyCheck {
    /// `host:port` accepts a TCP connection.
    Tcp(String),
    /// The Unix socket at this path accepts a connection.
    Unix(String),
    /// The command exits with 0.
    Command(Command),
    /// A line of the system's output matches this regular expression.
    Line(String),
}

/// [`Ready`] as it stands in the file.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Ready")]
pub(crate) struct ReadyTable {
    /// `host:port` that accepts a TCP connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tcp: Option<String>,
    /// Path of a Unix socket that accepts a connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unix: Option<String>,
    /// Command that exits with 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<Command>,
    /// Regular expression that matches a line of the system's output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<String>,
    /// How long to wait.
    #[serde(default = "ten_seconds", with = "duration")]
    #[schemars(with = "DurationText")]
    timeout: Duration,
}

fn ten_seconds() -> Duration {
    Duration::from_secs(10)
}

impl TryFrom<ReadyTable> for Ready {
    type Error = &'static str;

    fn try_from(table: ReadyTable) -> Result<Self, Self::Error> {
        let check = match (table.tcp, table.unix, table.command, table.line) {
            (Some(address), None, None, None) => ReadyCheck::Tcp(address),
            (None, Some(path), None, None) => ReadyCheck::Unix(path),
            (None, None, Some(command), None) => ReadyCheck::Command(command),
            (None, None, None, Some(pattern)) => ReadyCheck::Line(pattern),
            _ => return Err("`ready` needs exactly one of `tcp`, `unix`, `command` and `line`"),
        };
        Ok(Self {
            check,
            timeout: table.timeout,
        })
    }
}

impl From<Ready> for ReadyTable {
    fn from(ready: Ready) -> Self {
        let mut table = Self {
            tcp: None,
            unix: None,
            command: None,
            line: None,
            timeout: ready.timeout,
        };
        match ready.check {
            ReadyCheck::Tcp(address) => table.tcp = Some(address),
            ReadyCheck::Unix(path) => table.unix = Some(path),
            ReadyCheck::Command(command) => table.command = Some(command),
            ReadyCheck::Line(pattern) => table.line = Some(pattern),
        }
        table
    }
}

impl<'de> Deserialize<'de> for Ready {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        checked::table::<ReadyTable, _, _>(from)
    }
}

/// How a system is stopped, and after which time it is killed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "StopTable")]
pub struct Stop {
    /// What tells it to stop.
    pub action: StopAction,
    /// After this time it is killed.
    pub timeout: Duration,
}

/// What tells a system to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopAction {
    /// This signal.
    Signal(Signal),
    /// This command.
    Command(Command),
}

/// A signal that can tell a system to stop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Signal {
    /// SIGTERM.
    #[default]
    Term,
    /// SIGINT.
    Int,
    /// SIGHUP.
    Hup,
    /// SIGQUIT.
    Quit,
    /// SIGUSR1.
    Usr1,
    /// SIGUSR2.
    Usr2,
    /// SIGKILL.
    Kill,
}

/// [`Stop`] as it stands in the file.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Stop")]
pub(crate) struct StopTable {
    /// Signal that is sent; by default TERM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signal: Option<Signal>,
    /// Command that is run instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<Command>,
    /// After this time the system is killed.
    #[serde(default = "ten_seconds", with = "duration")]
    #[schemars(with = "DurationText")]
    timeout: Duration,
}

impl Default for Stop {
    fn default() -> Self {
        Self {
            action: StopAction::Signal(Signal::Term),
            timeout: ten_seconds(),
        }
    }
}

impl TryFrom<StopTable> for Stop {
    type Error = &'static str;

    fn try_from(table: StopTable) -> Result<Self, Self::Error> {
        let action = match (table.signal, table.command) {
            (Some(_), Some(_)) => return Err("`stop` takes a `signal` or a `command`, not both"),
            (None, Some(command)) => StopAction::Command(command),
            (signal, None) => StopAction::Signal(signal.unwrap_or_default()),
        };
        Ok(Self {
            action,
            timeout: table.timeout,
        })
    }
}

impl From<Stop> for StopTable {
    fn from(stop: Stop) -> Self {
        let (signal, command) = match stop.action {
            StopAction::Signal(signal) => (Some(signal), None),
            StopAction::Command(command) => (None, Some(command)),
        };
        Self {
            signal,
            command,
            timeout: stop.timeout,
        }
    }
}

impl<'de> Deserialize<'de> for Stop {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        checked::table::<StopTable, _, _>(from)
    }
}

/// A table under `[variants.NAME.systems]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct SystemTable {
    /// Starts the system. Needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Command>,
    /// How to see that it is ready. Without it, ready is as soon as it is started.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ReadyTable>")]
    pub ready: Option<Ready>,
    /// How it is stopped.
    #[schemars(with = "StopTable")]
    pub stop: Stop,
    /// Environment variables on top of those of the variant.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub env: IndexMap<String, String>,
    /// The CPUs it may run on. By default those of `[cpus]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<CpuList>,
    /// Systems that must be ready before it is started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// How many of it there are: `NAME-1`, `NAME-2` and so on. Without it there is one, called `NAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub count: Option<u32>,
}

impl SystemTable {
    /// Visits all strings that are templates.
    pub(crate) fn visit_templates<E>(
        &mut self,
        scope: Scope,
        place: &Place,
        visit: &mut Visitor<'_, E>,
    ) -> Result<(), E> {
        let (start, ready) = (self.start.as_mut(), self.ready.as_mut());
        visit_life(start, ready, &mut self.stop, scope, place, visit)?;
        for (name, value) in &mut self.env {
            visit(&place.key("env").key(name), scope, value)?;
        }
        Ok(())
    }

    /// All commands with their places.
    pub(crate) fn commands(&self, place: &Place) -> Vec<(Place, &Command)> {
        commands_of_life(self.start.as_ref(), self.ready.as_ref(), &self.stop, place)
    }

    /// The names of the systems that a table stands for.
    pub(crate) fn names(&self, name: &str) -> Vec<String> {
        match self.count {
            None => vec![name.to_owned()],
            Some(count) => (1..=count).map(|index| format!("{name}-{index}")).collect(),
        }
    }
}

/// Visits the templates in what starts a system, shows it ready and stops it. A variant has them itself, or its systems do.
pub(crate) fn visit_life<E>(
    start: Option<&mut Command>,
    ready: Option<&mut Ready>,
    stop: &mut Stop,
    scope: Scope,
    place: &Place,
    visit: &mut Visitor<'_, E>,
) -> Result<(), E> {
    if let Some(command) = start {
        command.visit(&place.key("start"), scope, visit)?;
    }
    if let Some(ready) = ready {
        let place = place.key("ready");
        match &mut ready.check {
            ReadyCheck::Tcp(address) => visit(&place.key("tcp"), scope, address)?,
            ReadyCheck::Unix(path) => visit(&place.key("unix"), scope, path)?,
            ReadyCheck::Command(command) => command.visit(&place.key("command"), scope, visit)?,
            ReadyCheck::Line(_) => {}
        }
    }
    if let StopAction::Command(command) = &mut stop.action {
        command.visit(&place.key("stop").key("command"), scope, visit)?;
    }
    Ok(())
}

/// The commands among the same, with their places.
pub(crate) fn commands_of_life<'a>(
    start: Option<&'a Command>,
    ready: Option<&'a Ready>,
    stop: &'a Stop,
    place: &Place,
) -> Vec<(Place, &'a Command)> {
    let mut commands = Vec::new();
    commands.extend(start.map(|command| (place.key("start"), command)));
    if let Some(ReadyCheck::Command(command)) = ready.map(|ready| &ready.check) {
        commands.push((place.key("ready").key("command"), command));
    }
    if let StopAction::Command(command) = &stop.action {
        commands.push((place.key("stop").key("command"), command));
    }
    commands
}
