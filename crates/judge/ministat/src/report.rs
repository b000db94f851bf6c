//! The lines of the report: the legend, the table and the sentence on the difference.

use crate::format::c_format_g;
use crate::plot::SYMBOLS;
use crate::statistics::{Comparison, Dataset};

/// The head of the table.
pub(crate) const TABLE_HEAD: &str =
    "    N           Min           Max        Median           Avg        Stddev\n";

/// A line that tells which symbol stands for a dataset, counted from 0. Names are bytes, as file names are.
pub(crate) fn legend_line(index: usize, name: &[u8]) -> Vec<u8> {
    [&[symbol(index), b' '], name, b"\n"].concat()
}

/// A dataset's line in the table.
pub(crate) fn table_line(index: usize, dataset: &Dataset) -> String {
    let mut line = format!("{} {:3}", char::from(symbol(index)), dataset.count());
    let columns = [
        dataset.min(),
        dataset.max(),
        dataset.median(),
        dataset.mean(),
        dataset.standard_deviation(),
    ];
    for value in columns {
        line.push(' ');
        line.push_str(&c_format_g(value, 8, 13));
    }
    line.push('\n');
    line
}

/// What ministat says of a comparison, with the end of each line: four lines if a difference is proven, else one.
///
/// "No difference proven" is not evidence that there is none.
pub fn compare_sentence(comparison: &Comparison) -> String {
    let confidence = comparison.confidence.percent();
    if !comparison.is_proven() {
        return format!("No difference proven at {confidence:.1}% confidence\n");
    }
    let g = |value| c_format_g(value, 6, 0);
    let headline = format!("Difference at {confidence:.1}% confidence\n");
    let Comparison {
        difference,
        half_width,
        relative_difference,
        relative_half_width,
        pooled_deviation,
        ..
    } = *comparison;
    let lines = [
        format!("\t{} +/- {}\n", g(difference), g(half_width)),
        format!(
            "\t{}% +/- {}%\n",
            g(relative_difference),
            g(relative_half_width)
        ),
        format!("\t(Student's t, pooled s = {})\n", g(pooled_deviation)),
    ];
    headline + &lines.concat()
}

fn symbol(index: usize) -> u8 {
    SYMBOLS[(index + 1) % SYMBOLS.len()]
}
