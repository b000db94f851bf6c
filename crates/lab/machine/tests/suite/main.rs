//! Machines, made up and real: fingerprint, doctor, lock, settings.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod doctor;
mod fingerprint;
mod lock;
mod tune;
