//! An executable or shared object with sites, and how the agent and it find each other.

use core::sync::atomic::{AtomicPtr, AtomicU32};

/// Name of the note's owner.
pub const NOTE_NAME: &[u8; 8] = b"perflab\0";

/// Type of the note.
pub const NOTE_TYPE: u32 = 1;

/// The content of a note of [`NOTE_TYPE`] in the section `.note.perflab`.
///
/// There may be several in an object, one for each unit of compilation; they say the same. Offsets
/// are in bytes, from the field that holds them.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Note {
    /// [`crate::VERSION`].
    pub version: u16,
    /// Of this structure, in bytes.
    pub size: u16,
    /// Zero.
    pub reserved: u32,
    /// To the first [`crate::Site`].
    pub first: i64,
    /// Behind the last [`crate::Site`].
    pub end: i64,
    /// To the [`Object`].
    pub object: i64,
}

/// An agent, as an object sees it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Agent {
    /// Called by the object before it goes: afterwards the agent does not touch it any more.
    pub gone: unsafe extern "C" fn(object: *const Object),
}

/// The address that [`Object::agent`] holds once the object's end has begun.
pub const GONE: usize = 1;

/// One for each executable or shared object.
///
/// The agent puts its own address into `agent`, if it holds null. When the object ends (`dlclose`,
/// or the end of the process), it exchanges `agent` for [`GONE`] and, if an agent stood there,
/// calls [`Agent::gone`]. So of an object that goes while an agent comes, either the agent is
/// refused or it is told.
///
/// An object that the linker gives up while it loads it goes without a word. So an agent enters itself only
/// once `ready` is set, which the object's beginning does, unless it knows that nothing is being loaded.
#[repr(C)]
#[derive(Debug)]
pub struct Object {
    /// [`crate::VERSION`].
    pub version: u16,
    /// Of this structure, in bytes.
    pub size: u16,
    /// Not zero once the object's beginning has run.
    pub ready: AtomicU32,
    /// The agent, null or [`GONE`].
    pub agent: AtomicPtr<Agent>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::{offset_of, size_of};

    #[test]
    fn layout() {
        assert_eq!(size_of::<Note>(), 32);
        assert_eq!(offset_of!(Note, first), 8);
        assert_eq!(size_of::<Object>(), 16);
        assert_eq!(offset_of!(Object, ready), 4);
        assert_eq!(offset_of!(Object, agent), 8);
        assert_eq!(offset_of!(Agent, gone), 0);
    }
}
