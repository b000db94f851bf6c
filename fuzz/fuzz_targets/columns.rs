//! The target `columns` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(columns);
