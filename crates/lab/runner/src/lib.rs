//! Executes a plan: processes, servers, pinning, limits, layout, resume.
//!
//! [`Lab`] goes through a plan and records each run. All that it does to a machine goes through a [`Host`];
//! `perflab bench` uses one as well. [`ThisMachine`] is the one that perflab runs on: there each process is in a group
//! of its own, pinned, waited for with a deadline and accounted for. A [`Reaper`] ends what was started should the
//! laboratory die, a [`Restorer`] puts settings of the machine back.

mod aside;
mod build;
mod counters;
mod cpus;
mod driver;
mod environment;
mod fault;
mod fill;
mod host;
mod kept;
mod lab;
mod libraries;
mod metrics;
mod observer;
mod places;
mod possible;
mod preflight;
mod programs;
mod ready;
mod remap;
mod reporter;
mod standstill;
mod system;
mod this_machine;
mod turns;
mod visible;
mod words;

pub use aside::Aside;
pub use counters::Counters;
pub use cpus::{CpuError, cpu_set, usable_cpus};
pub use driver::driver_of;
pub use environment::{Environment, MAX_PADDING_BYTES};
pub use fault::{Fault, Trouble};
pub use host::{
    Ended, Endpoint, Exit, Host, Launch, LaunchError, Listener, Process, Redirect, Relative,
    ResourceUsage, Stopped, Thread, Turn, TurnEnd,
};
pub use lab::{LEAST_ROOM_BYTES, Lab, LabError, Needed, remove_scratch};
pub use libraries::Libraries;
pub use metrics::metric_mistakes;
pub use observer::{HITS, Observation, ObservedRun, Observer};
pub use possible::impossible_cells;
pub use preflight::{Preflight, preflight};
pub use programs::{program_changes, programs};
pub use reporter::Reporter;
pub use standstill::{MOST_ATTEMPTS, Moment, Standstill};
pub use this_machine::{
    Elsewhere, Interrupt, REAPER_ARGUMENT, RESTORER_ARGUMENT, Reaper, Restorer, ThisMachine,
    job_control, reap, restore_settings, survive_file_limit,
};
pub use turns::{Seen, Turns, TurnsError, TurnsTaken};
