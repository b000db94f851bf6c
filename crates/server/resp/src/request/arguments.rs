//! The arguments of a request, wherever their bytes are.

use std::ops::{Index, Range};

/// The arguments of one request, the name of the command first.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a> {
    places: &'a [Range<usize>],
    bytes: &'a [u8],
}

impl<'a> Arguments<'a> {
    #[inline]
    pub(super) fn new(places: &'a [Range<usize>], bytes: &'a [u8]) -> Self {
        Self { places, bytes }
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none: then nothing is asked for.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// One of them, by its number from 0.
    #[inline]
    pub fn get(&self, number: usize) -> Option<&'a [u8]> {
        let place = self.places.get(number)?;
        self.bytes.get(place.clone())
    }

    /// Those from this number on; none if there are fewer.
    #[inline]
    #[must_use]
    pub fn tail(&self, number: usize) -> Self {
        Self {
            places: self.places.get(number..).unwrap_or_default(),
            bytes: self.bytes,
        }
    }

    /// All of them in their order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + Clone + use<'a> {
        let bytes = self.bytes;
        self.places.iter().map(move |place| &bytes[place.clone()])
    }
}

/// # Panics
///
/// If there is no argument of this number.
impl Index<usize> for Arguments<'_> {
    type Output = [u8];

    #[inline]
    fn index(&self, number: usize) -> &[u8] {
        &self.bytes[self.places[number].clone()]
    }
}
