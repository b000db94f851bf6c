//! The target `probe_abi` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(probe_abi);
