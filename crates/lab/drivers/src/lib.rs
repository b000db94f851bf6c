//! One file per tool: arguments in, the tool's text out, metrics.
//!
//! A [`Driver`] knows how a tool is called and how its output is read. It starts nothing and
//! opens nothing: what runs the tool hands the finished output back to [`Driver::read`].
//!
//! A new tool is a new file with a [`Driver`] in it, its name in two lists, and recorded outputs of
//! the real tool under `tests/fixtures`.

mod choice;
mod closed_loop;
mod command;
#[cfg(test)]
mod command_lines;
pub mod counters;
mod driver;
mod error;
mod fio;
mod fs_mark;
pub mod generic;
mod getopt;
mod histogram;
mod iperf3;
mod json;
mod kind;
mod memtier_benchmark;
mod metric;
mod number;
mod operations;
mod output;
mod package;
mod pgbench;
mod redis_benchmark;
mod slices;
mod sysbench;
mod tcpbench;
mod time;
mod turns;
mod wrk;

pub use choice::{ChoiceError, by_name, tool};
pub use command::Command;
pub use driver::Driver;
pub use error::{ArgumentError, Place, ReadError, Stream};
pub use fio::Fio;
pub use fs_mark::FsMark;
pub use generic::{Evidence, Generic, Numbers, Rule, RuleError, Source};
pub use iperf3::Iperf3;
pub use kind::{Kind, Latency};
pub use memtier_benchmark::MemtierBenchmark;
pub use operations::Operations;
pub use output::{Output, Usage};
pub use package::package;
pub use pgbench::Pgbench;
pub use redis_benchmark::RedisBenchmark;
pub use slices::{Alike, combined, most_slices};
pub use sysbench::Sysbench;
pub use tcpbench::Tcpbench;
pub use time::Time;
pub use turns::{Call, Order, Slice, TakesTurns, Target};
pub use wrk::Wrk;
