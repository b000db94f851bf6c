//! The configuration that a run was made under, as what tells it from others.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use indexmap::IndexMap;

/// A configuration, whose order counts: it is that of the experiment in all of its records.
#[derive(Debug, Clone)]
pub(crate) struct Configuration<'r>(pub(crate) Cow<'r, IndexMap<String, String>>);

impl PartialEq for Configuration<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().eq(other.0.iter())
    }
}

impl Eq for Configuration<'_> {}

impl Hash for Configuration<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.len().hash(state);
        self.0.iter().for_each(|pair| pair.hash(state));
    }
}
