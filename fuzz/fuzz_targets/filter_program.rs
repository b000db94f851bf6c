//! The target `filter_program` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(filter_program);
