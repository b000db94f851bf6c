//! The target `foreign` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(foreign);
