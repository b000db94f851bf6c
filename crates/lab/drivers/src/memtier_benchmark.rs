//! `memtier_benchmark`, the load generator of Redis Ltd. for Redis and memcached.
//!
//! Read from the sources of 1.4 to 2.3, and checked against 28 commits behind 2.2.0.

mod arguments;

use perflab_experiment::{Better, Metric, Sample};
use serde_json::{Map, Value};

use crate::driver::{Driver, call};
use crate::error::{ArgumentError, ReadError, Stream, excerpt};
use crate::histogram::hdr_bucket_ms;
use crate::json::{amount_at, document, object_at, text_at, value_at};
use crate::kind::{self, Kind};
use crate::metric::metric;
use crate::output::Output;
use crate::slices::Alike;

/// Runs `memtier_benchmark` with its report as JSON on standard output, and reads it.
///
/// Benchmarks: `Totals`, `Sets`, `Gets`, `Waits`, and with `--command` its commands, as `Lpushs`; each if
/// there were any such requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct MemtierBenchmark;

/// The tool opens the file that standard output goes to once more, so nothing else may be written
/// there: the table that people read goes to `/dev/null`.
const ARGV: [&str; 6] = [
    "memtier_benchmark",
    "--out-file=/dev/null",
    "--json-out-file=/dev/stdout",
    "--hide-histogram",
    "--print-percentiles",
    "50,90,95,99,99.9,99.99",
];

const PERCENTILES: [&str; 6] = ["50", "90", "95", "99", "99.9", "99.99"];

/// The tool's key, the metric, its unit, and which way is better.
const RATES: [(&str, &str, &str, Better); 4] = [
    ("Ops/sec", "ops", "1/s", Better::Higher),
    ("Hits/sec", "hits", "1/s", Better::Higher),
    ("Misses/sec", "misses", "1/s", Better::Lower),
    ("KB/sec", "throughput", "KB/s", Better::Higher),
];

const LATENCIES: [(&str, &str); 3] = [
    ("Average Latency", "avg"),
    ("Min Latency", "min"),
    ("Max Latency", "max"),
];

/// Significant decimal figures of the histogram of latencies.
const FIGURES: u32 = 3;

const STATS: &str = "/ALL STATS";
const TOTALS: &str = "Totals";

fn latency(what: &str) -> Metric {
    Metric::new(format!("latency_{what}"), "ms", Better::Lower)
}

impl Driver for MemtierBenchmark {
    fn name(&self) -> &'static str {
        "memtier_benchmark"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        call(&ARGV, args)
    }

    fn check(&self, args: &[String]) -> Result<(), ArgumentError> {
        arguments::check(args)
    }

    fn metrics(&self) -> Vec<Metric> {
        let rates = RATES.map(|(_, name, unit, better)| metric((name, unit, better)));
        let latencies = LATENCIES.map(|(_, what)| latency(what));
        let percentiles = PERCENTILES.map(|rank| latency(&format!("p{rank}")));
        rates
            .into_iter()
            .chain(latencies)
            .chain(percentiles)
            .collect()
    }

    fn kind(&self, metric: &str) -> Kind {
        match metric.strip_prefix("latency_") {
            Some(what) => kind::latency(what),
            None if ["ops", "hits", "throughput"].contains(&metric) => Kind::Throughput,
            None => Kind::Other,
        }
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        refuse_complaint(output.stderr)?;
        output.refuse_exit_code()?;
        let text = without_nan(output.stdout);
        let report = document(text.as_bytes(), Stream::Stdout)?;
        let version = "/run information/Format version";
        if amount_at(&report, version)? != 2.0 {
            return Err(ReadError::stdout(
                format!("2 at `{version}`"),
                value_at(&report, version)?.to_string(),
            ));
        }
        let stats = object_at(&report, STATS)?;
        if text_at(&report, "/ALL STATS/Runtime/Interrupted").is_ok_and(|text| text != "false") {
            return Err(ReadError::stdout(
                "a run that ended by itself",
                "an interrupted one",
            ));
        }
        read(stats)
    }

    fn is_of_part(&self, metric: &str) -> bool {
        // Bytes are those of replies, too.
        ["hits", "misses", "throughput"].contains(&metric)
    }

    fn step(&self, metric: &str, value: f64, _: &[String]) -> Option<f64> {
        // The average is not taken from the histogram.
        let is_bucket = metric.starts_with("latency_") && metric != "latency_avg";
        is_bucket.then(|| hdr_bucket_ms(value, FIGURES))
    }

    fn slices(&self, args: &[String], count: u32) -> Result<Vec<Vec<String>>, ArgumentError> {
        arguments::slices(args, count)
    }

    fn alike(&self, args: &[String]) -> Alike {
        arguments::alike(args)
    }

    fn threads(&self, args: &[String]) -> Option<u32> {
        arguments::threads(args)
    }

    fn cautions(&self, args: &[String]) -> Vec<String> {
        arguments::cautions(args)
    }
}

/// Replies that are errors are counted as requests like any other, and a server that is not there
/// as a run without requests.
fn refuse_complaint(stderr: &[u8]) -> Result<(), ReadError> {
    const COMPLAINTS: [&str; 6] = [
        "handle error response:",
        "Connection error:",
        "connection error:",
        "connection dropped",
        "Authentication failed",
        "error: ",
    ];
    let stderr = String::from_utf8_lossy(stderr);
    // Progress is a line that is written again and again.
    let mut lines = stderr
        .split('\n')
        .enumerate()
        .flat_map(|(index, line)| line.split('\r').map(move |text| (index, text)));
    let complaint = lines.find(|(_, line)| COMPLAINTS.iter().any(|words| line.contains(words)));
    ReadError::refuse_complaint(Stream::Stderr, complaint)
}

