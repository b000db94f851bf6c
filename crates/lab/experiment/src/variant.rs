//! What is compared: a way to build, start, await and stop a system, or just an environment.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::command::Command;
use crate::error::Place;
use crate::machine::Machine;
use crate::scope::{Scope, Visitor, visit_list};
use crate::system::{
    Ready, ReadyTable, Stop, StopTable, SystemTable, commands_of_life, visit_life,
};

/// A table under `[variants]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Variant {
    /// Starts the system under test. Without it there is nothing to bring up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Command>,
    /// Commands of this variant that are strings are run by `sh -c`.
    pub shell: bool,
    /// How to see that the system is ready. Without it, ready is as soon as it is started.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ReadyTable>")]
    pub ready: Option<Ready>,
    /// How the system is stopped.
    #[schemars(with = "StopTable")]
    pub stop: Stop,
    /// Makes a variant `NAME-VALUE` of each of these values, in which `{each}` stands for the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) each: Option<Vec<String>>,
    /// Several systems by their names, in place of the one of `start`, `ready` and `stop`.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub systems: IndexMap<String, SystemTable>,
    /// Environment variables on top of the clean set: of the system, or of the workload where no system is started.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub env: IndexMap<String, String>,
    /// Placeholders with their values, to be used in all commands, also in those of the workloads.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub vars: IndexMap<String, String>,
    /// Commands whose output is recorded as the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Versions>,
    /// Further files whose hash is recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// How the variant is built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
    /// Settings of the machine for the runs of this variant. Takes `--allow-machine-settings`.
    #[serde(skip_serializing_if = "Machine::is_empty")]
    pub machine: Machine,
}

/// One command or a list of commands whose output is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a command (a list of arguments, or a string with shell = true) or a list of commands"
)]
pub enum Versions {
    /// One command.
    One(Command),
    /// Several.
    Several(Vec<Command>),
}

impl Versions {
    /// The commands, in order.
    pub fn commands(&self) -> &[Command] {
        match self {
            Self::One(command) => std::slice::from_ref(command),
            Self::Several(commands) => commands,
        }
    }
}

/// The table `[variants.NAME.build]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Build {
    /// Compiles the variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Command>,
    /// Directory in which the commands run, relative to the experiment file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Object files in link order: patterns relative to `directory`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<String>,
    /// Links the program; the argument `{objects}` is replaced by the object files in their new order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<Command>,
    /// Gap behind each object in bytes, for the layout `gap`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<u32>,
}

impl Variant {
    /// Visits all strings that are templates, except `vars`, which define rather than use.
    pub(crate) fn visit_templates<E>(
        &mut self,
        place: &Place,
        visit: &mut Visitor<'_, E>,
    ) -> Result<(), E> {
        let system = Scope::System;
        let (start, ready) = (self.start.as_mut(), self.ready.as_mut());
        visit_life(start, ready, &mut self.stop, system, place, visit)?;
        for (name, table) in &mut self.systems {
            let place = place.key("systems").key(name);
            table.visit_templates(Scope::NamedSystem, &place, visit)?;
        }
        for (name, value) in &mut self.env {
            visit(&place.key("env").key(name), system, value)?;
        }
        if let Some(versions) = &mut self.version {
            let place = place.key("version");
            match versions {
                Versions::One(command) => command.visit(&place, Scope::Build, visit)?,
                Versions::Several(commands) => {
                    for (index, command) in commands.iter_mut().enumerate() {
                        command.visit(&place.index(index), Scope::Build, visit)?;
                    }
                }
            }
        }
        visit_list(&mut self.files, &place.key("files"), Scope::Build, visit)?;
        if let Some(build) = &mut self.build {
            build.visit_templates(&place.key("build"), visit)?;
        }
        self.machine.visit_templates(&place.key("machine"), visit)
    }

    /// All commands with their places.
    pub(crate) fn commands<'a>(&'a self, place: &Place) -> Vec<(Place, &'a Command)> {
        let (start, ready) = (self.start.as_ref(), self.ready.as_ref());
        let mut commands = commands_of_life(start, ready, &self.stop, place);
        for (name, table) in &self.systems {
            commands.extend(table.commands(&place.key("systems").key(name)));
        }
        match &self.version {
            Some(Versions::One(command)) => commands.push((place.key("version"), command)),
            Some(Versions::Several(several)) => commands.extend(
                several
                    .iter()
                    .enumerate()
                    .map(|(index, c)| (place.key("version").index(index), c)),
            ),
            None => {}
        }
        if let Some(build) = &self.build {
            let place = place.key("build");
            let steps = [("command", &build.command), ("link", &build.link)];
            let named =
                |(key, step): (_, &'a Option<Command>)| Some((place.key(key), step.as_ref()?));
            commands.extend(steps.into_iter().filter_map(named));
        }
        commands
    }
}

impl Build {
    fn visit_templates<E>(&mut self, place: &Place, visit: &mut Visitor<'_, E>) -> Result<(), E> {
        if let Some(command) = &mut self.command {
            command.visit(&place.key("command"), Scope::Build, visit)?;
        }
        if let Some(directory) = &mut self.directory {
            visit(&place.key("directory"), Scope::Build, directory)?;
        }
        visit_list(
            &mut self.objects,
            &place.key("objects"),
            Scope::Build,
            visit,
        )?;
        if let Some(command) = &mut self.link {
            command.visit(&place.key("link"), Scope::Link, visit)?;
        }
        Ok(())
    }
}
