//! Drivers on recorded outputs of the real tools.

mod common;
mod fs_mark;
mod iperf3;
mod tcpbench;
mod time;
mod wrk;
