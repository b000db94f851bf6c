//! The target `redis_benchmark` of `perflab-fuzz-targets`.

#![no_main]

perflab_fuzz::target!(redis_benchmark);
