//! What is measured together.

/// A revision that can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// The good end, which is outside of the graph.
    Good,
    /// A revision of the graph; the last one is the bad end.
    At(usize),
}

/// What one run gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run<V> {
    /// The revision that was run.
    pub revision: Revision,
    /// Which build of the revision was run: runs of one build share what the build does to them.
    pub build: u32,
    /// The value of the metric, or whether the run failed.
    pub value: V,
}

/// Runs that were made beside each other, in random order. What moves the whole machine between two blocks does not
/// matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Block<V> {
    /// Number of the session: after an interruption, a restart or a change of the machine the next one. Nothing is
    /// concluded from the level of the values in one session for that in another.
    pub session: u32,
    /// The runs.
    pub runs: Vec<Run<V>>,
}
