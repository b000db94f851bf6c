//! The edit of a set.
#![expect(unsafe_code, reason = "the caller has the lock of the set")]

use std::ptr::NonNull;

use perflab_rcu::Retire;
use perflab_tree::Edit;

use crate::blob::Held;
use crate::collection::{Collection, Trees};
use crate::edit::Done;
use crate::edit::work::{Changes, Work};
use crate::entry::Entry;
use crate::form;
use crate::hash::of_field;
use crate::item::Hashed;
use crate::limits::{Limit, Limits};
use crate::number::{self, Digits};
use crate::view::Member;

/// Changes of a set that readers see as one.
pub struct SetEdit<'t> {
    entry: &'t Entry,
    limits: &'t Limits,
    form: Form<'t>,
    converted: Option<NonNull<Entry>>,
}

enum Form<'t> {
    /// Integers, which have no blobs, and whether any came or went.
    Ints(Edit<'t, i64>, bool),
    Large(Work<'t, Hashed>),
}

impl<'t> SetEdit<'t> {
    /// Begins; None if the entry is no set.
    ///
    /// # Safety
    /// The caller holds the lock of the shard until [`SetEdit::finish`], or nobody else knows the entry.
    pub(crate) unsafe fn begin(entry: &'t Entry, limits: &'t Limits) -> Option<Self> {
        // SAFETY: as the caller promises.
        let form = unsafe {
            match entry.collection()?.trees() {
                Trees::SetInts(tree) => Form::Ints(tree.edit(), false),
                Trees::SetLarge(tree) => Form::Large(Work::begin(tree)),
                _ => return None,
            }
        };
        Some(Self {
            entry,
            limits,
            form,
            converted: None,
        })
    }

    pub(crate) fn finish(self, retire: &mut dyn Retire) -> Done {
        let len = self.len();
        let (changes, nodes) = match self.form {
            Form::Ints(edit, true) => {
                let changes = Changes {
                    changed: true,
                    ..Changes::default()
                };
                (changes, edit.commit(retire) as i64)
            }
            Form::Ints(_, false) => (Changes::default(), 0),
            Form::Large(work) => work.commit(retire),
        };
        Done {
            changes,
            nodes,
            len,
            converted: self.converted,
        }
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        match &self.form {
            Form::Ints(edit, _) => edit.view().len(),
            Form::Large(work) => work.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it has this member.
    pub fn contains(&self, member: &[u8]) -> bool {
        match &self.form {
            Form::Ints(edit, _) => {
                number::integer(member).is_some_and(|number| find(edit, number).is_ok())
            }
            Form::Large(work) => work.look().find(of_field(member), member).is_ok(),
        }
    }

    /// The member at a position. Positions are valid until the next change.
    pub fn at(&self, position: usize) -> Option<Member<'_>> {
        match &self.form {
            Form::Ints(edit, _) => edit.view().get(position).map(Member::Integer),
            Form::Large(work) => {
                let seen = work.look().get(position);
                seen.map(|seen| Member::Bytes(seen.blob().key()))
            }
        }
    }

    /// Adds a member. Returns whether it is new.
    pub fn add(&mut self, member: &[u8]) -> bool {
        let integer = number::integer(member);
        if integer.is_none() {
            self.enlarge();
        }
        let is_new = match (&mut self.form, integer) {
            (Form::Ints(edit, changed), Some(integer)) => match find(edit, integer) {
                Ok(_) => false,
                Err(position) => {
                    edit.insert(position, integer);
                    *changed = true;
                    true
                }
            },
            (Form::Large(work), _) => {
                let hash = of_field(member);
                match work.look().find(hash, member) {
                    Ok(_) => false,
                    Err(position) => {
                        let held = Held::new(member, &[]);
                        work.insert(position, Hashed { hash, held });
                        true
                    }
                }
            }
            (Form::Ints(..), None) => unreachable!("a set with other members is a large one"),
        };
        if is_new && self.len() > self.limits.get(Limit::SetInts) {
            self.enlarge();
        }
        is_new
    }

    /// Removes a member. Returns whether it was there.
    pub fn remove(&mut self, member: &[u8]) -> bool {
        let position = match &self.form {
            Form::Ints(edit, _) => {
                number::integer(member).and_then(|number| find(edit, number).ok())
            }
            Form::Large(work) => work.look().find(of_field(member), member).ok(),
        };
        position.is_some_and(|position| self.remove_at(position))
    }

    /// Removes the member at a position. Returns whether there was one.
    pub fn remove_at(&mut self, position: usize) -> bool {
        match &mut self.form {
            Form::Ints(edit, changed) => {
                let was_there = edit.remove(position).is_some();
                *changed |= was_there;
                was_there
            }
            Form::Large(work) => work.remove(position).is_some(),
        }
    }

    /// Goes on in the form for large sets, in an entry that takes the place of this one.
    fn enlarge(&mut self) {
        let Form::Ints(ints, _) = &self.form else {
            return;
        };
        let entry = self.entry.alike(form::Form::SetLarge);
        // SAFETY: nobody else knows the new entry, and it lives until the edit ends.
        let large = unsafe { entry.as_ref() }.collection();
        let Some(Trees::SetLarge(tree)) = large.map(Collection::trees) else {
            return;
        };
        let mut items: Vec<(u64, Digits)> = ints
            .view()
            .iter(..)
            .map(Digits::of)
            .map(|digits| (of_field(digits.bytes()), digits))
            .collect();
        items.sort_unstable_by(|(one, left), (other, right)| {
            (one, left.bytes()).cmp(&(other, right.bytes()))
        });
        // SAFETY: as above.
        let mut large = unsafe { Work::begin(tree) };
        large.extend(items.iter().map(|(hash, digits)| Hashed {
            hash: *hash,
            held: Held::new(digits.bytes(), &[]),
        }));
        self.form = Form::Large(large);
        self.converted = Some(entry);
    }
}

fn find(edit: &Edit<'_, i64>, number: i64) -> Result<usize, usize> {
    edit.view().position_by(|item| item.cmp(&number))
}