/// The report with `null` for values that are no JSON: old versions print averages of no
/// requests as `nan` or `-nan`.
fn without_nan(stdout: &[u8]) -> String {
    let text = String::from_utf8_lossy(stdout);
    text.split_inclusive('\n')
        .map(|line| {
            let bare = line.trim_end();
            match bare.strip_suffix("-nan").or(bare.strip_suffix("nan")) {
                Some(key) if key.ends_with("\": ") => format!("{key}null\n"),
                _ => line.to_owned(),
            }
        })
        .collect()
}

/// The samples of all benchmarks, the totals first.
fn read(stats: &Map<String, Value>) -> Result<Vec<Sample>, ReadError> {
    let mut benchmarks = Vec::new();
    for (name, value) in stats {
        if ![TOTALS, "Runtime"].contains(&name.as_str()) {
            let benchmark = Benchmark { name, value };
            if benchmark.amount("Ops/sec")? > 0.0 {
                benchmarks.push(benchmark);
            }
        }
    }
    let value = stats
        .get(TOTALS)
        .ok_or_else(|| ReadError::stdout(format!("an object at `{STATS}/{TOTALS}`"), "none"))?;
    let totals = Benchmark {
        name: TOTALS,
        value,
    };
    let ops = totals.amount("Ops/sec")?;
    if ops == 0.0 {
        return Err(ReadError::stdout("at least one request", "none")
            .advise("start the server first, and check -s, -p and the password"));
    }
    // Each rate is rounded to a hundredth. Of two benchmarks with one name the JSON reader sees the last.
    let sum = benchmarks
        .iter()
        .map(|benchmark| benchmark.amount("Ops/sec"))
        .sum::<Result<f64, _>>()?;
    if (sum - ops).abs() > 0.01 * (benchmarks.len() + 1) as f64 {
        return Err(ReadError::stdout(
            format!("benchmarks that make up the {ops} requests per second of the totals"),
            format!("{sum}"),
        )
        .advise(
            "leave out --command-stats-breakdown=line, which gives several benchmarks one name",
        ));
    }
    let mut samples = Vec::new();
    totals.read(&mut samples, &benchmarks)?;
    for benchmark in &benchmarks {
        benchmark.read(&mut samples, &[])?;
    }
    Ok(samples)
}

/// What one kind of request did, or all together.
#[derive(Debug, Clone, Copy)]
struct Benchmark<'a> {
    name: &'a str,
    value: &'a Value,
}

impl Benchmark<'_> {
    fn amount(&self, key: &str) -> Result<f64, ReadError> {
        amount_at(self.value, &format!("/{}", key.replace('/', "~1"))).map_err(|mut error| {
            error.expected = format!("{} of {}", error.expected, excerpt(self.name));
            error
        })
    }

    /// `of` holds the benchmarks of the totals, and is empty for all others.
    fn read(&self, samples: &mut Vec<Sample>, of: &[Self]) -> Result<(), ReadError> {
        let errors = "Connection Errors";
        if self.value.get(errors).is_some() && self.amount(errors)? > 0.0 {
            return Err(ReadError::stdout(
                "no connection errors",
                self.amount(errors)?.to_string(),
            ));
        }
        let mut push = |metric: Metric, value| {
            samples.push(Sample {
                benchmark: Some(self.name.to_owned()),
                metric: metric.into(),
                value,
                step: None,
            });
        };
        // Only what looks up keys hits or misses them.
        let looks_up = self.amount("Hits/sec")? + self.amount("Misses/sec")? > 0.0;
        for (key, name, unit, better) in RATES {
            if looks_up || !["hits", "misses"].contains(&name) {
                let metric = Metric::new(name, unit, better);
                push(metric, self.summed(key, name, of)?);
            }
        }
        for (key, what) in LATENCIES {
            push(latency(what), self.weighted(key, what, of)?);
        }
        let percentiles = self.value.get("Percentile Latencies");
        for (rank, value) in percentiles.and_then(Value::as_object).into_iter().flatten() {
            // Beside them stands the histogram.
            if value.is_object() {
                continue;
            }
            let number = rank
                .strip_prefix('p')
                .and_then(|rank| rank.parse::<f64>().ok())
                .filter(|rank| (0.0..=100.0).contains(rank))
                .ok_or_else(|| ReadError::stdout("percentiles from p0 to p100", excerpt(rank)))?;
            let value = amount_at(self.value, &format!("/Percentile Latencies/{rank}"))?;
            push(latency(&format!("p{number}")), value);
        }
        Ok(())
    }

    /// A value of this benchmark. The tool counts the throughput of commands twice in the totals, so
    /// there it is the sum of the benchmarks.
    fn summed(&self, key: &str, name: &str, of: &[Self]) -> Result<f64, ReadError> {
        if name == "throughput" && !of.is_empty() {
            return of.iter().map(|benchmark| benchmark.amount(key)).sum();
        }
        self.amount(key)
    }

    /// A latency of this benchmark. The tool prints 0 as the average of the totals, so there it is that
    /// of the benchmarks, weighted by their rates.
    fn weighted(&self, key: &str, what: &str, of: &[Self]) -> Result<f64, ReadError> {
        if what != "avg" || of.is_empty() {
            return self.amount(key);
        }
        let (mut total, mut weights) = (0.0, 0.0);
        for benchmark in of {
            let weight = benchmark.amount("Ops/sec")?;
            total += weight * benchmark.amount(key)?;
            weights += weight;
        }
        Ok(total / weights)
    }
}
