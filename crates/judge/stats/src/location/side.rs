//! One side of a test, or both.

/// Which departure from the null effect counts as evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The effect is smaller.
    Less,
    /// The effect is larger.
    Greater,
    /// Either: the chance of a `U` at least as far from the middle as the one observed.
    TwoSided,
}
