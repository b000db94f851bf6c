//! How filters judge the events of a site, for whoever asks.

use std::time::Duration;

use perflab_abi::{FilterMode, SiteFilter};

use super::codes::Made;

/// How filters judge the events of a site.
#[derive(Debug)]
pub struct Shown<'f> {
    /// By what.
    pub mode: FilterMode,
    /// The last of them, as a person wrote it.
    pub expression: &'f str,
    /// Why not by machine code.
    pub reason: String,
    /// What judges, if anything does.
    pub(super) made: Option<&'f Made>,
    /// How long it took the last change until events were judged.
    pub(super) published: Duration,
}

impl Shown<'_> {
    /// As it is named with a site.
    pub fn of_site(&self) -> SiteFilter<'_> {
        SiteFilter {
            mode: self.mode,
            code: self.code(),
            expression: self.expression,
            reason: &self.reason,
        }
    }

    /// Bytes of machine code; 0 if there is none.
    pub fn code(&self) -> u32 {
        let code = self.made.and_then(|made| made.code().ok());
        bytes(code.unwrap_or(0))
    }

    /// Bytes of memory besides that.
    pub fn kept(&self) -> u32 {
        bytes(self.made.map_or(0, Made::kept))
    }

    /// How long it took to verify them, to make machine code, and then until events were judged by it.
    pub fn took(&self) -> [Duration; 3] {
        self.made.map_or([Duration::ZERO; 3], |made| {
            let stages = made.bound.stages.iter();
            let verified = stages.map(|stage| stage.filter.verified).sum();
            [verified, made.emitted, self.published]
        })
    }
}

fn bytes(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
