//! The table that `--csv` prints.
//!
//! It is not quite CSV: every field stands in double quotes, but quotes inside a name are not
//! doubled. Hence fields are told apart by `","`, which a name may not contain.

use std::collections::HashMap;

use perflab_experiment::{Better, Metric, Sample};

use crate::error::{Place, ReadError, Stream, excerpt};
use crate::number;

/// The tool's column and the metric that it holds.
pub(super) const COLUMNS: [(&str, &str); 7] = [
    ("rps", "rps"),
    ("avg_latency_ms", "latency_avg"),
    ("min_latency_ms", "latency_min"),
    ("p50_latency_ms", "latency_p50"),
    ("p95_latency_ms", "latency_p95"),
    ("p99_latency_ms", "latency_p99"),
    ("max_latency_ms", "latency_max"),
];

/// The benchmark that fills a list for LRANGE.
const REFILL: &str = "LPUSH_REFILL";

pub(super) fn metric(name: &str) -> Metric {
    crate::metric::metric(match name {
        "rps" => (name, "1/s", Better::Higher),
        _ => (name, "ms", Better::Lower),
    })
}

/// All rows, each value a sample, in the order printed.
pub(super) fn read(stdout: &[u8]) -> Result<Vec<Sample>, ReadError> {
    let text = std::str::from_utf8(stdout).map_err(|error| {
        let good = &stdout[..error.valid_up_to()];
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        ReadError::new(
            Place::Line(Stream::Stdout, line),
            "text in UTF-8",
            "other bytes",
        )
    })?;
    let lines: Vec<Line<'_>> = text
        .lines()
        .enumerate()
        .map(|(index, text)| Line {
            number: index + 1,
            text,
        })
        .collect();

    let (columns, rows) = header(&lines)?;
    let mut samples = Vec::new();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for row in rows {
        let Row { benchmark, values } = columns.row(*row)?;
        if let Some(first) = seen.insert(benchmark, row.number) {
            return Err(row.error(
                "each test once",
                format!("{} again, after line {first}", excerpt(benchmark)),
            ));
        }
        samples.extend(values.into_iter().map(|(name, value)| Sample {
            benchmark: Some(benchmark.to_owned()),
            metric: metric(name).into(),
            value,
            step: None,
        }));
    }
    if samples.is_empty() {
        return Err(
            ReadError::new(Place::Whole(Stream::Stdout), "at least one test", "none")
                .advise("check the names given to -t"),
        );
    }
    Ok(samples)
}

/// A line of the output, counted from 1.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    number: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    fn error(self, expected: impl Into<String>, found: impl Into<String>) -> ReadError {
        ReadError::new(Place::Line(Stream::Stdout, self.number), expected, found)
    }

    /// The fields, without their quotes.
    fn fields(self) -> Result<Vec<&'a str>, ReadError> {
        self.text
            .strip_prefix('"')
            .and_then(|inner| inner.strip_suffix('"'))
            .map(|inner| inner.split("\",\"").collect())
            .ok_or_else(|| {
                self.error("fields in double quotes", excerpt(self.text))
                    .advise("the output may have been cut off")
            })
    }
}

/// Where in a row the name and the metrics stand.
#[derive(Debug)]
struct Columns {
    count: usize,
    name: usize,
    /// Position and metric, in the order of [`COLUMNS`].
    values: Vec<(usize, &'static str)>,
}

/// What a row says.
#[derive(Debug)]
struct Row<'a> {
    benchmark: &'a str,
    /// By metric, in the order of [`COLUMNS`].
    values: Vec<(&'static str, f64)>,
}

impl Columns {
    fn row<'a>(&self, line: Line<'a>) -> Result<Row<'a>, ReadError> {
        let fields = line.fields()?;
        if fields.len() != self.count {
            return Err(line.error(
                format!("{} columns", self.count),
                format!("{} in {}", fields.len(), excerpt(line.text)),
            ));
        }
        let name = fields[self.name];
        if !is_name(name) {
            return Err(line
                .error("the name of a test", excerpt(name))
                .advise("the beginning of the output may be missing"));
        }
        let values = self
            .values
            .iter()
            .map(|&(position, metric)| {
                let expected = || format!("`{metric}` of {} to be a number", excerpt(name));
                let value = number::finite(fields[position])
                    .map_err(|found| line.error(expected(), found))?;
                if value < 0.0 || (metric == "rps" && value == 0.0) {
                    return Err(line.error(format!("{} above zero", expected()), value.to_string()));
                }
                Ok((metric, value))
            })
            .collect::<Result<_, _>>()?;
        Ok(Row {
            benchmark: benchmark(name),
            values,
        })
    }
}

/// The columns, from the header if there is one, and the lines behind it.
///
/// Before 6.2 there is no header and a row is name and rate. In cluster mode the nodes are listed
/// before the header.
fn header<'a, 'b>(lines: &'a [Line<'b>]) -> Result<(Columns, &'a [Line<'b>]), ReadError> {
    let is_header = |line: &Line<'_>| line.text.starts_with("\"test\"");
    let Some(at) = lines.iter().position(is_header) else {
        let headerless = Columns {
            count: 2,
            name: 0,
            values: vec![(1, "rps")],
        };
        return Ok((headerless, lines));
    };
    let line = lines[at];
    let fields = line.fields()?;
    let position = |column: &str| {
        let mut found = fields
            .iter()
            .enumerate()
            .filter(|(_, field)| **field == column);
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => Err(line.error(
                format!("one column `{column}`"),
                format!("several in {}", excerpt(line.text)),
            )),
            (first, _) => Ok(first.map(|(index, _)| index)),
        }
    };
    let mut values = Vec::new();
    for (column, metric) in COLUMNS {
        if let Some(index) = position(column)? {
            values.push((index, metric));
        }
    }
    let (Some(name), Some(_)) = (position("test")?, position("rps")?) else {
        return Err(line.error(
            "the columns `test` and `rps`",
            format!("the header {}", excerpt(line.text)),
        ));
    };
    let columns = Columns {
        count: fields.len(),
        name,
        values,
    };
    Ok((columns, &lines[at + 1..]))
}

