//! `--export-asciidoc`.

use super::entry::Entry;
use super::error::WriteError;
use super::table::Table;
use super::unit::Unit;

/// An AsciiDoc table with the content of [`super::write_markdown`].
///
/// # Errors
/// A number that is not finite.
pub fn write(entries: &[Entry], unit: Unit) -> Result<String, WriteError> {
    let table = Table::new(entries, unit, '`')?;
    let mut text = "[cols=\"<,>,>,>,>\"]\n|===".to_owned();
    text.push_str(&row(&table.header));
    text.extend(table.rows.iter().map(|cells| row(cells)));
    text.push_str("|===\n");
    Ok(text)
}

/// A blank line, then each cell on a line of its own.
fn row(cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!("| {cell} \n")).collect();
    format!("\n{cells}")
}
