//! What trees hold: addresses of blobs, and the number by which some trees order them.

use crate::blob::Held;

/// An item that leads to a blob.
pub(crate) trait Leads: Copy {
    /// The blob's address.
    fn held(&self) -> Held;

    /// The item that leads to a copy of the blob.
    fn leading_to(self, copy: Held) -> Self;
}

impl Leads for Held {
    fn held(&self) -> Held {
        *self
    }

    fn leading_to(self, copy: Held) -> Self {
        copy
    }
}

/// An item of a tree that is ordered by the hash of the key, then by its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hashed {
    pub hash: u64,
    pub held: Held,
}

impl Leads for Hashed {
    fn held(&self) -> Held {
        self.held
    }

    fn leading_to(self, copy: Held) -> Self {
        Self { held: copy, ..self }
    }
}

/// An item of a tree that is ordered by score, then by the bytes of the member.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scored {
    pub score: f64,
    pub held: Held,
}

impl Leads for Scored {
    fn held(&self) -> Held {
        self.held
    }

    fn leading_to(self, copy: Held) -> Self {
        Self { held: copy, ..self }
    }
}
