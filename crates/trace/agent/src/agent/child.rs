//! The agent in the child of a fork, which goes on as its parent's did.

use std::sync::atomic::Ordering;

use perflab_ring::Mode;

use super::switching::Agent;
use super::wishes::Attached;
use crate::numbers;
use crate::record::{self, Recorder};
use crate::refused;

impl Agent {
    /// Goes on in the child of a fork. Returns whether its agent has to begin before the program goes on: its first
    /// events are wanted, or it is root's and may have no rights to begin later. Without sites there is nothing to
    /// wait for: a shell forks for each of its commands.
    pub fn after_fork(&mut self) -> bool {
        self.sites.after_fork();
        // What the parent counted is the parent's.
        for (_, site, _) in self.sites.all() {
            site.point().hits.store(0, Ordering::Relaxed);
        }
        let heritage = self.recorder.take().map(Recorder::bequeath);
        self.wishes.attached = self.wishes.attached.take().and_then(Attached::in_child);
        // Whoever waits for an event does so for one of the parent.
        self.wishes.awaited = None;
        self.heritage = heritage.filter(|_| self.wishes.want_events());
        if self.heritage.is_none() {
            for (_, site, _) in self.sites.all() {
                record::forget(site.point());
            }
            record::count_nowhere();
        }
        record::forget_parent();
        self.patcher.after_fork();
        self.filters.after_fork();
        self.has_sites() && (self.heritage.is_some() || numbers::user() == 0)
    }

    /// Whether this is the child of a fork that does not record yet as its parent did: its events are counted.
    pub fn is_heir(&self) -> bool {
        self.heritage.is_some()
    }

    /// Records in the child of a fork as in its parent. If that fails, its events are counted where the parent's are.
    ///
    /// # Errors
    /// When it cannot be recorded.
    pub fn record_after_fork(&mut self) -> Result<(), String> {
        let Some(heritage) = self.heritage.take() else {
            return Ok(());
        };
        let attached = self.wishes.attached.as_ref();
        let mode = attached.map_or(Mode::Overwrite, |_| Mode::Keep);
        let whom = attached.and_then(|attached| attached.whom.as_deref());
        let started = Recorder::start_in_child(heritage, mode, whom);
        if started.is_err() {
            for (_, site, _) in self.sites.all() {
                record::forget(site.point());
            }
        }
        let recorder = self.recorder.insert(started?);
        if self.wishes.is_own() {
            recorder.own();
        }
        if whom.is_some()
            && let Err(reason) = refused::check_seen(recorder.directory())
        {
            refused::say(&reason);
        }
        Ok(())
    }
}
