//! The target `result_dir` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(result_dir);
