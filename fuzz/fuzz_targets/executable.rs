//! The target `executable` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(executable);
