//! The target `pages` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(pages);
