//! The target `trace_file` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(trace_file);
