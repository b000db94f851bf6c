//! Drivers on recorded outputs of the real tools.
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
