//! Names where there may be many.

/// Names that are shown before the others are counted.
const NAMED: usize = 3;

/// The first names, and how many more there are.
pub(crate) fn first_of(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let named = names.take(NAMED).collect::<Vec<_>>().join(", ");
    match more {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
