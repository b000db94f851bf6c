//! The target `counters` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(counters);
