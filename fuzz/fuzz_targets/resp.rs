//! The target `resp` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(resp);
