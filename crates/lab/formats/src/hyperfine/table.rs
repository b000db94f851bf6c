//! The cells that the Markdown, AsciiDoc and Org tables have in common.

use super::entry::Entry;
use super::error::WriteError;
use super::relative::to_fastest;
use super::unit::Unit;

/// Number of columns.
pub(super) const WIDTH: usize = 5;

/// The text of a header and of one row per entry.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) header: [String; WIDTH],
    pub(super) rows: Vec<[String; WIDTH]>,
}

impl Table {
    /// Commands stand in their order, between `quote` marks, with their `|` escaped.
    pub(super) fn new(entries: &[Entry], unit: Unit, quote: char) -> Result<Self, WriteError> {
        let of_time = match entries.iter().any(Entry::is_cpu) {
            true => " CPU",
            false => "",
        };
        let column = |name| format!("{name}{of_time} [{}]", unit.symbol());
        let header = [
            "Command".to_owned(),
            column("Mean"),
            column("Min"),
            column("Max"),
            "Relative".to_owned(),
        ];
        let rows = entries
            .iter()
            .zip(to_fastest(entries))
            .map(|(entry, relative)| {
                entry.refuse_not_finite()?;
                let command = entry.command.replace('|', "\\|");
                Ok([
                    format!("{quote}{command}{quote}"),
                    with_deviation(unit.show(entry.mean), entry.stddev.map(|s| unit.show(s))),
                    unit.show(entry.min),
                    unit.show(entry.max),
                    with_deviation(
                        format!("{:.2}", relative.ratio),
                        relative
                            .deviation
                            .map(|deviation| format!("{deviation:.2}")),
                    ),
                ])
            })
            .collect::<Result<_, WriteError>>()?;
        Ok(Self { header, rows })
    }
}

fn with_deviation(value: String, deviation: Option<String>) -> String {
    match deviation {
        Some(deviation) => format!("{value} ± {deviation}"),
        None => value,
    }
}
