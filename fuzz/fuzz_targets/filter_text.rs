//! The target `filter_text` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(filter_text);
