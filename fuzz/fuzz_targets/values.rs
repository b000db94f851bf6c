//! The target `values` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(values);
