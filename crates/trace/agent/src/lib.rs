//! Lives in a traced process: finds its probe sites, switches them on and off, answers on a socket.
//!
//! There are two ways in. A program links this crate and calls [`start`]. Or the shared object
//! `libperflab_preload.so` is named in `LD_PRELOAD` and starts it. Several in one process elect one: the
//! first that has the socket.
//!
//! ```text
//! process      its start, its thread, and what becomes of it in a fork
//! socket       who calls -> answers
//! answers      requests -> agent; filter_answers: those with filters
//! agent        which sites are wanted, by name or by a tracer in the kernel
//! objects      executables and shared objects -> their sites
//! patch        sites -> other code, while the program runs
//! filter       programs that judge events before they are counted or recorded
//! record       events of sites -> files that outlive the process
//! refused      tells a recorder why nothing is recorded
//!
//! pattern      names of probes
//! directories  where sockets and files are
//! numbers      what the kernel calls this process, its threads and its user
//! processors   what is done on each of them
//! signals      those of the calling thread
//! pages        memory
//! ```
//!
//! What it needs of the process: one thread with all signals blocked, that sleeps; pages for jumps, or, if
//! that is asked for, the action of SIGILL or SIGTRAP, where `patch` needs them; a socket that only its user can reach. See `docs/probes.md`.

mod agent;
mod answers;
mod directories;
mod filter;
mod filter_answers;
mod numbers;
mod objects;
mod pages;
mod patch;
mod pattern;
mod process;
mod processors;
mod record;
mod refused;
mod shown;
mod signals;
mod socket;

pub use process::{StartError, start, start_before_the_program};
