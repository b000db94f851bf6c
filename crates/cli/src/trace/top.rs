//! `perflab trace top`: which probes are hit, and how often.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use clap::Args;
use perflab_control::{Agent, Site, Traced};

use super::along::{Along, Events};
use super::by::{self, By};
use super::choice::{NONE, Processes, probes, seconds};
use super::list::{hits, probe, recorded};
use super::outcome::Outcome;
use super::watched::Watched;
use super::when::When;
use crate::failure::{Code, Failure};
use crate::terminal;

/// How soon a signal ends it, while probes are on for it.
const END: Duration = Duration::from_millis(100);

// Arguments of `top`.
#[derive(Debug, Args)]
pub struct TopArguments {
    /// Which probes, as provider:name with *; several with commas.
    #[arg(value_name = "PROBES", default_value = "*", value_parser = probes)]
    probes: String,

    #[command(flatten)]
    processes: Processes,

    #[command(flatten)]
    when: When,

    /// Show how often this argument of the probes has each value, or $ctx.procname, $ctx.vtid and others of $ctx.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,

    /// Seconds between two looks.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    every: Duration,

    /// How many times to show the rates; for ever, if not given.
    #[arg(short, long, value_name = "N")]
    count: Option<u32>,
}

/// What is known of each probe that is on, of each process.
type Counts = BTreeMap<(u32, String), Count>;

/// What one look has shown.
#[derive(Debug, Default)]
struct Look {
    counts: Counts,
    /// Whether a process has a probe that is wanted, on or off.
    is_any_known: bool,
}

/// Hits of a probe so far, and when that was so.
#[derive(Debug, Clone, Copy)]
enum Count {
    /// The agent counts them.
    Counted(u64, Instant),
    /// They are recorded, and counted here, if they can be read.
    Recorded(Option<Events>),
}

/// Hits per second.
#[derive(Debug, Clone, Copy)]
struct Rate {
    least: f64,
    /// Whether there may have been more: some events of the process could not be read.
    is_more: bool,
}

impl Count {
    /// From an earlier one to this; nothing if they do not tell.
    fn rate_since(&self, before: &Self) -> Option<Rate> {
        let per_second = |before: u64, now: u64, then: Instant, at: Instant| {
            now.saturating_sub(before) as f64 / at.saturating_duration_since(then).as_secs_f64()
        };
        let (least, is_more) = match (before, self) {
            (Self::Counted(before, then), Self::Counted(now, at)) => {
                (per_second(*before, *now, *then, *at), false)
            }
            (Self::Recorded(Some(before)), Self::Recorded(Some(now)))
                if before.number == now.number =>
            {
                let least = per_second(before.read, now.read, before.at, now.at);
                (least, now.lost > before.lost)
            }
            _ => return None,
        };
        Some(Rate { least, is_more })
    }

    fn hits(&self) -> String {
        match self {
            Self::Counted(hits, _) => hits.to_string(),
            Self::Recorded(_) => recorded(),
        }
    }
}

/// Executes `top`.
pub fn top(arguments: &TopArguments) -> Result<Option<Code>, Failure> {
    let is_watched = arguments.when.is_given() || arguments.by.is_some();
    if is_watched && arguments.processes.pid.is_empty() {
        return Err(Failure::usage(
            "which process? --when and --by switch probes on as long as they are shown, and need --pid PID for that",
        ));
    }
    let (mut processes, mut outcome) = arguments.processes.find()?;
    if processes.is_empty() {
        outcome.nothing(NONE);
        return Ok(outcome.code());
    }
    let (when, probes) = (&arguments.when, &arguments.probes);
    let by = arguments.by.as_deref();
    let by = by
        .map(|name| By::new(name, &processes, probes))
        .transpose()?;
    let name = by.as_ref().map(By::name);
    let watched = Watched::begin(when, name, &mut processes, probes, &mut outcome)?;
    let shown = match (&by, &watched) {
        (Some(by), Some(watched)) => {
            let times = (arguments.every, arguments.count);
            by::show(by, probes, times, &mut processes, watched, &mut outcome)
        }
        _ => show(arguments, &mut processes, watched.as_ref(), &mut outcome),
    };
    Ok(outcome.end(shown))
}

/// Shows the rates of these processes, of fewer as they end.
fn show(
    arguments: &TopArguments,
    processes: &mut Vec<Traced>,
    watched: Option<&Watched>,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let is_over = || watched.is_some_and(Watched::is_over);
    let mut along = Along::new();
    let wanted = &arguments.probes;
    let mut before = look(processes, wanted, &mut along, outcome)?;
    if !processes.is_empty() && !before.is_any_known && wanted != "*" {
        outcome.fail(&Failure::no_data(format!(
            "no probe is called {wanted:?} there now"
        )));
    }
    let mut shown = 0;
    while arguments.count.is_none_or(|count| shown < count) {
        let end = Instant::now() + arguments.every;
        let mut left = arguments.every;
        while !processes.is_empty() && !left.is_zero() && !is_over() {
            along.wait(watched.map_or(left, |_| left.min(END)))?;
            left = end.saturating_duration_since(Instant::now());
        }
        if is_over() {
            break;
        }
        let now = look(processes, wanted, &mut along, outcome)?;
        if processes.is_empty() {
            break;
        }
        terminal::print(&rates(&before.counts, &now.counts, wanted))?;
        before = now;
        shown += 1;
    }
    if shown == 0 && processes.is_empty() {
        outcome.nothing("no process has answered");
    }
    Ok(())
}

