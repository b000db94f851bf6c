//! The target `test_reports` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(test_reports);
