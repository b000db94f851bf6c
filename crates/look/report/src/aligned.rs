//! Small tables: cells in columns of equal width.

use unicode_width::UnicodeWidthStr;

use crate::terminal::pad;

/// The rows, one to a line; the first `left` columns are set to the left, the others to the right.
pub(crate) fn aligned<const N: usize>(table: &[[String; N]], left: usize) -> String {
    let widths: [usize; N] = std::array::from_fn(|column| {
        let cells = table.iter().map(|row| row[column].width());
        cells.max().unwrap_or(0)
    });
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
