//! How large a request may be.

use crate::error::ProtocolError;

/// What a connection may send in one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of one argument, at most. Redis calls it `proto-max-bulk-len`; 512 MiB by default.
    pub bulk: usize,
    /// The arguments of one request, at most. 1 048 576 by default, as in Redis before 7.0, which takes up to
    /// `i32::MAX`.
    pub elements: usize,
    /// Whether the peer has proven who it is, or need not. Without, a request has at most
    /// [`STRANGERS_ELEMENTS`](Self::STRANGERS_ELEMENTS) arguments of at most
    /// [`STRANGERS_BULK`](Self::STRANGERS_BULK) bytes each.
    pub authenticated: bool,
}

impl Limits {
    /// The bytes of a line, at most: an inline request, or a line with a count or a length. Its end is not counted.
    pub const LINE: usize = 64 * 1024;
    /// The arguments that a peer may send before it has proven who it is.
    pub const STRANGERS_ELEMENTS: usize = 10;
    /// The bytes of an argument that a peer may send before it has proven who it is.
    pub const STRANGERS_BULK: usize = 16 * 1024;

    /// The arguments of a request that announces so many. A count of 0 or less announces a request without any.
    pub(crate) fn elements(&self, announced: i64) -> Result<usize, ProtocolError> {
        let count = usize::try_from(announced).unwrap_or(0);
        if count > self.elements {
            Err(ProtocolError::MultibulkLength)
        } else if count > Self::STRANGERS_ELEMENTS && !self.authenticated {
            Err(ProtocolError::StrangersMultibulkLength)
        } else {
            Ok(count)
        }
    }

    /// The bytes of an argument that announces so many.
    pub(crate) fn bulk(&self, announced: i64) -> Result<usize, ProtocolError> {
        match usize::try_from(announced) {
            Ok(length) if length > self.bulk => Err(ProtocolError::BulkLength),
            Ok(length) if length > Self::STRANGERS_BULK && !self.authenticated => {
                Err(ProtocolError::StrangersBulkLength)
            }
            Ok(length) => Ok(length),
            Err(_) => Err(ProtocolError::BulkLength),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bulk: 512 * 1024 * 1024,
            elements: 1024 * 1024,
            authenticated: true,
        }
    }
}
