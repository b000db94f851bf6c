//! The target `report` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(report);
