//! The target `hyperfine` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(hyperfine);
