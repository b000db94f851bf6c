//! `--export-orgmode`.

use super::entry::Entry;
use super::error::WriteError;
use super::table::{Table, WIDTH};
use super::unit::Unit;

/// An Emacs Org table with the content of [`super::write_markdown`].
///
/// # Errors
/// A number that is not finite.
pub fn write(entries: &[Entry], unit: Unit) -> Result<String, WriteError> {
    let table = Table::new(entries, unit, '=')?;
    let mut text = row(&table.header);
    text.push_str("|--+--+--+--+--|\n");
    text.extend(table.rows.iter().map(row));
    Ok(text)
}

fn row([command, numbers @ ..]: &[String; WIDTH]) -> String {
    format!("| {command}  |  {} |\n", numbers.join(" |  "))
}
