//! A client of Redis that holds a connection to each of several servers, and has them take turns.
//!
//! With `takes_turns = true` perflab calls it with the path of a file, which says what to do. Called with the arguments
//! of one target, a port, a number of requests and the words of a request, it makes these requests once and prints
//! `{"rps": ...}`. So whole runs and runs in turns have the same client.
//!
//! Nothing is printed before the last slice, so that no turn waits for it.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

/// What the file says.
#[derive(Deserialize)]
struct Order {
    slices: u32,
    warmup: u32,
    seed: u64,
    targets: Vec<Target>,
}

/// What takes turns.
#[derive(Deserialize)]
struct Target {
    arguments: Vec<String>,
}

/// A connection, and the requests of a slice.
struct Client {
    stream: BufReader<TcpStream>,
    count: u32,
    request: Vec<u8>,
}

impl Client {
    fn connect(arguments: &[String]) -> Result<Self, Box<dyn Error>> {
        let [port, count, request @ ..] = arguments else {
            return Err("expected a port, a number of requests, and a request".into());
        };
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port.parse()?))?;
        stream.set_nodelay(true)?;
        let mut bytes = format!("*{}\r\n", request.len());
        for word in request {
            write!(bytes, "${}\r\n{word}\r\n", word.len())?;
        }
        Ok(Self {
            stream: BufReader::new(stream),
            count: count.parse()?,
            request: bytes.into_bytes(),
        })
    }

    /// Makes the requests of a slice, one after the other; how long they took.
    fn slice(&mut self) -> io::Result<Duration> {
        let begun = Instant::now();
        let mut answer = Vec::new();
        for _ in 0..self.count {
            self.stream.get_mut().write_all(&self.request)?;
            // Parts of the answer that are still to come.
            let mut parts = 1;
            while parts > 0 {
                parts = parts - 1 + self.part(&mut answer)?;
            }
        }
        Ok(begun.elapsed())
    }

    /// Reads a part of an answer into a buffer; how many parts it announces.
    fn part(&mut self, answer: &mut Vec<u8>) -> io::Result<u64> {
        answer.clear();
        self.stream.read_until(b'\n', answer)?;
        let line = String::from_utf8_lossy(answer);
        let line = line.trim_end();
        // Nothing has the length -1.
        let length = || line.get(1..).and_then(|digits| digits.parse::<i64>().ok());
        match (line.chars().next(), length()) {
            (Some('+' | ':'), _) => Ok(0),
            (Some('*'), Some(parts)) => Ok(parts.max(0).cast_unsigned()),
            (Some('$'), Some(-1)) => Ok(0),
            (Some('$'), Some(length @ 0..)) => {
                let rest = length.cast_unsigned() + 2;
                answer.clear();
                match self.stream.by_ref().take(rest).read_to_end(answer)? as u64 == rest {
                    true => Ok(0),
                    false => Err(io::ErrorKind::UnexpectedEof.into()),
                }
            }
            _ => Err(io::Error::other(format!("the server answered {line:?}"))),
        }
    }

    fn rate(&self, took: Duration) -> f64 {
        f64::from(self.count) / took.as_secs_f64()
    }
}

/// Has the targets take turns; a line for each slice.
fn take_turns(order: &Order) -> Result<String, Box<dyn Error>> {
    let clients = order.targets.iter();
    let clients = clients.map(|target| Client::connect(&target.arguments));
    let mut clients: Vec<Client> = clients.collect::<Result<_, _>>()?;
    let mut random = ChaCha8Rng::seed_from_u64(order.seed);
    let mut turns: Vec<usize> = (0..clients.len()).collect();
    for _ in 0..order.warmup {
        for client in &mut clients {
            client.slice()?;
        }
    }
    let mut lines = String::new();
    let first = Instant::now();
    for slice in 1..=order.slices {
        turns.shuffle(&mut random);
        for &target in &turns {
            let Some(client) = clients.get_mut(target) else {
                continue;
            };
            let at = first.elapsed();
            let took = client.slice()?;
            let (at_s, wall_s, rps) = (at.as_secs_f64(), took.as_secs_f64(), client.rate(took));
            writeln!(
                lines,
                "{{\"target\":{target},\"slice\":{slice},\"at_s\":{at_s},\"wall_s\":{wall_s},\"rps\":{rps}}}"
            )?;
        }
    }
    Ok(lines)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let lines = match arguments.as_slice() {
        [file] => take_turns(&serde_json::from_slice(&fs::read(file)?)?)?,
        target => {
            let mut client = Client::connect(target)?;
            let took = client.slice()?;
            format!("{{\"rps\":{}}}\n", client.rate(took))
        }
    };
    Ok(io::stdout().write_all(lines.as_bytes())?)
}
