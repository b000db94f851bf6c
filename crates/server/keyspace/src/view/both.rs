//! An iterator over one of two forms of a collection.

/// What a collection of either form gives.
pub(super) enum Both<A, B> {
    /// The form for small ones.
    Small(A),
    /// The form for large ones.
    Large(B),
}

impl<A: Iterator, B: Iterator<Item = A::Item>> Iterator for Both<A, B> {
    type Item = A::Item;

    fn next(&mut self) -> Option<A::Item> {
        match self {
            Self::Small(small) => small.next(),
            Self::Large(large) => large.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Small(small) => small.size_hint(),
            Self::Large(large) => large.size_hint(),
        }
    }
}

impl<A: DoubleEndedIterator, B: DoubleEndedIterator<Item = A::Item>> DoubleEndedIterator
    for Both<A, B>
{
    fn next_back(&mut self) -> Option<A::Item> {
        match self {
            Self::Small(small) => small.next_back(),
            Self::Large(large) => large.next_back(),
        }
    }
}

impl<A: ExactSizeIterator, B: ExactSizeIterator<Item = A::Item>> ExactSizeIterator for Both<A, B> {}
