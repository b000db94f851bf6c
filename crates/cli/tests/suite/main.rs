//! The binary from outside: what people get who give it broken files, tools, servers, disks and
//! signals.

mod experiment_files;
mod servers;
mod support;
mod tools;
