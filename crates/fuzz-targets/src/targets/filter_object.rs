//! Any bytes as an eBPF object with a filter.
//!
//! What is read is a program that an agent accepts, and that does no harm, see the target `filter_text`. Written as an
//! object and read again it is the same. It can be shown.

use perflab_filter::{ObjectProblem, listing, read_object, write_object};

use super::filter_text::execute;
use crate::shared::has_control;

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    match read_object(input) {
        Ok(object) => {
            let again = read_object(&write_object(&object.program));
            assert_eq!(again.map(|again| again.program), Ok(object.program.clone()));
            assert!(!has_control(&listing(&object.program, None, &[])));
            execute(&object.program);
            true
        }
        Err(problem) => {
            assert!(!problem.to_string().is_empty());
            problem != ObjectProblem::NoObject
        }
    }
}
