//! Machines, made up and real: facts, doctor, lock, settings.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod doctor;
mod facts;
mod lock;
mod tune;
