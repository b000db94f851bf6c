//! `--export-markdown`.

use super::entry::Entry;
use super::error::WriteError;
use super::table::Table;
use super::unit::Unit;

/// A Markdown table, one row per command in their order, compared with the fastest.
///
/// Since 1.17 `hyperfine` also names parameters that do not occur in the command; its JSON does not
/// say which these are.
///
/// # Errors
/// A number that is not finite.
pub fn write(entries: &[Entry], unit: Unit) -> Result<String, WriteError> {
    let table = Table::new(entries, unit, '`')?;
    let mut text = row(&table.header);
    text.push_str("|:---|---:|---:|---:|---:|\n");
    text.extend(table.rows.iter().map(|cells| row(cells)));
    Ok(text)
}

fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}
