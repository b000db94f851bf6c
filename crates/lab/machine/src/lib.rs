//! What machine this is, as measured; and the lock that gives it to one laboratory at a time.
//!
//! [`MachineFacts::take`] reads the settings that decide how fast a program runs, [`Load::take`] the
//! few counters worth reading before and after every run, [`Executable::of`] says which program a
//! name stands for. All of them read files below a root that is a parameter, and what cannot be
//! read is `None`: a machine that hides its settings is described by less, not refused.
//!
//! [`doctor`] judges all of that for somebody who wants to measure.
//!
//! [`tune`] changes settings for a while and puts them back. [`MachineLock`] keeps two laboratories from measuring each other.

mod clock;
mod confinement;
mod cores;
mod cpu;
mod cpu_list;
mod differences;
pub mod doctor;
mod executable;
mod facts;
mod frequency;
mod kernel;
mod load;
mod lock_file;
mod machine_lock;
mod memory;
mod moment;
mod source;
pub mod tune;

pub use clock::Clock;
pub use confinement::{Confinement, CpuQuota};
pub use cores::cores;
pub use cpu::Cpu;
pub use differences::Difference;
pub use executable::{
    Executable, ExecutableError, interpreter, is_executable, places_in_path, resolve_in_path,
};
pub use facts::MachineFacts;
pub use frequency::Frequency;
pub use kernel::Kernel;
pub use load::{Load, steal_share};
pub use lock_file::{Holder, LockFile, LockFileError};
pub use machine_lock::{LockError, MachineLock};
pub use memory::Memory;
pub use moment::Moment;
