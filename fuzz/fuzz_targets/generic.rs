//! The target `generic` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(generic);
