//! The target `frozen_files` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(frozen_files);
