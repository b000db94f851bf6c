//! The target `index` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(index);