/// What the processes say. One that does not answer is not asked again: the rates of the others would wait
/// for it each time.
fn look(
    processes: &mut Vec<Traced>,
    wanted: &str,
    along: &mut Along,
    outcome: &mut Outcome,
) -> Result<Look, Failure> {
    let mut look = Look::default();
    let mut answered = Vec::new();
    along.begin();
    for process in processes.drain(..) {
        let answer = Agent::at(&process.socket).list(wanted);
        let now = Instant::now();
        let Some((sites, _)) = outcome.take(&process, answer) else {
            continue;
        };
        look.is_any_known |= !sites.is_empty();
        let mut probes: BTreeMap<String, Vec<&Site>> = BTreeMap::new();
        for site in sites.iter().filter(|site| site.on) {
            probes.entry(probe(site)).or_default().push(site);
        }
        if sites.iter().any(|site| site.is_recorded) {
            along.add(process.pid)?;
        }
        let read = along.process(process.pid);
        for (name, sites) in probes {
            let count = match hits(&sites) {
                Some(hits) => Count::Counted(hits, now),
                None => Count::Recorded(read.as_ref().map(|read| read.events(&name))),
            };
            look.counts.insert((process.pid, name), count);
        }
        answered.push(process);
    }
    *processes = answered;
    Ok(look)
}

fn rates(before: &Counts, now: &Counts, wanted: &str) -> String {
    let mut rows: Vec<(Option<Rate>, String)> = now
        .iter()
        .map(|(probe, count)| {
            // What was not on before has no rate yet.
            let rate = before
                .get(probe)
                .and_then(|before| count.rate_since(before));
            let shown = rate.map_or_else(
                || "-".to_owned(),
                |rate| format!("{}{:.0}", if rate.is_more { ">" } else { "" }, rate.least),
            );
            let (pid, name) = probe;
            let hits = count.hits();
            (rate, format!("{pid:>8}  {shown:>14}  {hits:>14}  {name}\n"))
        })
        .collect();
    rows.sort_by(|(a, _), (b, _)| {
        let least = |rate: &Option<Rate>| rate.map_or(-1.0, |rate| rate.least);
        least(b).total_cmp(&least(a))
    });
    let mut text = format!(
        "{:>8}  {:>14}  {:>14}  probe\n",
        "process", "hits/s", "hits"
    );
    if rows.is_empty() {
        let called = match wanted {
            "*" => String::new(),
            _ => format!(" that is called {wanted:?}"),
        };
        text += &format!(
            "  no probe{called} is on; perflab trace on PROBES --pid PID switches some on\n"
        );
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
        let counted = Count::Counted;
        let of = |number, read, lost, at| {
            Count::Recorded(Some(Events {
                number,
                read,
                lost,
                at,
            }))
        };
        let recorded = |read, lost, at| of(1, read, lost, at);
        let before = Counts::from([
            (key("a:a"), counted(10, then)),
            (key("b:b"), counted(0, then)),
            (key("e:recorded"), recorded(5, 0, then)),
            (key("f:lost"), recorded(5, 3, then)),
            (key("g:counted"), recorded(5, 3, then)),
            (key("h:another"), recorded(5, 3, then)),
        ]);
        let now = Counts::from([
            (key("a:a"), counted(30, later)),
            (key("b:b"), counted(100, later)),
            (key("c:new"), counted(5, later)),
            (key("d:unknown"), Count::Recorded(None)),
            (key("e:recorded"), recorded(65, 0, later)),
            (key("f:lost"), recorded(45, 4, later)),
            (key("g:counted"), counted(7, later)),
            (key("h:another"), of(2, 70, 0, later)),
        ]);
        let expected = [
            " process          hits/s            hits  probe",
            "       7              50             100  b:b",
            "       7              30        recorded  e:recorded",
            "       7             >20        recorded  f:lost",
            "       7              10              30  a:a",
            "       7               -               5  c:new",
            "       7               -        recorded  d:unknown",
            "       7               -               7  g:counted",
            "       7               -        recorded  h:another",
            "",
        ];
        let text = rates(&before, &now, "*");
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
        let text = rates(&before, &Counts::new(), "a:*");
        assert!(
            text.contains("  no probe that is called \"a:*\" is on; "),
            "{text}"
        );
    }
}
