//! The target `ring_files` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(ring_files);
