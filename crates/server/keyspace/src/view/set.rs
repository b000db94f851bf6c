//! A set as a reader sees it.

use perflab_tree::View;

use crate::hash::of_field;
use crate::item::Hashed;
use crate::look::Look;
use crate::number::{self, Digits};
use crate::view::both::Both;
use crate::view::scan;

/// One state of a set.
#[derive(Clone, Copy)]
pub struct SetView<'p> {
    form: Form<'p>,
}

#[derive(Clone, Copy)]
enum Form<'p> {
    /// Ascending.
    Ints(View<'p, i64>),
    /// By the hash of the member.
    Large(Look<'p, Hashed>),
}

/// A member of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Member<'p> {
    /// An integer, whose canonical form is the member.
    Integer(i64),
    /// The bytes.
    Bytes(&'p [u8]),
}

impl Member<'_> {
    /// Calls `work` with the bytes of the member.
    pub fn with<R>(&self, work: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Self::Integer(number) => work(Digits::of(*number).bytes()),
            Self::Bytes(bytes) => work(bytes),
        }
    }

    /// A copy of its bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        self.with(<[u8]>::to_vec)
    }
}

impl<'p> SetView<'p> {
    pub(crate) fn ints(view: View<'p, i64>) -> Self {
        Self {
            form: Form::Ints(view),
        }
    }

    pub(crate) fn large(look: Look<'p, Hashed>) -> Self {
        Self {
            form: Form::Large(look),
        }
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        match self.form {
            Form::Ints(view) => view.len(),
            Form::Large(look) => look.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it has this member.
    pub fn contains(&self, member: &[u8]) -> bool {
        match self.form {
            Form::Ints(view) => number::integer(member)
                .is_some_and(|number| view.position_by(|item| item.cmp(&number)).is_ok()),
            Form::Large(look) => look.find(of_field(member), member).is_ok(),
        }
    }

    /// The member at a position. Positions are those of [`SetView::iter`].
    pub fn at(&self, position: usize) -> Option<Member<'p>> {
        match self.form {
            Form::Ints(view) => view.get(position).map(Member::Integer),
            Form::Large(look) => look
                .get(position)
                .map(|seen| Member::Bytes(seen.blob().key())),
        }
    }

    /// All members: integers of a small set ascending.
    pub fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = Member<'p>> + ExactSizeIterator + use<'p> {
        match self.form {
            Form::Ints(view) => Both::Small(view.iter(0..view.len()).map(Member::Integer)),
            Form::Large(look) => {
                Both::Large(look.all().map(|seen| Member::Bytes(seen.blob().key())))
            }
        }
    }

    /// One step of a walk that goes on while the set changes, as
    /// [`HashView::scan`](crate::HashView::scan). A small set of integers is given as a whole.
    pub fn scan(&self, cursor: u64, count: usize, mut each: impl FnMut(Member<'p>)) -> u64 {
        match self.form {
            Form::Ints(_) => {
                self.iter().for_each(each);
                0
            }
            Form::Large(look) => {
                scan::scan(look, cursor, count, |blob| each(Member::Bytes(blob.key())))
            }
        }
    }
}
