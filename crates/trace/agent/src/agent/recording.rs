//! Who wants events, and until when.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_ring::Mode;

use super::switching::{Agent, Switched};
use super::wishes::{Attached, Wish, concerns};
use crate::filter::Filter;
use crate::objects::Unusable;
use crate::pattern::Pattern;
use crate::record::{Begin, Recorder, Size};
use crate::refused;

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
        self.own_size = size;
    }

    /// Records sites from now on, those too that come later, and says where the events are: those that the filter
    /// accepts, if there is one. If they are kept, it is until [`Agent::detach`].
    ///
    /// # Errors
    /// When they cannot be recorded or switched, or somebody else keeps this process's events; then nothing
    /// changed.
    pub fn record(
        &mut self,
        pattern: &Pattern,
        size: Size,
        keep: bool,
        filter: Option<Arc<Filter>>,
    ) -> Result<(PathBuf, Switched), String> {
        let attached = self.wishes.attached.as_ref();
        let is_expected = attached.is_some_and(|attached| attached.expected.is_some());
        let whom = attached.and_then(|attached| attached.whom.clone());
        let before = attached.filter(|_| is_expected);
        let before = before.and_then(|attached| attached.filter.clone());
        // One that is there already goes on: a recording may have begun with an event, and what was taken counts.
        let filter = match (before, filter) {
            (Some(before), Some(filter)) if before.is_same(&filter) => Some(before),
            (_, filter) => filter,
        };
        if keep && self.wishes.attached.is_some() && !is_expected {
            return Err("somebody else records all events of this process".to_owned());
        }
        if (keep || self.wishes.attached.is_none())
            && let Some(recorder) = &mut self.recorder
            && recorder.is_removed()
        {
            recorder.begin_again(size)?;
        }
        let known = self.recorder.take();
        let is_new = known.is_none();
        let mut recorder = match known {
            Some(recorder) => recorder,
            None => Recorder::start(size)?,
        };
        let activated = if keep {
            recorder.activate(size, Mode::Keep, !is_expected)
        } else if is_new || self.wishes.attached.is_none() {
            let is_another = !recorder.is_active();
            recorder.activate(size, Mode::Overwrite, is_another)
        } else {
            Ok(())
        };
        if let Err(reason) = activated {
            // An event without a ring is counted where it was until now.
            if is_new {
                recorder.discard();
            } else {
                self.recorder = Some(recorder);
            }
            return Err(reason);
        }
        let recorder = self.recorder.insert(recorder);
        if !keep || self.wishes.is_own() {
            recorder.own();
        }
        let directory = recorder.directory().to_owned();
        let note = recorder.note().map(str::to_owned);
        if let Some(reason) = &note {
            self.note(Unusable {
                path: String::new(),
                reason: reason.clone(),
            });
        }
        let said = |switched: Switched| {
            let how = [Some(switched.how), note].into_iter().flatten();
            let how: Vec<String> = how.filter(|text| !text.is_empty()).collect();
            Switched {
                how: how.join("; "),
                ..switched
            }
        };
        if !keep {
            self.own_size = size;
            return Ok((directory, said(self.wish(pattern, Wish::Record, filter)?)));
        }
        self.wishes.attached = Some(Attached {
            pattern: pattern.clone(),
            expected: None,
            whom,
            filter: filter.clone(),
        });
        // What the expected one wanted may be more.
        let filter = filter.as_ref();
        let result = self.apply(|site| is_expected || concerns(pattern, filter, site));
        if result.is_err() {
            self.detach();
        }
        Ok((directory, said(result?)))
    }

    /// Whoever kept the events has gone.
    pub fn detach(&mut self) {
        let attached = self.wishes.attached.take();
        // One that was expected and did not come has read nothing.
        let was_there = attached.is_some_and(|attached| attached.expected.is_none());
        // Sites first, so that nothing is written over that is not read yet. At once, whatever failed before.
        self.again = None;
        self.keep_up();
        if let Some(recorder) = &mut self.recorder {
            // Then the numbers that tell the recorder's events from others, before newer events replace older ones:
            // `recover` reports none as lost that the recorder has read, wherever the process is killed in between.
            if was_there {
                recorder.begin_recording(Begin::OwnAgain);
                recorder.let_go();
            }
            recorder.overwrite();
            recorder.set_size(self.own_size);
        }
    }

    /// Records sites from the start: for nobody, or for somebody who comes soon.
    pub fn record_from_the_start(
        &mut self,
        pattern: &Pattern,
        filter: Option<Arc<Filter>>,
        expected: Option<&str>,
    ) {
        let mut result = self
            .record(pattern, self.usual, expected.is_some(), filter)
            .map(drop);
        if let (Some(whom), Some(attached)) = (expected, &mut self.wishes.attached) {
            attached.expected = Some(Instant::now());
            attached.whom = Some(whom.to_owned());
            if let (Ok(()), Some(recorder)) = (&result, &self.recorder) {
                result = recorder
                    .keep_for(whom)
                    .and_then(|()| refused::check_seen(recorder.directory()));
            }
        }
        if let Err(reason) = result {
            if expected.is_some() {
                refused::say(&reason);
            }
            self.note(Unusable {
                path: String::new(),
                reason,
            });
        }
    }

    /// Keeps what recording needs, if there is any.
    pub fn look_after_recording(&mut self) {
        let attached = self.wishes.attached.as_ref();
        let expected = attached.and_then(|attached| attached.expected);
        if expected.is_some_and(|since| since.elapsed() > EXPECTED) {
            self.detach();
        }
        let is_wanted = self.wishes.want_events();
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
