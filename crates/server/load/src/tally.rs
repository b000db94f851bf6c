//! What came of a turn.

use std::collections::BTreeMap;

use perflab_histogram::Durations;

use crate::reply::{Kind, shown};

/// What came of a turn, or of several.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// When it began, in ns of the clock.
    pub begin_ns: u64,
    /// When the last reply had come.
    pub end_ns: u64,
    /// CPU time of the client's thread in it.
    pub cpu_ns: u64,
    /// By command.
    pub commands: Vec<Answered>,
    pub errors: Errors,
    /// Requests that were sent later than they should have been.
    pub late: u64,
    /// Requests that should have been sent in the turn, and were not.
    pub unsent: u64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
}

/// Replies to a command.
#[derive(Debug, Clone, Default)]
pub struct Answered {
    /// How long they took.
    pub latencies: Durations,
    /// Those that say that nothing was found.
    pub nothing: u64,
    /// Those that are errors.
    pub errors: u64,
}

impl Tally {
    /// Of so many commands.
    pub fn new(commands: usize) -> Self {
        Self {
            commands: vec![Answered::default(); commands],
            ..Self::default()
        }
    }

    /// Adds a reply.
    pub fn add(&mut self, command: usize, latency_ns: u64, kind: Kind, reply: &[u8]) {
        let answered = &mut self.commands[command];
        answered.latencies.add(latency_ns);
        match kind {
            Kind::Value => {}
            Kind::Nothing => answered.nothing += 1,
            Kind::Error => {
                answered.errors += 1;
                self.errors.add(reply);
            }
        }
    }

    /// Replies of all commands.
    pub fn operations(&self) -> u64 {
        let commands = self.commands.iter();
        commands.map(|answered| answered.latencies.count()).sum()
    }

    /// Latencies of all commands.
    pub fn latencies(&self) -> Durations {
        let mut all = Durations::new();
        for answered in &self.commands {
            all.merge(&answered.latencies);
        }
        all
    }

    /// Adds what another thread did in the same turn: it lasts from the first to the last of both.
    pub fn join(&mut self, other: &Self) {
        self.begin_ns = self.begin_ns.min(other.begin_ns);
        self.end_ns = self.end_ns.max(other.end_ns);
        self.merge(other);
    }

    /// Adds all that is counted. The times stay.
    pub fn merge(&mut self, other: &Self) {
        self.cpu_ns += other.cpu_ns;
        for (own, more) in self.commands.iter_mut().zip(&other.commands) {
            own.latencies.merge(&more.latencies);
            own.nothing += more.nothing;
            own.errors += more.errors;
        }
        self.errors.merge(&other.errors);
        self.late += other.late;
        self.unsent += other.unsent;
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
    }
}

/// Errors, counted by their texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Errors(BTreeMap<String, u64>);

/// Different texts that are kept. A server that puts a number into each fills no memory.
const MOST_TEXTS: usize = 20;

/// What further texts are counted as.
const OTHERS: &str = "(other texts)";

impl Errors {
    fn add(&mut self, reply: &[u8]) {
        let text = shown(reply.strip_prefix(b"-").unwrap_or(reply));
        self.count(text, 1);
    }

    fn count(&mut self, text: String, count: u64) {
        let is_known = self.0.contains_key(&text) || self.0.len() < MOST_TEXTS;
        let text = if is_known { text } else { OTHERS.to_owned() };
        *self.0.entry(text).or_insert(0) += count;
    }

    fn merge(&mut self, other: &Self) {
        for (text, count) in &other.0 {
            self.count(text.clone(), *count);
        }
    }

    /// The texts, with how often each came.
    pub fn texts(&self) -> &BTreeMap<String, u64> {
        &self.0
    }

    /// The text that came most often.
    pub fn first(&self) -> Option<&str> {
        let most = self.0.iter().max_by_key(|(_, count)| **count);
        most.map(|(text, _)| text.as_str())
    }

    /// How many there were.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::{Errors, MOST_TEXTS, OTHERS, Tally};
    use crate::reply::Kind;

    #[test]
    fn replies_count_by_command_and_kind() {
        let mut tally = Tally::new(2);
        tally.begin_ns = 10;
        tally.end_ns = 20;
        tally.add(0, 5, Kind::Value, b"+OK\r\n");
        tally.add(1, 6, Kind::Nothing, b"$-1\r\n");
        let mut other = Tally::new(2);
        other.begin_ns = 5;
        other.end_ns = 15;
        other.add(1, 7, Kind::Error, b"-ERR no\r\n");
        tally.join(&other);
        assert_eq!((tally.begin_ns, tally.end_ns), (5, 20));
        assert_eq!((tally.operations(), tally.latencies().total_ns), (3, 18));
        let counts = tally.commands.iter();
        let counts: Vec<_> = counts
            .map(|answered| (answered.nothing, answered.errors))
            .collect();
        assert_eq!(counts, [(0, 0), (1, 1)]);
        assert_eq!(tally.errors.first(), Some("ERR no"));
    }

    #[test]
    fn texts_of_errors_are_bounded() {
        let mut errors = Errors::default();
        for number in 0..1000 {
            errors.add(format!("-ERR {number}\r\n").as_bytes());
        }
        errors.add(b"SERVER_ERROR out of memory\r\n");
        let mut merged = errors.clone();
        merged.merge(&errors);
        assert_eq!(merged.texts().len(), MOST_TEXTS + 1);
        assert_eq!((merged.total(), merged.first()), (2002, Some(OTHERS)));
    }
}
