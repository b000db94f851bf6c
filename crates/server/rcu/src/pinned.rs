//! Sections and limbos for code that is compiled once for all flavours.
#![expect(
    unsafe_code,
    reason = "whoever forgets the flavour promises that it is the right one"
)]

use std::marker::PhantomData;

use crate::flavour::Flavour;
use crate::limbo::Limbo;
use crate::reader::Section;

/// The proof of an open section of some flavour.
///
/// A [`Section`] knows its flavour, so code that takes one is compiled for each flavour. Large code takes this instead.
/// The flavour is forgotten: a structure that gives out references for it says in an unsafe constructor that all its
/// sections and limbos are of one flavour.
#[derive(Debug, Clone, Copy)]
pub struct Pinned<'s> {
    /// The section, which stays in its thread.
    section: PhantomData<(&'s (), *mut ())>,
}

impl<'s> Pinned<'s> {
    /// The proof that a section gives as long as it is borrowed.
    #[inline(always)]
    pub fn by<F: Flavour>(_: &'s Section<'_, F>) -> Self {
        Self {
            section: PhantomData,
        }
    }

    /// The proof without a section.
    ///
    /// # Safety
    /// As long as it lives, nobody frees what readers may see: no other thread writes, or the thread holds the lock
    /// that those who write need.
    #[inline(always)]
    pub unsafe fn unprotected() -> Self {
        Self {
            section: PhantomData,
        }
    }
}

/// Takes memory that readers may still use: a [`Limbo`] of some flavour.
pub trait Retire {
    /// [`Limbo::retire_raw`].
    ///
    /// # Safety
    /// As there.
    unsafe fn retire_raw(&mut self, object: *mut u8, bytes: usize, free: unsafe fn(*mut u8));
}

impl<F: Flavour> Retire for Limbo<F> {
    unsafe fn retire_raw(&mut self, object: *mut u8, bytes: usize, free: unsafe fn(*mut u8)) {
        // SAFETY: as the caller promises.
        unsafe { Limbo::retire_raw(self, object, bytes, free) };
    }
}
