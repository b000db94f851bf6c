//! Small tables: cells in columns of equal width.

use unicode_width::UnicodeWidthStr;

use crate::terminal::pad;

/// The rows, one to a line; the first `left` columns are set to the left, the others to the right.
pub(crate) fn aligned<const N: usize>(table: &[[String; N]], left: usize) -> String {
    let widths = widths(table);
    let mut text = String::new();
    for row in table {
        let cells: Vec<String> = (0..N)
            .map(|column| pad(&row[column], widths[column], column >= left))
            .collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// Estimates with their intervals: each has its number, then both ends, which are empty where there is no interval.
pub(crate) fn aligned_intervals(parts: &[[String; 3]]) -> Vec<String> {
    let widths = widths(parts);
    let cell = |parts: &[String; 3]| {
        let [estimate, low, high] = std::array::from_fn(|at| pad(&parts[at], widths[at], true));
        match parts[1].as_str() {
            "" => estimate,
            _ => format!("{estimate} [{low}, {high}]"),
        }
    };
    parts.iter().map(cell).collect()
}

fn widths<const N: usize>(table: &[[String; N]]) -> [usize; N] {
    std::array::from_fn(|column| {
        let cells = table.iter().map(|row| row[column].width());
        cells.max().unwrap_or(0)
    })
}
