//! A hash as a reader sees it.

use crate::blob::{Blob, Held};
use crate::hash::of_field;
use crate::item::Hashed;
use crate::look::Look;
use crate::view::both::Both;
use crate::view::scan;

/// One state of a hash.
#[derive(Clone, Copy)]
pub struct HashView<'p> {
    form: Form<'p>,
}

#[derive(Clone, Copy)]
enum Form<'p> {
    /// In the order of insertion.
    Small(Look<'p, Held>),
    /// By the hash of the field.
    Large(Look<'p, Hashed>),
}

impl<'p> HashView<'p> {
    pub(crate) fn small(look: Look<'p, Held>) -> Self {
        Self {
            form: Form::Small(look),
        }
    }

    pub(crate) fn large(look: Look<'p, Hashed>) -> Self {
        Self {
            form: Form::Large(look),
        }
    }

    /// The number of fields.
    pub fn len(&self) -> usize {
        match self.form {
            Form::Small(look) => look.len(),
            Form::Large(look) => look.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a field.
    pub fn get(&self, field: &[u8]) -> Option<&'p [u8]> {
        let position = self.find(field)?;
        self.at(position).map(|(_, value)| value)
    }

    /// The field and the value at a position. Positions are those of [`HashView::iter`].
    pub fn at(&self, position: usize) -> Option<(&'p [u8], &'p [u8])> {
        let blob = match self.form {
            Form::Small(look) => look.get(position)?.blob(),
            Form::Large(look) => look.get(position)?.blob(),
        };
        Some(pair(blob))
    }

    /// All fields with their values: of a small hash in the order in which the fields came.
    pub fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (&'p [u8], &'p [u8])> + ExactSizeIterator + use<'p> {
        match self.form {
            Form::Small(look) => Both::Small(look.all().map(|seen| pair(seen.blob()))),
            Form::Large(look) => Both::Large(look.all().map(|seen| pair(seen.blob()))),
        }
    }

    /// One step of a walk that goes on while the hash changes: gives some `count` fields from the cursor on, and
    /// returns the next cursor; 0 at the end. A field that is there all the time is given once or more. A small hash is
    /// given as a whole.
    pub fn scan(&self, cursor: u64, count: usize, mut each: impl FnMut(&'p [u8], &'p [u8])) -> u64 {
        let mut each = |blob: &'p Blob| each(blob.key(), blob.value());
        match self.form {
            Form::Small(look) => {
                look.all().for_each(|seen| each(seen.blob()));
                0
            }
            Form::Large(look) => scan::scan(look, cursor, count, each),
        }
    }

    fn find(&self, field: &[u8]) -> Option<usize> {
        match self.form {
            Form::Small(look) => look.find_anywhere(field),
            Form::Large(look) => look.find(of_field(field), field).ok(),
        }
    }
}

fn pair(blob: &Blob) -> (&[u8], &[u8]) {
    (blob.key(), blob.value())
}
