//! Executes a plan: processes, servers, pinning, limits, layout, resume.

mod cpus;
mod environment;
mod interrupt;
mod keeper;
mod listener;
mod mapping;
mod process;
mod sys;

pub use cpus::{CpuError, cpu_set};
pub use environment::{Environment, MAX_PADDING_BYTES};
pub use interrupt::Interrupt;
pub use keeper::{KEEPER_ARGUMENT, Keeper, keep};
pub use process::{Ended, Launch, LaunchError, Process, Sink, Stopped};
pub use sys::{Exit, ResourceUsage, peak_memory_floor};
