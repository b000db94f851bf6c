//! Points between the steps of the writer, for tests.

/// Points of the protocol at which a test interrupts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestPoint {
    /// The producer was found to be ready.
    Seen,
    /// It is said to be busy.
    Begun,
    /// There is room for the record.
    Found,
    /// The position is in the next block.
    Moved,
    /// A word of the new block's head was written.
    Headed,
    /// The position is behind the record.
    Placed,
    /// A word of the record was written.
    Written,
    /// The record is complete.
    Committed,
    /// The producer is said to be ready.
    Ended,
}

/// What happens at each test point.
pub trait TestPoints {
    /// Called at a test point.
    fn at(&self, point: TestPoint);
}

/// Nothing happens.
impl TestPoints for () {
    #[inline(always)]
    fn at(&self, _: TestPoint) {}
}
