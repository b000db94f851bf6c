//! What is wanted of sites: what was asked for, and what somebody records who is there.

use std::time::Instant;

use super::sites::is_meant;
use crate::objects::KnownSite;
use crate::pattern::Pattern;

/// What somebody wants of sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Nothing.
    Off,
    /// Their hits.
    Count,
    /// Their events.
    Record,
}

/// What a site should be.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// What its handler does.
    pub wish: Wish,
    /// For that, or for a tracer in the kernel, it has to be on.
    pub on: bool,
}

/// Somebody who records all events.
#[derive(Debug, Clone)]
pub struct Attached {
    /// Which sites.
    pub pattern: Pattern,
    /// Since when it is expected, if it has not come yet: events are kept for it from the start.
    pub expected: Option<Instant>,
    /// What it is called, if it records children too.
    pub whom: Option<String>,
}

impl Attached {
    /// Whether the child of a fork is recorded too: it is expected to come there as well.
    pub fn in_child(self) -> Option<Self> {
        self.whom.is_some().then(|| Self {
            expected: Some(Instant::now()),
            ..self
        })
    }
}

/// What is wanted of sites.
#[derive(Debug, Clone)]
pub struct Wishes {
    /// What was asked for, oldest first; for each site the last that matches counts.
    asked: Vec<(Pattern, Wish)>,
    /// What somebody records who is there now, which comes before the others.
    pub attached: Option<Attached>,
}

impl Wishes {
    /// Nothing.
    pub fn new() -> Self {
        Self {
            asked: Vec::new(),
            attached: None,
        }
    }

    /// Wants sites on, or no longer.
    pub fn add(&mut self, pattern: &Pattern, wish: Wish) {
        // What is asked of the same probes later counts: nothing is recorded for a wish that is over.
        self.asked.retain(|(other, _)| !pattern.covers(other));
        self.asked.push((pattern.clone(), wish));
    }

    /// What is wanted of a site, by a wish or by tracers in the kernel.
    pub fn of(&self, site: &KnownSite) -> Wanted {
        let mut latest = self.asked.iter().rev();
        let latest = latest.find(|(pattern, _)| is_meant(pattern, site));
        let attached = self.attached.as_ref();
        let wish = if attached.is_some_and(|attached| is_meant(&attached.pattern, site)) {
            Wish::Record
        } else {
            latest.map_or(Wish::Off, |(_, wish)| *wish)
        };
        Wanted {
            wish,
            on: wish != Wish::Off || site.semaphore() != 0,
        }
    }

    /// Whether events of sites are wanted at any time.
    pub fn want_events(&self) -> bool {
        self.attached.is_some() || self.is_own()
    }

    /// Whether the process records on its own.
    pub fn is_own(&self) -> bool {
        let mut asked = self.asked.iter();
        asked.any(|(_, wish)| *wish == Wish::Record)
    }
}
