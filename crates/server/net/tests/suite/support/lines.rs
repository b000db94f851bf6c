//! A service that answers each line with the same line, but for some that are commands.

use std::str;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use perflab_net::{About, Connections, Consumed, Ended, OUTPUT_PAUSE, Service, Then};

/// What the service has of a connection.
#[derive(Debug)]
pub struct Client {
    pub id: u64,
    /// Calls with its bytes.
    pub calls: usize,
    /// No line ends in so many bytes of the next input.
    scanned: usize,
    /// It was on hold for its first line already.
    waited: bool,
    /// It stays when its peer hangs up while it is on hold.
    patient: bool,
    /// It may be idle.
    may_idle: bool,
}

/// What tests see of the services of all threads.
#[derive(Debug, Default)]
pub struct Watched {
    /// Connections that ended, and why.
    pub ended: Mutex<Vec<(u64, Ended)>>,
    /// The connections of all calls, in their order.
    pub calls: Mutex<Vec<u64>>,
    /// Times that it was the time for something.
    pub ticks: AtomicU64,
}

/// The service of a thread.
pub struct Lines {
    number: usize,
    watched: Arc<Watched>,
    /// Its ticks: how often, and when the next one is.
    ticks: Option<(Duration, Instant)>,
}

/// How it goes on after a line.
enum Next {
    /// With so many bytes behind the line done with.
    Line(usize),
    /// There must be so many bytes behind the line.
    Needs(usize),
    Close,
    Hold,
    /// Hold, and call again with the same line.
    HoldBefore,
}

impl Lines {
    pub fn new(number: usize, watched: Arc<Watched>, ticks: Option<Duration>) -> Self {
        Self {
            number,
            watched,
            ticks: ticks.map(|every| (every, Instant::now() + every)),
        }
    }

    fn line(&self, client: &mut Client, line: &[u8], behind: &[u8], output: &mut Vec<u8>) -> Next {
        let text = str::from_utf8(line).unwrap_or("");
        let (command, argument) = text.split_once(' ').unwrap_or((text, ""));
        let number = || argument.parse::<usize>().unwrap();
        let mut say = |answer: &str| {
            output.extend_from_slice(answer.as_bytes());
            output.push(b'\n');
        };
        match command {
            ":id" => say(&client.id.to_string()),
            ":thread" => say(&self.number.to_string()),
            ":big" => {
                output.resize(output.len() + number() - 1, b'x');
                output.push(b'\n');
            }
            ":take" => {
                let count = number();
                if behind.len() < count {
                    return Next::Needs(count);
                }
                let sum = behind[..count].iter().map(|&byte| u64::from(byte));
                say(&format!("{count} bytes, sum {}", sum.sum::<u64>()));
                return Next::Line(count);
            }
            ":sleep" => {
                thread::sleep(Duration::from_millis(number() as u64));
                say("slept");
            }
            ":patient" => {
                client.patient = true;
                say("patient");
            }
            ":may-idle" => {
                client.may_idle = true;
                say("may idle");
            }
            ":wait" if client.waited => say("waited"),
            ":wait" => {
                client.waited = true;
                return Next::HoldBefore;
            }
            ":hold" => return Next::Hold,
            ":close" => {
                say("bye");
                return Next::Close;
            }
            ":panic" => panic!("a client asked for it"),
            _ => {
                output.extend_from_slice(line);
                output.push(b'\n');
            }
        }
        Next::Line(0)
    }
}

impl Service for Lines {
    type Connection = Client;

    fn open(&mut self, about: &About) -> Client {
        assert_eq!(about.thread, self.number);
        Client {
            id: about.id,
            calls: 0,
            scanned: 0,
            waited: false,
            patient: false,
            may_idle: false,
        }
    }

    fn input(&mut self, client: &mut Client, bytes: &[u8], output: &mut Vec<u8>) -> Consumed {
        assert!(!bytes.is_empty() && output.is_empty());
        client.calls += 1;
        self.watched.calls.lock().unwrap().push(client.id);
        let (mut used, mut needs) = (0, 0);
        let then = loop {
            let rest = &bytes[used..];
            let from = std::mem::take(&mut client.scanned).min(rest.len());
            let end = rest[from..].iter().position(|&byte| byte == b'\n');
            let Some(end) = end.map(|end| from + end) else {
                client.scanned = rest.len();
                break Then::Go;
            };
            if output.len() >= OUTPUT_PAUSE {
                break Then::More;
            }
            match self.line(client, &rest[..end], &rest[end + 1..], output) {
                Next::Line(behind) => used += end + 1 + behind,
                Next::Needs(behind) => {
                    needs = end + 1 + behind;
                    break Then::Go;
                }
                Next::Close => {
                    used += end + 1;
                    break Then::Close;
                }
                Next::Hold => {
                    used += end + 1;
                    break Then::Hold;
                }
                Next::HoldBefore => break Then::Hold,
            }
        };
        Consumed { used, needs, then }
    }

    fn closed(&mut self, client: Client, about: &About, why: Ended) {
        assert_eq!(client.id, about.id);
        self.watched.ended.lock().unwrap().push((client.id, why));
    }

    fn hung_up(&mut self, client: &mut Client) -> bool {
        !client.patient
    }

    fn may_idle(&self, client: &Client) -> bool {
        client.may_idle
    }

    fn batch_done(&mut self, _: &mut Connections<Client>) {
        if let Some((every, next)) = &mut self.ticks
            && *next <= Instant::now()
        {
            *next += *every;
            self.watched.ticks.fetch_add(1, Relaxed);
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        self.ticks.map(|(_, next)| next)
    }

    fn too_many(&self) -> &[u8] {
        b"too many\n"
    }
}