/// Whether a first field can be a name at all. What is left of a row that lost its beginning may
/// have as many fields as an old version prints, but it starts with a number or a comma.
fn is_name(field: &str) -> bool {
    !field.is_empty() && !field.starts_with(',') && field.parse::<f64>().is_err()
}

/// The benchmark that a row belongs to.
fn benchmark(name: &str) -> &str {
    match name {
        "LPUSH (needed to benchmark LRANGE)" => REFILL,
        "LRANGE_100 (first 100 elements)" => "LRANGE_100",
        "LRANGE_300 (first 300 elements)" => "LRANGE_300",
        "LRANGE_500 (first 500 elements)" => "LRANGE_500",
        "LRANGE_600 (first 600 elements)" => "LRANGE_600",
        "MSET (10 keys)" => "MSET",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "\"test\",\"rps\",\"avg_latency_ms\"\n";

    fn values(text: &str) -> Vec<(String, String, f64)> {
        read(text.as_bytes())
            .unwrap()
            .into_iter()
            .map(|s| (s.benchmark.unwrap(), s.metric.name.clone(), s.value))
            .collect()
    }

    fn error(text: &str) -> String {
        read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn columns_are_found_by_name() {
        let text = "\"test\",\"new\",\"p50_latency_ms\",\"rps\"\n\"GET\",\"?\",\"0.5\",\"10\"\n";
        assert_eq!(
            values(text),
            [
                ("GET".to_owned(), "rps".to_owned(), 10.0),
                ("GET".to_owned(), "latency_p50".to_owned(), 0.5)
            ]
        );
    }

    #[test]
    fn old_versions_print_name_and_rate_without_a_header() {
        let text = "\"PING_INLINE\",\"99.50\"\n\"LRANGE_500 (first 450 elements)\",\"7.00\"\n";
        assert_eq!(
            values(text),
            [
                ("PING_INLINE".to_owned(), "rps".to_owned(), 99.5),
                (
                    "LRANGE_500 (first 450 elements)".to_owned(),
                    "rps".to_owned(),
                    7.0
                )
            ]
        );
    }

    #[test]
    fn rows_of_a_lost_header_are_not_taken_for_old_ones() {
        assert!(error("\"GET\",\"10\",\"0.5\"\n").contains("expected 2 columns, found 3"));
    }

    #[test]
    fn the_nodes_of_a_cluster_may_stand_before_the_header() {
        let text = format!(
            "Cluster has 1 master nodes:\n\nMaster 0: ab 127.0.0.1:7000\n\n{HEADER}\"GET\",\"10\",\"1\"\n"
        );
        assert_eq!(values(&text).len(), 2);
    }

    #[test]
    fn the_refill_is_not_the_test() {
        let refill = "\"LPUSH (needed to benchmark LRANGE)\",\"30\",\"1\"\n";
        let text = format!("{HEADER}\"LPUSH\",\"10\",\"1\"\n{refill}");
        let benchmarks: Vec<_> = values(&text).into_iter().map(|v| v.0).collect();
        assert_eq!(
            benchmarks,
            ["LPUSH", "LPUSH", "LPUSH_REFILL", "LPUSH_REFILL"]
        );
    }

    #[test]
    fn two_rows_of_one_test_are_refused() {
        let text = format!("{HEADER}\"GET\",\"10\",\"1\"\n\"GET\",\"11\",\"1\"\n");
        assert_eq!(
            error(&text),
            "stdout, line 3: expected each test once, found `GET` again, after line 2"
        );
        let text = format!("{HEADER}\"MSET (10 keys)\",\"1\",\"1\"\n\"MSET\",\"1\",\"1\"\n");
        assert!(error(&text).contains("line 3"), "{}", error(&text));
    }

    #[test]
    fn what_is_no_rate_or_latency_is_refused() {
        for bad in ["inf", "nan", "-nan", "-1.0", "0.00", "", "12a"] {
            let text = format!("{HEADER}\"GET\",\"{bad}\",\"1\"\n");
            assert!(
                error(&text).starts_with("stdout, line 2: expected `rps` of `GET`"),
                "{bad}"
            );
        }
        let text = format!("{HEADER}\"GET\",\"10\",\"-nan\"\n");
        assert!(error(&text).contains("`latency_avg` of `GET`"));
        assert_eq!(
            values(&format!("{HEADER}\"GET\",\"10\",\"0.000\"\n"))[1].2,
            0.0
        );
    }

    #[test]
    fn other_text_is_refused_with_its_line() {
        let text = format!("{HEADER}\"GET\",\"10\",\"1\"\nWARNING: odd\n");
        assert!(error(&text).starts_with("stdout, line 3: expected fields in double quotes"));
        assert!(error("").contains("expected at least one test, found none"));
        assert!(error("\"test\",\"avg_latency_ms\"\n").contains("`test` and `rps`"));
        assert!(error("\"test\",\"rps\",\"rps\"\n").contains("one column `rps`"));
        let error = read(b"\"test\",\"rps\"\n\"\xff\",\"1\"\n").unwrap_err();
        assert_eq!(error.place, Place::Line(Stream::Stdout, 2));
    }
}
