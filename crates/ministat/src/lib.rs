//! The old tool, byte for byte
