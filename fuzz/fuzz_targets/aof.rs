//! The target `aof` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(aof);
