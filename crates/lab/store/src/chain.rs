//! Each line of `runs.jsonl` names the line before it, so that no line can be taken out unseen.
//!
//! The first line names that of `meta.json`, and so belongs to this result and no other. A kill leaves the chain
//! whole: what it cuts is the last line, which no other line names.

use crate::error::LineProblem;
use crate::line;
use crate::link::Link;

/// How a line goes with the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Continuity {
    /// It names that line.
    Follows,
    /// It names another one.
    Gap,
    /// It names none, as in results that were begun before lines were chained.
    Unchained,
}

impl Continuity {
    /// From a line to the next, both with their line feeds. Where nothing is known of the first, nothing is wrong.
    pub(crate) fn between(before: Option<&[u8]>, line: &[u8]) -> Self {
        let Some(named) = line::previous(line.strip_suffix(b"\n").unwrap_or(line)) else {
            return Self::Unchained;
        };
        match before {
            Some(before) if named != Link::of(before).to_string().as_bytes() => Self::Gap,
            _ => Self::Follows,
        }
    }
}

/// Goes along the lines of a file.
#[derive(Debug)]
pub(crate) struct Chain {
    /// Whether the next line has to name the one before it.
    is_required: bool,
}

impl Chain {
    /// Before the first line of a result that was begun with a chain, or before lines were chained.
    pub(crate) fn begin(is_chained: bool) -> Self {
        Self {
            is_required: is_chained,
        }
    }

    /// Takes the next line. Once one is chained, all that follow it are.
    pub(crate) fn take(&mut self, continuity: Continuity) -> Result<(), LineProblem> {
        match continuity {
            Continuity::Follows => self.is_required = true,
            Continuity::Gap => {
                self.is_required = true;
                return Err(LineProblem::Gap);
            }
            Continuity::Unchained if self.is_required => {
                // Said once for all lines that come together.
                self.is_required = false;
                return Err(LineProblem::Unchained);
            }
            Continuity::Unchained => {}
        }
        Ok(())
    }
}
