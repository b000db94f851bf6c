//! Other people's result files, read and written
