//! The target `ministat` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(ministat);
