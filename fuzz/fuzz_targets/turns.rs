//! The target `turns` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(turns);
