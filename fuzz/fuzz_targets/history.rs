//! The target `history` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(history);
