//! `perflab trace top`: which probes are hit, and how often.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use perflab_control::{Agent, Site, Traced};

use super::list::{hits, probe, recorded};
use super::outcome::Outcome;
use super::{NONE, Processes};
use crate::failure::{Code, Failure};
use crate::terminal;

/// Arguments of `top`.
#[derive(Debug, Args)]
pub struct TopArguments {
    /// Which probes, as provider:name with *; several with commas.
    #[arg(value_name = "PROBES", default_value = "*", value_parser = super::probes)]
    probes: String,

    #[command(flatten)]
    processes: Processes,

    /// Seconds between two looks.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    every: Duration,

    /// How many times to show the rates; for ever, if not given.
    #[arg(short, long, value_name = "N")]
    count: Option<u32>,
}

/// A number of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| "expected a number of seconds".to_owned())?;
    if !(0.01..=3600.0).contains(&number) {
        return Err("expected 0.01 to 3600 seconds".to_owned());
    }
    Ok(Duration::from_secs_f64(number))
}

/// Hits so far of each probe that is on, of each process, and when it said so. Hits of what is recorded are not counted.
type Counts = BTreeMap<(u32, String), (Option<u64>, Instant)>;

/// Executes `top`.
pub fn top(arguments: &TopArguments) -> Result<Option<Code>, Failure> {
    let (mut processes, mut outcome) = arguments.processes.find()?;
    if processes.is_empty() {
        outcome.nothing(NONE);
        return Ok(outcome.code());
    }
    let mut before = look(&mut processes, &arguments.probes, &mut outcome);
    let mut shown = 0;
    while arguments.count.is_none_or(|count| shown < count) {
        if !processes.is_empty() {
            thread::sleep(arguments.every);
        }
        let counts = look(&mut processes, &arguments.probes, &mut outcome);
        if processes.is_empty() {
            break;
        }
        terminal::print(&rates(&before, &counts))?;
        before = counts;
        shown += 1;
    }
    if shown == 0 && processes.is_empty() {
        outcome.nothing("no process has answered");
    }
    Ok(outcome.code())
}

/// What the processes say. One that does not answer is not asked again: the rates of the others would wait
/// for it each time.
fn look(processes: &mut Vec<Traced>, wanted: &str, outcome: &mut Outcome) -> Counts {
    let mut counts = Counts::new();
    processes.retain(|process| {
        let answer = Agent::at(&process.socket).list(wanted);
        let now = Instant::now();
        let Some((sites, _)) = outcome.take(process, answer) else {
            return false;
        };
        let mut probes: BTreeMap<String, Vec<&Site>> = BTreeMap::new();
        for site in sites.iter().filter(|site| site.on) {
            probes.entry(probe(site)).or_default().push(site);
        }
        for (name, sites) in probes {
            counts.insert((process.pid, name), (hits(&sites), now));
        }
        true
    });
    counts
}

fn rates(before: &Counts, now: &Counts) -> String {
    let mut rows: Vec<(Option<f64>, String)> = now
        .iter()
        .map(|(probe, (hits, time))| {
            let rate = hits.map(|hits| match before.get(probe) {
                Some((Some(first), then)) => {
                    hits.saturating_sub(*first) as f64 / time.duration_since(*then).as_secs_f64()
                }
                // What was not on before has no rate yet.
                _ => 0.0,
            });
            let (pid, name) = probe;
            let hits = hits.map_or_else(recorded, |hits| hits.to_string());
            let shown = rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.0}"));
            (rate, format!("{pid:>8}  {shown:>14}  {hits:>14}  {name}\n"))
        })
        .collect();
    rows.sort_by(|(a, _), (b, _)| {
        let rate = |rate: &Option<f64>| rate.unwrap_or(-1.0);
        rate(b).total_cmp(&rate(a))
    });
    let mut text = format!(
        "{:>8}  {:>14}  {:>14}  probe\n",
        "process", "hits/s", "hits"
    );
    if rows.is_empty() {
        text += "  no probe is on; perflab trace on PROBES --pid PID switches some on\n";
    }
    text.extend(rows.into_iter().map(|(_, row)| row));
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_first() {
        let key = |name: &str| (7, name.to_owned());
        let then = Instant::now();
        let later = then + Duration::from_secs(2);
        let before = Counts::from([
            (key("a:a"), (Some(10), then)),
            (key("b:b"), (Some(0), then)),
            (key("d:counted"), (None, then)),
        ]);
        let now = Counts::from([
            (key("a:a"), (Some(30), later)),
            (key("b:b"), (Some(100), later)),
            (key("a:kept"), (None, later)),
            (key("c:new"), (Some(5), later)),
            (key("d:counted"), (Some(7), later)),
        ]);
        let text = rates(&before, &now);
        let names: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split_whitespace().nth(3))
            .collect();
        assert_eq!(
            names,
            ["probe", "b:b", "a:a", "c:new", "d:counted", "a:kept"]
        );
        assert!(text.contains(" 50 ") && text.contains(" 10 "), "{text}");
        let kept = "       7               -        recorded  a:kept\n";
        assert!(text.contains(kept), "{text}");
    }
}
