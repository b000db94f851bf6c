//! A load generator for key-value servers that speak Redis' protocol or memcached's.
//!
//! Several servers are measured in turns of some milliseconds from one process, in random order, so that noise of the
//! machine meets all of them alike. Each turn waits for the replies to all its requests: its time and the CPU time of the
//! server in it belong to its own work.
//!
//! ```text
//! plan        what a load is; targets, commands, keys and paces are its parts
//!   target    servers
//!   mix       which commands
//!   command   a command with places for keys and values
//!   keys      names of keys, and how often each is asked for; zipf draws by Zipf's law
//!   schedule  when requests are sent
//!
//! measure     makes a load
//!   course    its stages and turns
//!   crew      the threads of the client
//!   worker    a thread
//!   play      a thread's part of a turn: the loop
//!   requests  the bytes that go out; values are some of them
//!   connection, reply, resp, memcached    the bytes that come in
//!
//! outcome     the result: values to print; warnings, and a table for people
//! tally       what is counted
//! clock       time, and CPU time
//! random      numbers from a seed
//! problem     why there is no result
//! ```

mod clock;
mod command;
mod connection;
mod course;
mod crew;
mod keys;
mod measure;
mod memcached;
mod mix;
mod outcome;
mod plan;
mod play;
mod problem;
mod random;
mod reply;
mod requests;
mod resp;
mod schedule;
mod table;
mod tally;
mod target;
mod values;
mod warnings;
mod worker;
mod zipf;

pub use command::Command;
pub use course::Progress;
pub use keys::{Distribution, Keys};
pub use measure::measure;
pub use mix::{Mix, Ratio};
pub use outcome::*;
pub use plan::{Length, MOST_VALUE_BYTES, Plan, Rounds};
pub use problem::Problem;
pub use schedule::Pace;
pub use table::table;
pub use target::{Protocol, Target};
