//! `perflab trace top`: which probes are hit, and how often.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use perflab_control::{Agent, Site};

use super::list::{hits, probe};
use super::{Processes, refused};
use crate::failure::{Code, Failure};
use crate::terminal;

/// Arguments of `top`.
#[derive(Debug, Args)]
pub struct TopArguments {
    /// Which probes, as provider:name with *; several with commas.
    #[arg(value_name = "PROBES", default_value = "*")]
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

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| "expected a number of seconds".to_owned())?;
    if !(0.01..=3600.0).contains(&number) {
        return Err("expected 0.01 to 3600 seconds".to_owned());
    }
    Ok(Duration::from_secs_f64(number))
}

/// Hits so far of each probe that is on, of each process.
type Counts = BTreeMap<(u32, String), (u64, u64)>;

/// Executes `top`.
pub fn top(arguments: &TopArguments) -> Result<Option<Code>, Failure> {
    let processes = arguments.processes.find()?;
    if processes.is_empty() {
        return Err(Failure::no_data(
            "no running process of this user has an agent",
        ));
    }
    let look = || -> Result<(Instant, Counts), Failure> {
        let mut counts = Counts::new();
        for process in &processes {
            let (sites, _) = Agent::at(&process.socket)
                .list(&arguments.probes)
                .map_err(|error| refused(process, &error))?;
            let mut probes: BTreeMap<String, Vec<&Site>> = BTreeMap::new();
            for site in sites.iter().filter(|site| site.on) {
                probes.entry(probe(site)).or_default().push(site);
            }
            for (name, sites) in probes {
                let number = u64::try_from(sites.len()).unwrap_or(u64::MAX);
                counts.insert((process.pid, name), (hits(&sites), number));
            }
        }
        Ok((Instant::now(), counts))
    };
    let (mut then, mut before) = look()?;
    let mut shown = 0;
    while arguments.count.is_none_or(|count| shown < count) {
        thread::sleep(arguments.every);
        let (now, counts) = look()?;
        terminal::print(&rates(&before, &counts, now.duration_since(then)))?;
        (then, before) = (now, counts);
        shown += 1;
    }
    Ok(None)
}

fn rates(before: &Counts, now: &Counts, time: Duration) -> String {
    let mut rows: Vec<(f64, String)> = now
        .iter()
        .map(|((pid, name), (hits, _))| {
            let first = before
                .get(&(*pid, name.clone()))
                .map_or(*hits, |(hits, _)| *hits);
            let rate = hits.saturating_sub(first) as f64 / time.as_secs_f64();
            (
                rate,
                format!("{pid:>8}  {rate:>14.0}  {hits:>14}  {name}\n"),
            )
        })
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
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
        let before = Counts::from([(key("a:a"), (10, 1)), (key("b:b"), (0, 1))]);
        let now = Counts::from([
            (key("a:a"), (30, 1)),
            (key("b:b"), (100, 1)),
            (key("c:new"), (5, 1)),
        ]);
        let text = rates(&before, &now, Duration::from_secs(2));
        let names: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split_whitespace().nth(3))
            .collect();
        assert_eq!(names, ["probe", "b:b", "a:a", "c:new"]);
        assert!(text.contains(" 50 ") && text.contains(" 10 "), "{text}");
    }
}
