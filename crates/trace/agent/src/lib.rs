//! Lives in a traced process: finds its probe sites, switches them on and off, answers on a socket.
//!
//! There are two ways in. A program links this crate and calls [`start`]. Or the shared object
//! `libperflab_preload.so` is named in `LD_PRELOAD` and starts it. Several in one process elect one: the
//! first that has the socket.
//!
//! ```text
//! socket     requests -> agent
//! objects    executables and shared objects -> their sites
//! agent      which sites are wanted, by name or by a tracer in the kernel
//! patch      sites -> other code, while the program runs
//! record     events of sites -> files that outlive the process
//! ```
//!
//! What it needs of the process: one thread with all signals blocked, that sleeps; pages for jumps, or, if
//! that is asked for, the action of SIGILL or SIGTRAP, where `patch` needs them; a socket that only its user can reach. See `docs/probes.md`.

mod agent;
mod first_thread;
mod objects;
mod patch;
mod pattern;
mod process;
mod record;
mod shown;
mod socket;

pub use process::{StartError, start, start_before_the_program};
