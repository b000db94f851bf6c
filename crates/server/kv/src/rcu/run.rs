//! `perflab-kv rcu run`: how often readers read and writers write under a flavour.

use std::time::{Duration, Instant};

use clap::Args;
use perflab_rcu::{Flavour, facts, never_watch, prove, was_at_work, with_flavour};

use super::chosen::Chosen;
use super::cpus;
use super::crew::{Crew, has_begun, joined};
use super::layout::LAYOUTS;
use super::loops::Shared;
use super::measured::{GracePeriods, Measured, counters, evidence};
use crate::failure::{Code, Failure};
use crate::output::print_json;

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  perflab-kv rcu run memb --readers 6 --writers 2 --milliseconds 10000 --affinity 0,1",
    after_long_help = "Before it measures, it lets readers read and makes one grace period. It ends with 4 if the \
mechanism of the flavour was not at work, as when nobody called membarrier under memb. It looks again after the \
measurement: the counts must fit the number of writes.\n\n\
Prints one JSON object on one line:\n  \
flavour, readers, writers\n  \
seconds                  from the first write to the end, of all threads alike\n  \
reads, writes            in that time; a write counts when its grace period is over and its object is freed\n  \
reads_per_s, writes_per_s\n  \
grace_periods            how long writers waited for them; absent with --unwatched:\n    \
waits                  number of waits, those included that were under way at the end. Writers that wait at the same \
time may share a grace period\n    \
mean_ns, min_ns, p50_ns, p99_ns, max_ns    absent if there were none. The quantiles are within 1 %, and the others \
exact\n    \
histogram              a list of from_ns and count: waits that took at least that time, by powers of two and the \
middles between them\n  \
proof                    the counters of evidence in the grace period before the measurement\n  \
evidence                 in the measured time, with the waits that were under way at its end:\n    \
waits, membarrier_expedited, membarrier_global, membarrier_other, signals_sent, signals_handled, \
futex_waits, futex_wakes, polls, quiescent_states, write_locks; calls of membarrier that failed do not count\n    \
library, build_id, generation, barrier, has_sys_membarrier, membarrier_query    as text, where they exist\n\n\
Example:\n  perflab-kv rcu run memb --readers 6 --writers 2 --milliseconds 10000 --affinity 0,1"
)]
pub struct RunArguments {
    #[command(flatten)]
    chosen: Chosen,

    /// Read with N threads.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=1000))]
    readers: u16,

    /// Write with N threads.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(0..=1000))]
    writers: u16,

    /// Measure for N milliseconds.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    milliseconds: u32,

    /// Bind threads to these CPUs, in turn: readers first, then writers. Numbers with commas between them, as 0,1
    /// [default: bind none].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = cpus::number)]
    affinity: Vec<usize>,

    /// Announce a quiescent state after every N reads: a power of two, at most 1048576. Flavours without such states
    /// (all but qsbr and own-qsbr) ignore it.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = reads_between)]
    quiescent_every: u64,

    /// Place the loop of readers 16 x K bytes further on in memory; K is 0 to 7.
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..LAYOUTS as i64))]
    layout: u8,

    /// Let each writer sleep for N microseconds after a write, at most 1000000 [default: not at all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pause_microseconds: Option<u32>,

    /// Do not time grace periods, and let no thread watch for stalls.
    #[arg(long)]
    unwatched: bool,
}

/// More would hold grace periods up for longer than a busy machine does.
const MOST_READS_BETWEEN: u64 = 1 << 20;

fn reads_between(text: &str) -> Result<u64, String> {
    let number: u64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if number.is_power_of_two() && number <= MOST_READS_BETWEEN {
        Ok(number)
    } else {
        Err(format!(
            "expected a power of two, at most {MOST_READS_BETWEEN}"
        ))
    }
}

/// Executes the command.
pub fn run(arguments: &RunArguments) -> Result<Option<Code>, Failure> {
    arguments.chosen.look()?;
    arguments.chosen.libraries.choose()?;
    if arguments.unwatched {
        never_watch();
    }
    let choice = arguments.chosen.choice().map_err(Failure::unavailable)?;
    let measured = with_flavour!(choice, F => measure::<F>(arguments))?;
    print_json(&measured)?;
    Ok(None)
}

fn measure<F: Flavour>(arguments: &RunArguments) -> Result<Measured, Failure> {
    F::load().map_err(Failure::unavailable)?;
    let (readers, writers) = (
        usize::from(arguments.readers),
        usize::from(arguments.writers),
    );
    let crew = Crew {
        readers,
        cpus: &arguments.affinity,
        layout: usize::from(arguments.layout),
        quiescent_every: arguments.quiescent_every,
    };
    let pause = arguments.pause_microseconds;
    let pause = pause.map(|microseconds| Duration::from_micros(microseconds.into()));
    let shared = &Shared::<F>::new(readers, writers);
    crew.read_during(shared, |scope| {
        // The flavour is proven before anybody writes.
        let before_proof = F::counts();
        let proven = prove::<F>(readers as u64).map_err(Failure::no_number)?;
        let mut hands = Vec::new();
        for number in 0..writers {
            let writes = move || {
                let written = shared.write(number, !arguments.unwatched, pause);
                written.map_err(Failure::no_number)
            };
            let name = format!("writer-{number}");
            hands.push(crew.begin(scope, name, readers + number, writes)?);
        }
        if !has_begun(shared, readers + writers, &hands) {
            shared.end();
            joined(hands)?;
            return Err(Failure::no_number(
                "a writer ended before the measurement began",
            ));
        }
        let before = (F::counts(), F::domain().durations());
        let reads = shared.reads();
        let begin = Instant::now();
        shared.go();
        std::thread::sleep(Duration::from_millis(arguments.milliseconds.into()));
        // A write that has not ended when the flag is set does not count, and so does no read.
        let reads = shared.reads() - reads;
        let seconds = begin.elapsed().as_secs_f64();
        shared.end();
        joined(hands)?;
        let counts = F::counts().since(&before.0);
        // Writes that do not count may have waited while readers left.
        let writes = shared.writes();
        let fits = was_at_work::<F>(&counts, readers as u64, writers as u64, writes);
        fits.map_err(Failure::no_number)?;
        let durations = F::domain().durations().since(&before.1);
        Ok(Measured {
            flavour: arguments.chosen.flavour.clone(),
            readers,
            writers,
            seconds,
            reads,
            writes,
            reads_per_s: reads as f64 / seconds,
            writes_per_s: writes as f64 / seconds,
            grace_periods: (!arguments.unwatched).then(|| GracePeriods::new(&durations)),
            proof: counters(&proven.since(&before_proof)),
            evidence: evidence(&counts, &facts::<F>()),
        })
    })
}
