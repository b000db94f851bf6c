//! Executes a plan: processes, servers, pinning, limits, layout, resume.
//!
//! [`Lab`] goes through a plan and records each run. Below it, [`Process`] is one measured process:
//! in a group of its own, pinned, waited for with a deadline, accounted for; `perflab bench` uses
//! it directly. [`Keeper`] ends what was started should the laboratory die.

mod aside;
mod build;
mod cpus;
mod driver;
mod environment;
mod fault;
mod fill;
mod interrupt;
mod keeper;
mod lab;
mod listener;
mod mapping;
mod process;
mod programs;
mod ready;
mod sys;
mod system;

pub use cpus::{CpuError, cpu_set};
pub use driver::driver_of;
pub use environment::{Environment, MAX_PADDING_BYTES};
pub use fault::Fault;
pub use interrupt::Interrupt;
pub use keeper::{KEEPER_ARGUMENT, Keeper, keep};
pub use lab::{Lab, LabError, Observer};
pub use process::{Ended, Launch, LaunchError, Process, Sink, Stopped};
pub use programs::{Programs, programs};
pub use sys::{Exit, ResourceUsage, peak_memory_floor};
