//! The report that sysbench prints at the end.

use perflab_experiment::{Better, Sample};

use crate::error::{Place, ReadError, Stream, excerpt};
use crate::metric::{Row, metric};
use crate::number;

/// In the order of the samples.
pub(super) const METRICS: [Row; 17] = [
    ("events", "1/s", Better::Higher),
    ("queries", "1/s", Better::Higher),
    ("reads", "1/s", Better::Higher),
    ("writes", "1/s", Better::Higher),
    ("fsyncs", "1/s", Better::Higher),
    ("read_throughput", "MiB/s", Better::Higher),
    ("write_throughput", "MiB/s", Better::Higher),
    ("memory_throughput", "MiB/s", Better::Higher),
    ("time", "s", Better::Lower),
    ("latency_avg", "ms", Better::Lower),
    ("latency_min", "ms", Better::Lower),
    ("latency_max", "ms", Better::Lower),
    ("latency_p50", "ms", Better::Lower),
    ("latency_p95", "ms", Better::Lower),
    ("latency_p99", "ms", Better::Lower),
    ("ignored_errors", "1/s", Better::Lower),
    ("reconnects", "1/s", Better::Lower),
];

/// Section, label, what stands behind the value, and the metric. Of a count and a rate in brackets
/// the rate is taken.
const LINES: [(&str, &str, &str, &str); 16] = [
    ("CPU speed:", "events per second", "", "events"),
    ("SQL statistics:", "transactions", " per sec.)", "events"),
    ("SQL statistics:", "queries", " per sec.)", "queries"),
    (
        "SQL statistics:",
        "ignored errors",
        " per sec.)",
        "ignored_errors",
    ),
    ("SQL statistics:", "reconnects", " per sec.)", "reconnects"),
    ("File operations:", "reads/s", "", "reads"),
    ("File operations:", "writes/s", "", "writes"),
    ("File operations:", "fsyncs/s", "", "fsyncs"),
    ("Throughput:", "read, MiB/s", "", "read_throughput"),
    ("Throughput:", "written, MiB/s", "", "write_throughput"),
    ("General statistics:", "total time", "s", "time"),
    ("General statistics:", "total number of events", "", COUNT),
    ("Latency (ms):", "min", "", "latency_min"),
    ("Latency (ms):", "avg", "", "latency_avg"),
    ("Latency (ms):", "max", "", "latency_max"),
    ("Latency (ms):", "sum", "", SUM),
];

/// Values that metrics are made from.
const COUNT: &str = "number of events";
const SUM: &str = "sum of latencies";

/// The last line.
const END: (&str, &str) = ("Threads fairness:", "execution time (avg/stddev)");

#[derive(Debug, Default)]
struct Report {
    /// Name, value and line number.
    found: Vec<(String, f64, usize)>,
    ended: bool,
}

/// The samples in the report.
pub(super) fn read(stdout: &[u8]) -> Result<Vec<Sample>, ReadError> {
    let text = String::from_utf8_lossy(stdout);
    let mut report = Report::default();
    let mut section = "";
    for (index, line) in text.lines().enumerate() {
        if !line.starts_with(' ') && line.ends_with(':') {
            section = line;
        } else {
            report.line(section, line, index + 1)?;
        }
    }
    // Without its beginning the report may lack the lines with rates, and still look whole.
    if !text.lines().any(|line| line.starts_with("sysbench ")) {
        return Err(ReadError::stdout("a line `sysbench VERSION`", "none")
            .advise("the beginning of the output may be missing, or --verbosity be too low"));
    }
    if !report.ended {
        return Err(ReadError::stdout(format!("the line `{}`", END.1), "none")
            .advise("the output may have been cut off"));
    }
    report.samples()
}

