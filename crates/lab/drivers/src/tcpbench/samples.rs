//! The lines of samples, and their mean.

use perflab_experiment::{Better, Sample};

use crate::error::ReadError;
use crate::metric::{Row, sample};
use crate::number::not_negative;

pub(super) const SENT: Row = ("sent", "bits/s", Better::Higher);
pub(super) const PACKETS: Row = ("packets", "1/s", Better::Higher);

/// From so many samples on the first and the last are left out: slow start, and what the end of the
/// test disturbs.
const ENOUGH: usize = 5;

/// The means of what the lines say about all connections together.
pub(super) fn read(text: &str) -> Result<Vec<Sample>, ReadError> {
    let mut rates = Vec::new();
    let mut packets = Vec::new();
    let mut kind = None;
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let refuse = |expected| ReadError::line(number, expected, line);
        if !line.ends_with('\n') {
            return Err(refuse("a whole line"));
        }
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (this, rate, rest) = match fields[..] {
            [
                "Conn:",
                connections,
                "Mbps:",
                rate,
                "Peak",
                "Mbps:",
                _,
                "Avg",
                "Mbps:",
                _,
            ] => (connections, rate, None),
            [
                "Elapsed:",
                _,
                "Mbps:",
                rate,
                "Peak",
                "Mbps:",
                _,
                "Tx",
                "PPS:",
                packets,
            ] => ("udp", rate, Some(packets)),
            _ if ignored(line, &fields) => continue,
            _ => return Err(refuse("a sample of tcpbench as a client")),
        };
        if *kind.get_or_insert(this) != this {
            return Err(refuse("as many connections as before"));
        }
        // The tool's M is a million. The power is applied to the text, to be exact.
        let value = not_negative(&format!("{rate}e6")).ok();
        rates.push(value.ok_or_else(|| refuse("a rate in Mbps"))?);
        if let Some(text) = rest {
            let value = not_negative(text).ok();
            packets.push(value.ok_or_else(|| refuse("packets per second"))?);
        }
    }
    let rate = mean(&rates).filter(|rate| *rate > 0.0);
    let rate = rate.ok_or_else(|| ReadError::stdout("samples above 0 Mbps", "none"))?;
    let packets = mean(&packets).map(|value| sample(PACKETS, None, value));
    Ok(std::iter::once(sample(SENT, None, rate))
        .chain(packets)
        .collect())
}

/// Headings, single connections, and what versions from 2020 on print at the end, whose mean has
/// the first and the last sample in it.
fn ignored(line: &str, fields: &[&str]) -> bool {
    let summary = line.starts_with("--- ")
        || line.contains(" bytes sent over ")
        || line.starts_with("bandwidth min/avg/max/std-dev = ");
    let connection = matches!(fields, [_, _, _, share, ..] if share.ends_with('%'));
    summary || connection || fields.first().is_none_or(|first| *first == "elapsed_ms")
}

fn mean(values: &[f64]) -> Option<f64> {
    let kept = match values {
        [_, kept @ .., _] if values.len() >= ENOUGH => kept,
        all => all,
    };
    let mean = kept.iter().sum::<f64>() / kept.len() as f64;
    mean.is_finite().then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_and_last_are_left_out_of_five() {
        assert_eq!(mean(&[1.0, 10.0, 20.0, 30.0, 99.0]), Some(20.0));
        assert_eq!(mean(&[1.0, 2.0, 3.0, 6.0]), Some(3.0));
        assert_eq!(mean(&[7.0]), Some(7.0));
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[f64::MAX, f64::MAX]), None);
    }
}
