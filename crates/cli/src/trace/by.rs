//! `perflab trace top --by`: how often an argument has each value.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use perflab_bpf::{Class, ContextField};
use perflab_control::{Agent, LONGEST_COUNTED, Traced, Value};
use perflab_experiment::{counted, suggestion_after};

use super::outcome::Outcome;
use super::quoted::quoted;
use super::watched::Watched;
use crate::failure::Failure;
use crate::filter::known::{KnownProbe, of_answering};
use crate::terminal;

/// Values that are shown.
const SHOWN: usize = 20;

/// How soon a signal ends it.
const END: Duration = Duration::from_millis(100);

/// What names of the context begin with.
const CONTEXT: &str = "$ctx.";

/// An argument by whose values hits are counted.
pub struct By {
    name: String,
    /// Probes that have it.
    known: BTreeSet<KnownProbe>,
}

impl By {
    /// An argument of these probes of processes, or `$ctx.` and a name.
    ///
    /// # Errors
    /// When none of them has it, or it is a floating-point number.
    pub fn new(name: &str, processes: &[Traced], probes: &str) -> Result<Self, Failure> {
        let by = Self {
            name: name.to_owned(),
            known: of_answering(processes, probes),
        };
        if by.known.is_empty() || ContextField::from_name(name).is_some() {
            return Ok(by);
        }
        if name.starts_with(CONTEXT) {
            let known = ContextField::ALL.iter().map(|field| field.name());
            return Err(no_such("value of the context", name, "there are", known));
        }
        by.check()?;
        Ok(by)
    }

