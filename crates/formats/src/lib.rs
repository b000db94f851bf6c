//! Other people's result files, read and written.
//!
//! Each module is one format: text in, values out, and back. Nothing here opens a file.

pub mod columns;
pub mod hyperfine;
