//! The binary from outside: what people get who give it broken files, tools, servers, disks and
//! signals.

mod damaged_results;
mod experiment_files;
mod full_disk;
mod interrupts;
mod repeated_failures;
mod resume;
mod servers;
mod support;
mod tools;
mod two_laboratories;
