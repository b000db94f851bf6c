//! Inputs that targets begin with: the fixtures of all crates, each in the form that its target's first lines say,
//! and short texts for what no fixture has.

mod collection;
mod filters;
mod foreign;
mod histories;
mod logs;
mod machines;
mod recordings;
mod requests;
mod results;
mod tools;

use std::path::Path;

use collection::Collection;
pub use collection::Seed;

/// All seeds, from the fixtures of the workspace at `root`.
///
/// # Panics
///
/// If a fixture is missing, or two seeds of a target have the same name.
pub fn seeds(root: &Path) -> Vec<Seed> {
    let mut collection = Collection::new(root);
    results::collect(&mut collection);
    recordings::collect(&mut collection);
    filters::collect(&mut collection);
    tools::collect(&mut collection);
    foreign::collect(&mut collection);
    machines::collect(&mut collection);
    histories::collect(&mut collection);
    requests::collect(&mut collection);
    logs::collect(&mut collection);
    collection.into_seeds()
}
