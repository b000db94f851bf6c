//! Experiment files, the plans drawn from them, and the schema.

mod broken;
mod file;
mod plan;
mod schema;
