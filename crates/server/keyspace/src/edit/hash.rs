//! The edit of a hash.
#![expect(unsafe_code, reason = "the caller has the lock of the hash")]

use std::ptr::NonNull;

use perflab_rcu::Retire;

use crate::blob::Held;
use crate::collection::{Collection, Trees};
use crate::edit::Done;
use crate::edit::work::{Work, sorted};
use crate::entry::Entry;
use crate::form;
use crate::hash::of_field;
use crate::item::Hashed;
use crate::limits::{Limit, Limits};

/// Changes of a hash that readers see as one.
pub struct HashEdit<'t> {
    entry: &'t Entry,
    limits: &'t Limits,
    form: Form<'t>,
    converted: Option<NonNull<Entry>>,
}

enum Form<'t> {
    Small(Work<'t, Held>),
    Large(Work<'t, Hashed>),
}

impl<'t> HashEdit<'t> {
    /// Begins; None if the entry is no hash.
    ///
    /// # Safety
    /// The caller holds the lock of the shard until [`HashEdit::finish`], or nobody else knows the entry.
    pub(crate) unsafe fn begin(entry: &'t Entry, limits: &'t Limits) -> Option<Self> {
        // SAFETY: as the caller promises.
        let form = unsafe {
            match entry.collection()?.trees() {
                Trees::HashSmall(tree) => Form::Small(Work::begin(tree)),
                Trees::HashLarge(tree) => Form::Large(Work::begin(tree)),
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
            Form::Small(work) => work.commit(retire),
            Form::Large(work) => work.commit(retire),
        };
        Done {
            changes,
            nodes,
            len,
            converted: self.converted,
        }
    }

    /// The number of fields.
    pub fn len(&self) -> usize {
        match &self.form {
            Form::Small(work) => work.len(),
            Form::Large(work) => work.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a field.
    pub fn get(&self, field: &[u8]) -> Option<&[u8]> {
        let blob = match &self.form {
            Form::Small(work) => {
                let look = work.look();
                look.get(look.find_anywhere(field)?)?.blob()
            }
            Form::Large(work) => {
                let look = work.look();
                look.get(look.find(of_field(field), field).ok()?)?.blob()
            }
        };
        Some(blob.value())
    }

    /// Sets a field. Returns whether it is new.
    pub fn set(&mut self, field: &[u8], value: &[u8]) -> bool {
        if field.len().max(value.len()) > self.limits.get(Limit::HashValue) {
            self.enlarge();
        }
        let held = Held::new(field, value);
        let is_new = match &mut self.form {
            Form::Small(work) => match work.look().find_anywhere(field) {
                Some(position) => {
                    work.replace(position, held);
                    false
                }
                None => {
                    work.push_back(held);
                    true
                }
            },
            Form::Large(work) => {
                let hash = of_field(field);
                let item = Hashed { hash, held };
                match work.look().find(hash, field) {
                    Ok(position) => {
                        work.replace(position, item);
                        false
                    }
                    Err(position) => {
                        work.insert(position, item);
                        true
                    }
                }
            }
        };
        if self.len() > self.limits.get(Limit::HashEntries) {
            self.enlarge();
        }
        is_new
    }

    /// Removes a field. Returns whether it was there.
    pub fn remove(&mut self, field: &[u8]) -> bool {
        match &mut self.form {
            Form::Small(work) => {
                let position = work.look().find_anywhere(field);
                position.is_some_and(|position| work.remove(position).is_some())
            }
            Form::Large(work) => {
                let position = work.look().find(of_field(field), field);
                position.is_ok_and(|position| work.remove(position).is_some())
            }
        }
    }

    /// Goes on in the form for large hashes, in an entry that takes the place of this one.
    fn enlarge(&mut self) {
        let Form::Small(small) = &mut self.form else {
            return;
        };
        let entry = self.entry.alike(form::Form::HashLarge);
        // SAFETY: nobody else knows the new entry, and it lives until the edit ends.
        let large = unsafe { entry.as_ref() }.collection();
        let Some(Trees::HashLarge(tree)) = large.map(Collection::trees) else {
            return;
        };
        // SAFETY: as above.
        let mut large = unsafe { Work::begin(tree) };
        large.adopt(sorted(small.look().all()));
        large.continues(small.take_changes());
        self.form = Form::Large(large);
        self.converted = Some(entry);
    }
}
