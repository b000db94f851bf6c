//! `fio`, the flexible I/O tester.
//!
//! Read from the sources of 3.33 and 3.41, and checked against 3.33.

mod arguments;

use perflab_experiment::{Better, Metric, Sample};
use serde_json::Value;

use crate::driver::{Driver, call};
use crate::error::{ArgumentError, Place, ReadError, Stream, excerpt};
use crate::histogram::bucket;
use crate::json;
use crate::kind::{self, Kind};
use crate::output::Output;
use crate::slices::Alike;

/// Runs `fio --output-format=json ARGS` and reads its report.
///
/// Benchmarks: `read`, `write`, `trim`, `sync` and `mixed`, each if it did anything; with several jobs
/// `JOB/read` and so on. CPU time belongs to the job as a whole: no benchmark, or `JOB`.
///
/// Metrics: `iops` (1/s), `bandwidth` (bytes/s); in us `latency_*` (from the start of a request to
/// its end), `slat_*` (to its submission) and `clat_*` (from there to its end), each `avg`, `min`,
/// `max` and the percentiles that the tool printed; `cpu_user` and `cpu_system` (% of one CPU).
#[derive(Debug, Clone, Copy, Default)]
pub struct Fio;

/// The tool's object and the metrics made from it.
const LATENCIES: [(&str, &str); 3] = [
    ("lat_ns", "latency"),
    ("clat_ns", "clat"),
    ("slat_ns", "slat"),
];

/// The percentiles that the tool prints of `clat` unless told otherwise.
const PERCENTILES: [&str; 17] = [
    "1", "5", "10", "20", "30", "40", "50", "60", "70", "80", "90", "95", "99", "99.5", "99.9",
    "99.95", "99.99",
];

/// The narrowest buckets of the histograms that percentiles are from: how wide they are, and how many.
const NARROWEST_US: f64 = 0.001;
const NARROWEST: u32 = 128;

fn iops() -> Metric {
    Metric::new("iops", "1/s", Better::Higher)
}

fn bandwidth() -> Metric {
    Metric::new("bandwidth", "bytes/s", Better::Higher)
}

fn latency(of: &str, what: &str) -> Metric {
    Metric::new(format!("{of}_{what}"), "us", Better::Lower)
}

fn cpu(mode: &str) -> Metric {
    Metric::new(format!("cpu_{mode}"), "%", Better::Lower)
}

impl Driver for Fio {
    fn name(&self) -> &'static str {
        "fio"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        call(&["fio", "--output-format=json"], args)
    }

    fn check(&self, args: &[String]) -> Result<(), ArgumentError> {
        arguments::check(args)
    }

    fn metrics(&self) -> Vec<Metric> {
        let mut metrics = vec![iops(), bandwidth()];
        for (_, of) in LATENCIES {
            metrics.extend(["avg", "min", "max"].map(|what| latency(of, what)));
        }
        metrics.extend(PERCENTILES.map(|share| latency("clat", &format!("p{share}"))));
        metrics.extend([cpu("user"), cpu("system")]);
        metrics
    }

    fn kind(&self, metric: &str) -> Kind {
        // The submission alone is no latency of a request.
        let whole = ["latency_", "clat_"];
        match whole.iter().find_map(|start| metric.strip_prefix(start)) {
            Some(what) => kind::latency(what),
            None if ["iops", "bandwidth"].contains(&metric) => Kind::Throughput,
            None => Kind::Other,
        }
    }

    fn step(&self, metric: &str, value: f64, _: &[String]) -> Option<f64> {
        let of_percentile = |name: &str| metric.strip_prefix(name)?.parse::<f64>().ok();
        let starts = ["latency_p", "clat_p", "slat_p"];
        starts.into_iter().find_map(of_percentile)?;
        Some(bucket(value, NARROWEST_US, NARROWEST))
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        let (notes, document) = split(output.stdout);
        let notes = String::from_utf8_lossy(notes);
        refuse_signal(&notes)?;
        output.refuse_exit_code()?;
        let report = report(&notes, document)?;
        let jobs = json::array_at(&report, "/jobs")?.len();
        if jobs == 0 {
            return Err(ReadError::stdout("at least one job", "none"));
        }
        let mut samples = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for index in 0..jobs {
            let job = Job {
                report: &report,
                at: format!("/jobs/{index}"),
                name: json::text_at(&report, &format!("/jobs/{index}/jobname"))?,
                alone: jobs == 1,
            };
            if names.contains(&job.name) {
                return Err(ReadError::stdout(
                    "each name of a job once",
                    format!("{} again", excerpt(job.name)),
                )
                .advise(
                    "add --group_reporting for one result of all copies, or give each job a name of \
                     its own",
                ));
            }
            names.push(job.name);
            job.read(&mut samples)?;
        }
        Ok(samples)
    }

    fn alike(&self, args: &[String]) -> Alike {
        let is_timed = |word: &String| word.trim_start_matches('-').starts_with("time_based");
        match args.iter().any(is_timed) {
            true => Alike::Time,
            false => Alike::Work,
        }
    }

    fn threads(&self, args: &[String]) -> Option<u32> {
        arguments::threads(args)
    }

    fn cautions(&self, args: &[String]) -> Vec<String> {
        arguments::cautions(args)
    }
}

/// The notes that the tool may print before its JSON document, and the document.
fn split(stdout: &[u8]) -> (&[u8], &[u8]) {
    let start = stdout
        .split_inclusive(|&byte| byte == b'\n')
        .take_while(|line| !line.starts_with(b"{"))
        .map(<[u8]>::len)
        .sum();
    stdout.split_at_checked(start).unwrap_or((stdout, b""))
}

