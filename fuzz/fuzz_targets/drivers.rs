//! The target `drivers` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(drivers);
