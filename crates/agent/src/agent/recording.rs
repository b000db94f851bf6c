//! Who wants events, and until when.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use perflab_ring::Mode;

use super::{Agent, Switched, Wish, is_meant};
use crate::objects::Unusable;
use crate::pattern::Pattern;
use crate::record::{Recorder, Size};

/// Somebody who records all events.
#[derive(Debug, Clone)]
pub(super) struct Attached {
    pub(super) pattern: Pattern,
    /// Since when it is expected, if it has not come yet: events are kept for it from the start.
    expected: Option<Instant>,
}

/// How long events are kept for somebody who does not come.
const EXPECTED: Duration = Duration::from_secs(10);

impl Agent {
    /// Memory for events where who asks for them names none.
    pub fn usual_size(&self) -> Size {
        self.usual
    }

    /// From now on it is this.
    pub fn set_usual_size(&mut self, size: Size) {
        self.usual = size;
    }

    /// Records sites from now on, those too that come later, and says where the events are. If they are kept,
    /// it is until [`Agent::detach`].
    ///
    /// # Errors
    /// When they cannot be recorded or switched, or somebody else keeps this process's events; then nothing
    /// changed.
    pub fn record(
        &mut self,
        pattern: &Pattern,
        size: Size,
        keep: bool,
    ) -> Result<(PathBuf, Switched), String> {
        let attached = self.attached.as_ref();
        let is_expected = attached.is_some_and(|attached| attached.expected.is_some());
        if keep && self.attached.is_some() && !is_expected {
            return Err("somebody else records all events of this process".to_owned());
        }
        let recorder = match self.recorder.take() {
            Some(recorder) => recorder,
            None => Recorder::start()?,
        };
        let recorder = self.recorder.insert(recorder);
        if keep {
            recorder.activate(size, Mode::Keep)?;
        } else if self.attached.is_none() {
            recorder.activate(size, Mode::Overwrite)?;
        }
        let directory = recorder.directory().to_owned();
        if !keep {
            return Ok((directory, self.wish(pattern, Wish::Record)?));
        }
        self.attached = Some(Attached {
            pattern: pattern.clone(),
            expected: None,
        });
        // What the expected one wanted may be more.
        let result = self.apply(|site| is_expected || is_meant(pattern, site));
        if result.is_err() {
            self.detach();
        }
        Ok((directory, result?))
    }

    /// Whoever kept the events has gone.
    pub fn detach(&mut self) {
        self.attached = None;
        // Sites first, so that nothing is written over that is not read yet.
        self.keep_up();
        if let Some(recorder) = &mut self.recorder {
            recorder.overwrite();
        }
    }

    /// Records sites from the start: for nobody, or for somebody who comes soon.
    pub fn record_from_the_start(&mut self, pattern: &Pattern, expected: Option<&str>) {
        let mut result = self
            .record(pattern, self.usual, expected.is_some())
            .map(drop);
        if let (Some(whom), Some(attached)) = (expected, &mut self.attached) {
            attached.expected = Some(Instant::now());
            if let (Ok(()), Some(recorder)) = (&result, &self.recorder) {
                result = recorder.keep_for(whom);
            }
        }
        if let Err(reason) = result {
            self.note(Unusable {
                path: String::new(),
                reason,
            });
        }
    }

    /// Records in the child of a fork what its parent did for nobody.
    ///
    /// # Errors
    /// When it cannot be recorded.
    pub fn record_after_fork(&mut self) -> Result<(), String> {
        let mut wishes = self.wishes.iter();
        if wishes.any(|(_, wish)| *wish == Wish::Record) {
            let mut recorder = Recorder::start()?;
            recorder.activate(self.usual, Mode::Overwrite)?;
            self.recorder = Some(recorder);
        }
        Ok(())
    }

    /// Keeps what recording needs, if there is any.
    pub fn look_after_recording(&mut self) {
        let attached = self.attached.as_ref();
        let expected = attached.and_then(|attached| attached.expected);
        if expected.is_some_and(|since| since.elapsed() > EXPECTED) {
            self.detach();
        }
        let mut wishes = self.wishes.iter();
        let is_wanted = self.attached.is_some() || wishes.any(|(_, wish)| *wish == Wish::Record);
        if let Some(recorder) = &mut self.recorder {
            if !is_wanted && recorder.is_active() {
                recorder.rest();
            }
            recorder.look();
        }
    }

    /// The process ends.
    pub fn leave(&self) {
        if let Some(recorder) = &self.recorder {
            recorder.leave();
        }
    }

    /// Why recording does not work as it should, if so.
    pub fn recording_trouble(&self) -> Option<&str> {
        self.recorder.as_ref()?.trouble.as_deref()
    }

    /// Whether threads may want rings at any time.
    pub fn is_recording(&self) -> bool {
        self.recorder.as_ref().is_some_and(Recorder::is_active)
    }
}
