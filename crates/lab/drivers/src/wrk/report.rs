//! The tool's report. A script may print before and after it.

use perflab_experiment::{Better, Sample};

use crate::error::ReadError;
use crate::metric::{Row, sample};
use crate::number::not_negative;

pub(super) const RATE: Row = ("rps", "1/s", Better::Higher);
pub(super) const TRANSFER: Row = ("transfer", "bytes/s", Better::Higher);
pub(super) const LATENCY: [Row; 3] = [
    ("latency_avg", "ms", Better::Lower),
    ("latency_stdev", "ms", Better::Lower),
    ("latency_max", "ms", Better::Lower),
];
/// With the tool's names.
pub(super) const PERCENTILES: [(&str, Row); 4] = [
    ("50%", ("latency_p50", "ms", Better::Lower)),
    ("75%", ("latency_p75", "ms", Better::Lower)),
    ("90%", ("latency_p90", "ms", Better::Lower)),
    ("99%", ("latency_p99", "ms", Better::Lower)),
];

/// A unit, and what it is in the unit of the metric: a power of ten, and a factor.
type Unit = (&'static str, i32, f64);

/// In milliseconds.
const TIMES: [Unit; 5] = [
    ("us", -3, 1.0),
    ("ms", 0, 1.0),
    ("s", 3, 1.0),
    ("m", 3, 60.0),
    ("h", 3, 3600.0),
];

/// In bytes.
const SIZES: [Unit; 6] = [
    ("KB", 0, 1024.0),
    ("MB", 0, 1_048_576.0),
    ("GB", 0, 1_073_741_824.0),
    ("TB", 0, 1_099_511_627_776.0),
    ("PB", 0, 1_125_899_906_842_624.0),
    ("B", 0, 1.0),
];

/// Whole lines and their numbers.
struct Lines<'a> {
    rest: std::iter::Peekable<
        std::iter::Zip<std::str::SplitInclusive<'a, char>, std::ops::RangeFrom<usize>>,
    >,
}

impl<'a> Lines<'a> {
    /// The next line, which must begin with `start`; what stands behind that.
    fn expect(&mut self, start: &str) -> Result<Line<'a>, ReadError> {
        let Some((text, number)) = self.rest.next() else {
            return Err(ReadError::stdout(
                format!("a line `{}`", start.trim()),
                "the end",
            ));
        };
        match text
            .strip_suffix('\n')
            .and_then(|text| text.strip_prefix(start))
        {
            Some(text) => Ok(Line { text, number }),
            None => Err(ReadError::line(
                number,
                format!("a whole line `{}`", start.trim()),
                text,
            )),
        }
    }

    /// The next line if it begins with `start`.
    fn may(&mut self, start: &str) -> Option<Line<'a>> {
        let (text, number) = self.rest.next_if(|(text, _)| text.starts_with(start))?;
        Some(Line { text, number })
    }
}

/// What stands behind the beginning of a line, and the line's number.
struct Line<'a> {
    text: &'a str,
    number: usize,
}

impl Line<'_> {
    fn refuse(&self, expected: &str) -> ReadError {
        ReadError::line(self.number, expected, self.text)
    }

    fn time(&self, text: &str) -> Result<f64, ReadError> {
        with_unit(text, &TIMES).ok_or_else(|| self.refuse("a number and us, ms, s, m or h"))
    }
}

/// A number directly before one of these units.
fn with_unit(text: &str, units: &[Unit]) -> Option<f64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    if !digits.ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let unit = &text[digits.len()..];
    let (_, exponent, factor) = units.iter().find(|(name, ..)| *name == unit)?;
    // The power of ten is applied to the text: a product would be off in the last digit.
    let value = not_negative(&format!("{digits}e{exponent}")).ok()? * factor;
    value.is_finite().then_some(value)
}

