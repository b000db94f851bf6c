//! The target `plan` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(plan);
