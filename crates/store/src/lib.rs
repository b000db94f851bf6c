//! The results directory and its index
