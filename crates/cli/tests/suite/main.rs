//! The binary from outside: what people get who give it broken files, tools, servers, disks and
//! signals.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop where it stands, and say what it leaves out"
)]

mod bench_failures;
mod bench_flags;
mod bench_order;
mod colour;
mod counters;
mod damaged_results;
mod doctor;
mod documents;
mod drift;
mod exchange;
mod experiment_files;
mod full_disk;
mod gates;
mod help;
mod init;
mod interrupts;
mod life;
mod load_tools;
mod pages;
mod plain_files;
mod planning;
mod plots;
mod record;
mod refresh;
mod repeated_failures;
mod resume;
mod saturation;
mod servers;
mod support;
mod surroundings;
mod tools;
mod trace;
mod two_laboratories;
mod until_decided;
mod workflow;
