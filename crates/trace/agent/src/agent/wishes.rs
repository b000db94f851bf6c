//! What is wanted of sites: what was asked for, and what somebody records who is there.

use std::sync::Arc;
use std::time::Instant;

use super::sites::is_meant;
use crate::filter::{Filter, Filters};
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
#[derive(Debug, Clone)]
pub struct Wanted {
    /// What its handler does.
    pub wish: Wish,
    /// What decides first whether it does so.
    pub filter: Option<Arc<Filter>>,
    /// For that, or for a tracer in the kernel, it has to be on.
    pub on: bool,
}

impl Wanted {
    /// Of a filter that cannot judge a site's events, none is accepted: the site need not be on.
    pub fn if_it_fits(self, filters: &mut Filters, site: &KnownSite) -> Self {
        let filter = self.filter.as_ref();
        if filter.is_none_or(|filter| filters.fits(filter, site)) {
            return self;
        }
        Self {
            wish: Wish::Off,
            filter: None,
            on: site.semaphore() != 0,
        }
    }
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
    /// Which of their events.
    pub filter: Option<Arc<Filter>>,
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

/// Something that was asked for.
#[derive(Debug, Clone)]
struct Asked {
    pattern: Pattern,
    wish: Wish,
    filter: Option<Arc<Filter>>,
}

/// What is wanted of sites.
#[derive(Debug, Clone)]
pub struct Wishes {
    /// What was asked for, oldest first; for each site the last that matches counts.
    asked: Vec<Asked>,
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
    pub fn add(&mut self, pattern: &Pattern, wish: Wish, filter: Option<Arc<Filter>>) {
        // What is asked of the same probes later counts: nothing is recorded for a wish that is over.
        self.asked.retain(|asked| !pattern.covers(&asked.pattern));
        self.asked.push(Asked {
            pattern: pattern.clone(),
            wish,
            filter,
        });
    }

    /// What is wanted of a site, by a wish or by tracers in the kernel.
    pub fn of(&self, site: &KnownSite) -> Wanted {
        let mut latest = self.asked.iter().rev();
        let latest = latest.find(|asked| is_meant(&asked.pattern, site));
        let attached = self.attached.as_ref();
        let attached = attached.filter(|attached| is_meant(&attached.pattern, site));
        let (wish, filter) = match (attached, latest) {
            (Some(attached), _) => (Wish::Record, attached.filter.as_ref()),
            (None, Some(asked)) => (asked.wish, asked.filter.as_ref()),
            (None, None) => (Wish::Off, None),
        };
        let filter = filter.filter(|filter| filter.judges(site));
        Wanted {
            wish,
            filter: filter.cloned(),
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
        asked.any(|asked| asked.wish == Wish::Record)
    }
}
