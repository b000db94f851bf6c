//! The target `filter_object` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(filter_object);
