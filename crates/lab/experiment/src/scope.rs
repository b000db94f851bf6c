//! Where a template is used, and what a run fills there.

use crate::command::Command;
use crate::design::Lifetime;
use crate::error::Place;

/// Where a template is used, which decides what a run can put into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Before the first run, when nothing is built.
    Before,
    /// While a variant is built, or looked at before any system runs.
    Build,
    /// While settings of the machine are looked at, before anything of a run is there.
    Machine,
    /// While its objects are linked.
    Link,
    /// While its system is started, runs, and is stopped.
    System,
    /// The same of one of several systems.
    NamedSystem,
    /// While a workload runs.
    Load,
    /// The same of what is executed in each of its slices.
    Slice,
}

/// All names that a run can fill, in any scope.
pub(crate) const RUN_TIME_NAMES: [&str; 8] = [
    "port",
    "dir",
    "run",
    "build",
    "experiment",
    "objects",
    "slice",
    "slices",
];

/// Whether a placeholder of this name may have an argument, as `{port:master}` and `{slice:1000}` do.
pub(crate) fn takes_argument(name: &str) -> bool {
    ["port", "slice"].contains(&name)
}

impl Scope {
    /// The names that a run fills here.
    pub(crate) fn names(self, lifetime: Lifetime) -> &'static [&'static str] {
        match (self, lifetime) {
            (Self::Machine, _) => &[],
            (Self::Before, _) => &["experiment"],
            (Self::Build, _) => &["build", "experiment"],
            (Self::Link, _) => &["build", "experiment", "objects"],
            // A system that outlives a run belongs to no run's directory.
            (Self::System, Lifetime::Block | Lifetime::Experiment) => {
                &["port", "dir", "build", "experiment"]
            }
            (Self::NamedSystem, Lifetime::Block | Lifetime::Experiment) => {
                &["port", "dir", "build", "experiment", "system", "index"]
            }
            (Self::NamedSystem, _) => &[
                "port",
                "dir",
                "run",
                "build",
                "experiment",
                "system",
                "index",
            ],
            (Self::System | Self::Load, _) => &["port", "dir", "run", "build", "experiment"],
            (Self::Slice, _) => &[
                "port",
                "dir",
                "run",
                "build",
                "experiment",
                "slice",
                "slices",
            ],
        }
    }
}

/// Called with each template's place, scope and text.
pub(crate) type Visitor<'a, E> = dyn FnMut(&Place, Scope, &mut String) -> Result<(), E> + 'a;

impl Command {
    pub(crate) fn visit<E>(
        &mut self,
        place: &Place,
        scope: Scope,
        visit: &mut Visitor<'_, E>,
    ) -> Result<(), E> {
        match (self.shell, self.argv.as_mut_slice()) {
            (true, [line]) => visit(place, scope, line),
            (_, argv) => visit_list(argv, place, scope, visit),
        }
    }
}

pub(crate) fn visit_list<E>(
    list: &mut [String],
    place: &Place,
    scope: Scope,
    visit: &mut Visitor<'_, E>,
) -> Result<(), E> {
    for (index, text) in list.iter_mut().enumerate() {
        visit(&place.index(index), scope, text)?;
    }
    Ok(())
}