pub(super) fn read(text: &str) -> Result<Vec<Sample>, ReadError> {
    let mut all = text.split_inclusive('\n').zip(1..).peekable();
    let is_start =
        |(text, _): &(&str, usize)| text.starts_with("Running ") && text.contains(" test @ ");
    while all.next_if(|line| !is_start(line)).is_some() {}
    let mut lines = Lines { rest: all };

    let running = lines.expect("Running ")?;
    let asked = running.text.split(' ').next().unwrap_or_default();
    let shortest = shortest(asked).ok_or_else(|| running.refuse("a duration and ` test @ `"))?;
    lines.expect("  ")?;
    lines.expect("  Thread Stats   Avg      Stdev     Max   +/- Stdev")?;
    let mut samples = Vec::new();
    let latency = lines.expect("    Latency ")?;
    let columns: Vec<&str> = latency.text.split_whitespace().collect();
    let &[average, deviation, largest, _] = &columns[..] else {
        return Err(latency.refuse("4 columns"));
    };
    for (row, text) in LATENCY.into_iter().zip([average, deviation, largest]) {
        samples.push(sample(row, None, latency.time(text)?));
    }
    lines.expect("    Req/Sec ")?;
    let heading = lines.expect("  Latency Distribution")?;
    if !heading.text.is_empty() {
        return Err(heading.refuse("the distribution of wrk, not of wrk2"));
    }
    for (name, row) in PERCENTILES {
        let line = lines.expect(&format!("     {name} "))?;
        samples.push(sample(row, None, line.time(line.text.trim())?));
    }

    let total = lines.expect("  ")?;
    let took = total
        .text
        .split_once(" requests in ")
        .and_then(|(_, rest)| rest.split_once(", "));
    let (took, _) = took.ok_or_else(|| total.refuse("`N requests in TIME, SIZE read`"))?;
    if total.time(took)? < shortest {
        let error = total.refuse(&format!("the {asked} asked for"));
        return Err(error.advise("the run was interrupted"));
    }
    if let Some(line) = lines.may("  Socket errors: ") {
        return Err(line.refuse("no socket errors").advise(
            "start the server first; after a timeout ask for a longer --timeout, for the request is \
             missing in the latencies",
        ));
    }
    if let Some(line) = lines.may("  Non-2xx or 3xx responses: ") {
        return Err(line
            .refuse("answers of 2xx and 3xx alone")
            .advise("check the URL: errors are often faster than answers"));
    }
    let rate = lines.expect("Requests/sec:")?;
    let number = not_negative(rate.text).ok().filter(|rate| *rate > 0.0);
    let number = number.ok_or_else(|| rate.refuse("more than 0 requests per second"))?;
    let transfer = lines.expect("Transfer/sec:")?;
    let size = with_unit(transfer.text.trim(), &SIZES);
    let size = size.ok_or_else(|| transfer.refuse("a number and B, KB, MB, GB, TB or PB"))?;
    samples.splice(
        0..0,
        [sample(RATE, None, number), sample(TRANSFER, None, size)],
    );
    Ok(samples)
}

/// The least milliseconds of a whole run of a duration that is printed without decimals.
fn shortest(asked: &str) -> Option<f64> {
    let digits = asked.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number = not_negative(digits).ok()?;
    let value = match &asked[digits.len()..] {
        // Seconds are whole ones, but what the run took was rounded, to two decimals.
        "s" => number * 1000.0 * 0.99,
        "m" => (number - 0.5) * 60_000.0 * 0.99,
        "h" => (number - 0.5) * 3_600_000.0 * 0.99,
        _ => return None,
    };
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_exactly() {
        for (text, value) in [
            ("81.00us", 0.081),
            ("2.74ms", 2.74),
            ("1.10s", 1100.0),
            ("1.50m", 90_000.0),
            ("1.00h", 3_600_000.0),
        ] {
            assert_eq!(with_unit(text, &TIMES), Some(value));
        }
        for text in [
            "", "ms", "1", "1.0", "1.0 ms", "1.0xs", "-1.0ms", "nans", "1.0mss",
        ] {
            assert_eq!(with_unit(text, &TIMES), None, "{text}");
        }
        assert_eq!(with_unit("9.06MB", &SIZES), Some(9.06 * 1048576.0));
        assert_eq!(with_unit("0.00B", &SIZES), Some(0.0));
    }

    #[test]
    fn a_duration_without_decimals_may_be_half_a_unit_shorter() {
        assert_eq!(shortest("2s"), Some(1980.0));
        assert_eq!(shortest("1m"), Some(29_700.0));
        assert_eq!(shortest("1"), None);
    }
}
