//! What the files of an import hold.

use perflab_formats::{Format, Run};

use super::files::Input;

/// What was read, ready to be stored.
pub(crate) struct Collected {
    pub(crate) format: Format,
    pub(crate) independent: bool,
    pub(crate) inputs: Vec<Input>,
    pub(crate) runs: Vec<Run>,
    pub(crate) notes: Vec<String>,
}
