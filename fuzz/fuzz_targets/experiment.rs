//! The target `experiment` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(experiment);
