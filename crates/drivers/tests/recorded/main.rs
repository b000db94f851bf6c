//! Drivers on recorded outputs of the real tools.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;
mod counters;
mod fio;
mod fs_mark;
mod iperf3;
mod memtier_benchmark;
mod pgbench;
mod sysbench;
mod tcpbench;
mod time;
mod wrk;
