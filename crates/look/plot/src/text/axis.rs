//! The horizontal axis.

use unicode_width::UnicodeWidthStr;

use super::canvas::column;
use super::style::TextOptions;
use crate::axis::Scale;
use crate::plot::Plot;
use crate::ticks::ticks;

/// A line, and numbers below it. `left`: columns before the first place.
pub(super) fn horizontal(plot: &Plot, style: &TextOptions, left: usize, columns: usize) -> String {
    let mut line: Vec<char> = vec![if style.ascii { '-' } else { '─' }; columns];
    let mut labels: Vec<char> = vec![' '; left + columns];
    let mut free = 0;
    let most = if matches!(plot.x.scale, Scale::Names(_)) {
        usize::MAX
    } else {
        (columns / 12).max(2)
    };
    for tick in ticks(&plot.x.scale, most) {
        let Some(column) = column(&plot.x.scale, tick.at, columns) else {
            continue;
        };
        line[column] = if style.ascii { '+' } else { '┬' };
        let label = style.show(&tick.label);
        let length = label.chars().count();
        // Centred, as far as there is room.
        let start = (left + column)
            .saturating_sub(length / 2)
            .min((left + columns).saturating_sub(length));
        if start >= free && length <= columns && label.width() == length {
            for (place, letter) in labels[start..].iter_mut().zip(label.chars()) {
                *place = letter;
            }
            free = start + length + 1;
        }
    }
    let labels: String = labels.into_iter().collect();
    let mut out = format!(
        "{}{}\n{}\n",
        " ".repeat(left),
        line.into_iter().collect::<String>(),
        labels.trim_end()
    );
    if !plot.x.title.is_empty() {
        let title = style.show(&plot.x.title);
        let indent = left + columns.saturating_sub(title.width()) / 2;
        out += &format!("{}{title}\n", " ".repeat(indent));
    }
    out
}
