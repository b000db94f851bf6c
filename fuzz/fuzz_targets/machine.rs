//! The target `machine` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(machine);