impl Report {
    fn line(&mut self, section: &str, line: &str, number: usize) -> Result<(), ReadError> {
        // The memory test has lines without a section.
        if let Some(rest) = line.strip_prefix("Total operations: ") {
            return self.add("events", rest, " per second)", number);
        }
        if let Some((_, rest)) = line.split_once(" MiB transferred ") {
            return self.add("memory_throughput", rest, " MiB/sec)", number);
        }
        let Some((label, value)) = line.trim().split_once(':') else {
            return Ok(());
        };
        if (section, label) == END {
            self.ended = true;
        }
        if section == "Latency (ms):"
            && let Some(rank) = label.strip_suffix("th percentile")
        {
            return self.add(&format!("latency_p{rank}"), value, "", number);
        }
        let line = LINES
            .iter()
            .find(|(of, known, ..)| (*of, *known) == (section, label));
        match line {
            Some((_, _, unit, name)) => self.add(name, value, unit, number),
            None => Ok(()),
        }
    }

    fn add(&mut self, name: &str, text: &str, unit: &str, line: usize) -> Result<(), ReadError> {
        let error = |expected: String, found: String| {
            ReadError::new(Place::Line(Stream::Stdout, line), expected, found)
        };
        let Some(text) = text.strip_suffix(unit) else {
            return Err(error(
                format!("`{name}` in front of `{}`", unit.trim()),
                excerpt(text),
            )
            .advise("the output may have been cut off"));
        };
        let text = text.rsplit('(').next().unwrap_or_default();
        let value = number::finite(text)
            .map_err(|found| error(format!("`{name}` to be a number"), found))?;
        if value < 0.0 {
            return Err(error(format!("`{name}` of at least 0"), value.to_string()));
        }
        if let Some((.., before)) = self.found.iter().find(|(known, ..)| known == name) {
            return Err(error(
                format!("`{name}` once"),
                format!("it again, after line {before}"),
            )
            .advise("leave out --report-checkpoints, which makes several reports"));
        }
        self.found.push((name.to_owned(), value, line));
        Ok(())
    }

    fn get(&self, name: &str) -> Option<f64> {
        let found = self.found.iter().find(|(known, ..)| known == name);
        found.map(|(_, value, _)| *value)
    }

    fn need(&self, name: &str) -> Result<f64, ReadError> {
        self.get(name)
            .ok_or_else(|| ReadError::stdout(format!("a value of `{name}`"), "none"))
    }

    fn samples(&self) -> Result<Vec<Sample>, ReadError> {
        let (count, time) = (self.need(COUNT)?, self.need("time")?);
        if count == 0.0 {
            return Err(ReadError::stdout("at least one event", "none"));
        }
        let rate = match self.get("events") {
            Some(rate) => rate,
            None if time > 0.0 => count / time,
            None => {
                return Err(ReadError::stdout("a total time above 0", "0.0000 s")
                    .advise("let the test do more, for at least a second"));
            }
        };
        let average = self.average(count)?;
        let mut samples = Vec::new();
        let mut push = |known, value| {
            samples.push(Sample {
                benchmark: None,
                metric: metric(known).into(),
                value,
                step: None,
            });
        };
        for known in METRICS {
            let value = match known.0 {
                "events" => Some(rate),
                "latency_avg" => Some(average),
                // What a test does not do is printed as a rate of 0.
                name if known.2 == Better::Higher => self.get(name).filter(|rate| *rate > 0.0),
                name => self.get(name),
            };
            if let Some(value) = value {
                push(known, value);
            }
        }
        for (name, value, _) in &self.found {
            let promised = METRICS.iter().any(|(known, ..)| known == name);
            if name.starts_with("latency_p") && !promised {
                push((name, "ms", Better::Lower), *value);
            }
        }
        for needed in ["latency_min", "latency_max"] {
            self.need(needed)?;
        }
        Ok(samples)
    }

    /// The sum of all latencies over their number: that which the tool prints in steps of 0.01 ms,
    /// in finer steps.
    fn average(&self, count: f64) -> Result<f64, ReadError> {
        /// Half of the last figure that is printed, ms.
        const ROUNDING: f64 = 0.005_001;
        let (printed, average) = (self.need("latency_avg")?, self.need(SUM)? / count);
        if (average - printed).abs() > ROUNDING * (1.0 + 1.0 / count) {
            return Err(ReadError::stdout(
                format!("an average of about {printed} ms"),
                format!("{average} ms from the sum"),
            ));
        }
        Ok(average)
    }
}