/// A job that was ended by a signal has a report like any other.
fn refuse_signal(notes: &str) -> Result<(), ReadError> {
    let signal = |(_, line): &(usize, &str)| line.starts_with("fio: terminating on signal");
    match notes.lines().enumerate().find(signal) {
        Some((index, line)) => Err(ReadError::new(
            Place::Line(Stream::Stdout, index + 1),
            "a run that ended by itself",
            excerpt(line),
        )),
        None => Ok(()),
    }
}

/// The document behind the notes, with lines counted from the first note.
fn report(notes: &str, document: &[u8]) -> Result<Value, ReadError> {
    if document.is_empty() {
        let first = notes.lines().next().unwrap_or_default();
        return Err(ReadError::stdout(
            "a line that begins a JSON document",
            format!("none, and first {}", excerpt(first)),
        )
        .advise("the output may have been cut off"));
    }
    json::document(document, Stream::Stdout).map_err(|mut error| {
        if let Place::Line(_, line) = &mut error.place {
            *line += notes.lines().count();
        }
        error
    })
}

/// One job of the report, or a group of them reported as one.
#[derive(Debug)]
struct Job<'a> {
    report: &'a Value,
    /// Pointer to it.
    at: String,
    name: &'a str,
    alone: bool,
}

impl Job<'_> {
    fn read(&self, samples: &mut Vec<Sample>) -> Result<(), ReadError> {
        self.refuse_errors()?;
        let before = samples.len();
        for direction in ["read", "write", "trim", "mixed"] {
            if self.did_anything(direction)? {
                self.rates(direction, samples)?;
                self.latencies(direction, &LATENCIES, samples)?;
            }
        }
        // Of calls such as fsync only the whole latency is reported.
        if self.did_anything("sync")? {
            self.latencies("sync", &LATENCIES[..1], samples)?;
        }
        if samples.len() == before {
            return Err(ReadError::stdout(
                format!("at least one request of job {}", excerpt(self.name)),
                "none",
            ));
        }
        for (key, mode) in [("usr_cpu", "user"), ("sys_cpu", "system")] {
            samples.push(Sample {
                benchmark: (!self.alone).then(|| self.name.to_owned()),
                metric: cpu(mode).into(),
                value: self.amount(key)?,
                step: None,
            });
        }
        Ok(())
    }

    fn amount(&self, key: &str) -> Result<f64, ReadError> {
        json::amount_at(self.report, &format!("{}/{key}", self.at))
    }

    /// The job's `error`, and the count of those that it was told to continue after.
    fn refuse_errors(&self) -> Result<(), ReadError> {
        for key in ["error", "total_err"] {
            let optional = key == "total_err";
            let pointer = format!("{}/{key}", self.at);
            if optional && self.report.pointer(&pointer).is_none() {
                continue;
            }
            let found = json::amount_at(self.report, &pointer)?;
            if found != 0.0 {
                return Err(ReadError::stdout(
                    format!("`{key}` of job {} to be 0", excerpt(self.name)),
                    found.to_string(),
                ));
            }
        }
        Ok(())
    }

    /// Whether a direction is in the report and has requests.
    fn did_anything(&self, direction: &str) -> Result<bool, ReadError> {
        let pointer = format!("{}/{direction}", self.at);
        match self.report.pointer(&pointer) {
            None => Ok(false),
            Some(_) => Ok(self.amount(&format!("{direction}/total_ios"))? > 0.0),
        }
    }

    fn benchmark(&self, direction: &str) -> Option<String> {
        Some(if self.alone {
            direction.to_owned()
        } else {
            format!("{}/{direction}", self.name)
        })
    }

    fn rates(&self, direction: &str, samples: &mut Vec<Sample>) -> Result<(), ReadError> {
        for (key, metric) in [("iops", iops()), ("bw_bytes", bandwidth())] {
            let key = format!("{direction}/{key}");
            let value = self.amount(&key)?;
            if value == 0.0 {
                return Err(ReadError::stdout(
                    format!("`{}/{key}` to be above 0", self.at),
                    "0 although there were requests",
                )
                .advise("the tool counts whole milliseconds: let the job do more"));
            }
            samples.push(Sample {
                benchmark: self.benchmark(direction),
                metric: metric.into(),
                value,
                step: None,
            });
        }
        Ok(())
    }

    fn latencies(
        &self,
        direction: &str,
        kinds: &[(&str, &str)],
        samples: &mut Vec<Sample>,
    ) -> Result<(), ReadError> {
        for (key, of) in kinds {
            let at = format!("{direction}/{key}");
            // Jobs may switch off what they do not need, and then nothing was counted.
            if self.amount(&format!("{at}/N"))? == 0.0 {
                continue;
            }
            let mut values = Vec::new();
            for (key, what) in [("mean", "avg"), ("min", "min"), ("max", "max")] {
                values.push((what.to_owned(), self.amount(&format!("{at}/{key}"))?));
            }
            let pointer = format!("{}/{at}/percentile", self.at);
            if self.report.pointer(&pointer).is_some() {
                for share in json::object_at(self.report, &pointer)?.keys() {
                    let what = percentile(share)?;
                    values.push((what, self.amount(&format!("{at}/percentile/{share}"))?));
                }
            }
            samples.extend(values.into_iter().map(|(what, ns)| Sample {
                benchmark: self.benchmark(direction),
                metric: latency(of, &what).into(),
                value: ns / 1000.0,
                step: None,
            }));
        }
        Ok(())
    }
}

/// `99.900000` as `p99.9`.
fn percentile(share: &str) -> Result<String, ReadError> {
    let plain = share.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match share.parse::<f64>() {
        Ok(number) if plain && (0.0..=100.0).contains(&number) => Ok(format!("p{number}")),
        _ => Err(ReadError::stdout(
            "percentiles from 0 to 100",
            format!("one called {}", excerpt(share)),
        )),
    }
}