    fn check(&self) -> Result<(), Failure> {
        let mut classes = Vec::new();
        let mut names: BTreeSet<String> = BTreeSet::new();
        for probe in &self.known {
            let fields = probe.fields()?;
            classes.extend(fields.field(&self.name).map(|field| field.class));
            names.extend(fields.names().map(str::to_owned));
        }
        if classes.iter().any(|class| *class != Class::Double) {
            return Ok(());
        }
        if !classes.is_empty() {
            let name = terminal::escape(&self.name);
            return Err(Failure::usage(format!(
                "`{name}` is a floating-point number, whose values are not counted; `perflab trace record` has them"
            )));
        }
        let there = names.iter().map(String::as_str);
        Err(no_such("argument", &self.name, "the probes have", there))
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn shown(&self, value: &Value) -> String {
        match value {
            Value::Number(number) => {
                let mut probes = self.known.iter().filter_map(|probe| probe.fields().ok());
                let probe = probes.find(|fields| fields.field(&self.name).is_some());
                let fields = probe.unwrap_or_default();
                fields.written(&self.name, *number)
            }
            Value::Text { bytes, is_cut } => {
                let dots = if *is_cut { "..." } else { "" };
                quoted(bytes, LONGEST_COUNTED) + dots
            }
            Value::Null => "null".to_owned(),
            Value::Others => "all others".to_owned(),
        }
    }
}

fn no_such<'n>(
    what: &str,
    name: &str,
    there: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Failure {
    let help = suggestion_after(there, name, known);
    let help = help.map_or_else(String::new, |help| format!(": {help}"));
    let name = terminal::escape(name);
    Failure::usage(format!("no {what} is called `{name}`{help}"))
}

/// Hits of values so far, of each process, and when that was so.
#[derive(Debug)]
struct Look {
    hits: BTreeMap<(u32, Value), u64>,
    at: Instant,
}

/// Shows the values with most hits, so many times or for ever.
pub fn show(
    by: &By,
    probes: &str,
    (every, count): (Duration, Option<u32>),
    processes: &mut Vec<Traced>,
    watched: &Watched,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let mut before = look(processes, probes, outcome);
    let mut shown = 0;
    while count.is_none_or(|count| shown < count) {
        let end = Instant::now() + every;
        let mut left = every;
        while !processes.is_empty() && !left.is_zero() && !watched.is_over() {
            std::thread::sleep(left.min(END));
            left = end.saturating_duration_since(Instant::now());
        }
        if watched.is_over() {
            break;
        }
        let now = look(processes, probes, outcome);
        if processes.is_empty() {
            break;
        }
        terminal::print(&table(by, &before, &now))?;
        before = now;
        shown += 1;
    }
    if shown == 0 && processes.is_empty() {
        outcome.nothing("no process has answered");
    }
    Ok(())
}

/// What the processes say. One that does not answer is not asked again.
fn look(processes: &mut Vec<Traced>, probes: &str, outcome: &mut Outcome) -> Look {
    let mut hits: BTreeMap<(u32, Value), u64> = BTreeMap::new();
    processes.retain(|process| {
        let answer = Agent::at(&process.socket).values(probes);
        let Some(values) = outcome.take(process, answer) else {
            return false;
        };
        for found in values {
            *hits.entry((process.pid, found.value)).or_default() += found.hits;
        }
        true
    });
    Look {
        hits,
        at: Instant::now(),
    }
}

fn table(by: &By, before: &Look, now: &Look) -> String {
    let seconds = now.at.saturating_duration_since(before.at).as_secs_f64();
    let mut rows: Vec<(u64, u64, &(u32, Value))> = now
        .hits
        .iter()
        .map(|(value, hits)| {
            let before = before.hits.get(value).copied().unwrap_or(0);
            (hits.saturating_sub(before), *hits, value)
        })
        .collect();
    rows.sort_by_key(|(new, hits, _)| std::cmp::Reverse((*new, *hits)));
    // What was counted under no value of its own has lines of its own.
    let (others, rows): (Vec<_>, Vec<_>) = rows
        .into_iter()
        .partition(|(.., (_, value))| *value == Value::Others);
    let name = terminal::escape(&by.name);
    let mut text = format!(
        "{:>8}  {:>14}  {:>14}  {name}\n",
        "process", "hits/s", "hits"
    );
    if now.hits.is_empty() {
        text += "  no event has come yet\n";
    }
    let (first, more) = rows.split_at(rows.len().min(SHOWN));
    let line = |(new, hits, (pid, value)): &(u64, u64, &(u32, Value))| {
        let rate = *new as f64 / seconds;
        let value = by.shown(value);
        format!("{pid:>8}  {rate:>14.0}  {hits:>14}  {value}\n")
    };
    text.extend(first.iter().map(line));
    if !more.is_empty() {
        let new: u64 = more.iter().map(|(new, ..)| new).sum();
        let hits: u64 = more.iter().map(|(_, hits, _)| hits).sum();
        let (rate, more) = (new as f64 / seconds, counted(more.len(), "more value"));
        let _ = writeln!(text, "{:>8}  {rate:>14.0}  {hits:>14}  {more}", "");
    }
    text.extend(others.iter().map(line));
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], is_cut: bool) -> Value {
        Value::Text {
            bytes: bytes.to_vec(),
            is_cut,
        }
    }

    #[test]
    fn the_most_frequent_first() {
        let by = By {
            name: "name".to_owned(),
            known: BTreeSet::new(),
        };
        let at = Instant::now();
        let look = |hits: Vec<(Value, u64)>, at| Look {
            hits: hits
                .into_iter()
                .map(|(value, hits)| ((7, value), hits))
                .collect(),
            at,
        };
        let before = look(vec![(text(b"GET", false), 100), (Value::Others, 3)], at);
        let now = look(
            vec![
                (text(b"GET", false), 120),
                (text(b"SET", false), 60),
                (Value::Null, 20),
                (Value::Others, 1003),
                (Value::Number(u64::MAX), 0),
            ],
            at + Duration::from_secs(2),
        );
        let expected = [
            " process          hits/s            hits  name",
            "       7              30              60  \"SET\"",
            "       7              10             120  \"GET\"",
            "       7              10              20  null",
            "       7               0               0  -1",
            "       7             500            1003  all others",
            "",
        ];
        let shown = table(&by, &before, &now);
        assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
        let empty = look(Vec::new(), at);
        assert!(table(&by, &empty, &empty).contains("no event has come yet"));
        let many = look((0..25).map(|x| (Value::Number(x), x)).collect(), at);
        let shown = table(&by, &before, &many);
        assert_eq!(shown.lines().count(), 1 + SHOWN + 2, "{shown}");
        assert!(shown.contains("10  5 more values"), "{shown}");
        // More values than are counted apart.
        let hits = |others| {
            let known = (0..1024).map(|x| (Value::Number(x), 1));
            known.chain([(Value::Others, others)]).collect()
        };
        let (before, now) = (hits(5), hits(7));
        let shown = table(
            &by,
            &look(before, at),
            &look(now, at + Duration::from_secs(2)),
        );
        let end = "                       0            1004  1004 more values\n       \
                   7               1               7  all others\n\n";
        assert!(shown.ends_with(end), "{shown}");
    }

    #[test]
    fn texts_are_shown_as_far_as_they_are_known() {
        let by = By {
            name: "name".to_owned(),
            known: BTreeSet::new(),
        };
        let steering = by.shown(&text(b"a\x1b[2J", false));
        assert_eq!(steering, r#""a\u{1b}[2J""#);
        let quoted = by.shown(&text(b"say \"x\"\\\n", false));
        assert_eq!(quoted, r#""say \"x\"\\\n""#);
        assert_eq!(by.shown(&text(b"\xff\"", false)), r#""\xff\"""#);
        let cut = ["x".repeat(39).as_bytes(), "ä".as_bytes()].concat();
        let shown = by.shown(&text(&cut[..40], true));
        assert_eq!(shown, format!("\"{}\"...", "x".repeat(39)));
        assert_eq!(by.shown(&text(b"", false)), "\"\"");
    }
}
