//! Executes a plan: processes, servers, pinning, limits, layout, resume.
//!
//! [`Lab`] goes through a plan and records each run. Below it, [`Process`] is one measured process:
//! in a group of its own, pinned, waited for with a deadline, accounted for; `perflab bench` uses
//! it directly. [`Reaper`] ends what was started should the laboratory die, [`Restorer`] puts
//! settings of the machine back.

/// What is shared with signal handlers; another set of them lets a test try every order of accesses.
mod atomics {
    pub(crate) use std::hint::spin_loop as hint;
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering, fence};
}

mod aside;
mod brand;
mod build;
mod cpus;
mod driver;
mod environment;
mod fault;
mod fill;
mod foreground;
mod interrupt;
mod job_control;
mod kept;
mod lab;
mod listener;
mod locate;
mod mapping;
mod preflight;
mod process;
mod programs;
mod ready;
mod reaper;
mod restorer;
mod standstill;
mod sys;
mod system;
mod table;

pub use cpus::{CpuError, cpu_set};
pub use driver::driver_of;
pub use environment::{Environment, MAX_PADDING_BYTES};
pub use fault::Fault;
pub use interrupt::{Interrupt, survive_file_limit};
pub use job_control::job_control;
pub use lab::{Lab, LabError, Observer};
pub use locate::locate;
pub use preflight::{Preflight, preflight, unknown_metrics};
pub use process::{Ended, Launch, LaunchError, Process, Redirect, Stopped};
pub use programs::{program_changes, programs};
pub use reaper::{REAPER_ARGUMENT, Reaper, reap};
pub use restorer::{RESTORER_ARGUMENT, Restorer, restore_settings};
pub use standstill::{MOST_ATTEMPTS, Moment, Standstill};
pub use sys::{Exit, ResourceUsage};
