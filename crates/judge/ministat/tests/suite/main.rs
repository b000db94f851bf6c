//! The installed ministat and recorded output of it, byte for byte.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod differential;
mod goldens;
