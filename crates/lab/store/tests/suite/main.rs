//! The results directory and its index, through the front door.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod altered;
mod chain;
mod crash;
mod disk_full;
mod fixture;
mod index;
mod many_samples;
mod result_dir;
mod salvage;
