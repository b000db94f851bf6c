//! One block of an experiment, as the comparisons see it.

/// The runs of one block: those of the baseline and those of the candidate.
///
/// Runs are compared only within their block. The two sides may differ in size; a block in which
/// one side is empty (its runs failed, say) holds nothing to compare and is passed over.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stratum {
    /// Values of the baseline, in any order.
    pub a: Vec<f64>,
    /// Values of the candidate, in any order.
    pub b: Vec<f64>,
}

impl Stratum {
    /// A block from its two sides.
    pub fn new(a: impl Into<Vec<f64>>, b: impl Into<Vec<f64>>) -> Self {
        Self {
            a: a.into(),
            b: b.into(),
        }
    }

    /// Whether both sides have runs.
    pub(crate) fn has_pairs(&self) -> bool {
        !self.a.is_empty() && !self.b.is_empty()
    }
}
