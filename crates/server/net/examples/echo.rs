//! A server that sends back what it gets, to look at by hand: `cargo run -p perflab-net --example echo -- 7000 2`
//! listens at port 7000 of this machine with two threads, until it is interrupted. `nc 127.0.0.1 7000` talks to it.
#![expect(clippy::print_stdout, reason = "an example is run by hand")]

use std::env;
use std::error::Error;
use std::num::NonZeroUsize;

use perflab_net::{About, Consumed, Ended, Listen, Options, Server, Service};
use signal_hook::consts::{SIGINT, SIGTERM};

struct Echo;

impl Service for Echo {
    type Connection = u64;

    fn open(&mut self, about: &About) -> u64 {
        println!("{}: {} in thread {}", about.id, about.peer, about.thread);
        0
    }

    fn input(&mut self, total: &mut u64, bytes: &[u8], output: &mut Vec<u8>) -> Consumed {
        *total += bytes.len() as u64;
        output.extend_from_slice(bytes);
        Consumed::go(bytes.len())
    }

    fn closed(&mut self, total: u64, about: &About, why: Ended) {
        println!("{}: {why:?} after {total} bytes", about.id);
    }

    fn too_many(&self) -> &[u8] {
        b"too many clients\n"
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let port = arguments.next().map_or(Ok(7000), |port| port.parse())?;
    let threads = arguments
        .next()
        .map_or(Ok(NonZeroUsize::MIN), |threads| threads.parse())?;
    let options = Options {
        threads,
        ..Options::default()
    };
    let mut server = Server::open(&[Listen::loopback(port)], &options)?;
    server.stop_on_signals(&[SIGINT, SIGTERM])?;
    if let Some(lowered) = server.lowered() {
        println!("{lowered}");
    }
    for at in server.listens_at() {
        println!("listens at {at}");
    }
    let handles = server.handles();
    for result in server.run(|_, driver| driver.run(&mut Echo))? {
        result?;
    }
    for (thread, counters) in handles.counters().iter().enumerate() {
        println!("thread {thread}: {counters:?}");
    }
    Ok(())
}
