//! The target `settings` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(settings);
