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
    /// What decides first whether it does so: the first of them that accepts an event. Without any, it always does.
    pub judges: Vec<Arc<Filter>>,
    /// For that, or for a tracer in the kernel, it has to be on.
    pub on: bool,
}

impl Wanted {
    /// Of a site that only a tracer in the kernel may want on.
    pub fn nothing(site: &KnownSite) -> Self {
        Self {
            wish: Wish::Off,
            judges: Vec::new(),
            on: site.semaphore() != 0,
        }
    }

    /// Of filters that cannot judge a site's events, none is accepted: the site need not be on.
    pub fn if_it_fits(self, filters: &mut Filters, site: &KnownSite) -> Self {
        if self.judges.is_empty() {
            filters.drop_fit(site);
            return self;
        }
        if filters.fits(&self.judges, site) {
            return self;
        }
        Self::nothing(site)
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

/// Somebody who wants to know when an event comes.
#[derive(Debug, Clone)]
pub struct Awaited {
    /// Of which sites.
    pub pattern: Pattern,
    /// Which of their events.
    pub filter: Arc<Filter>,
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
    /// What somebody waits for while the process records on its own.
    pub awaited: Option<Awaited>,
    /// Accepts all events, where others judge as well.
    all: Arc<Filter>,
}

/// Whether a wish is about a site, also if its recording only waits for events there.
pub fn concerns(pattern: &Pattern, filter: Option<&Arc<Filter>>, site: &KnownSite) -> bool {
    let waits = |filter: &Arc<Filter>| filter.triggers(&site.description).next().is_some();
    is_meant(pattern, site) || filter.is_some_and(waits)
}

impl Wishes {
    /// Nothing.
    pub fn new() -> Self {
        Self {
            asked: Vec::new(),
            attached: None,
            awaited: None,
            all: Arc::new(Filter::all()),
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
    ///
    /// A recording may wait for events of a site that it does not record otherwise. If the next wish about the site is
    /// to record it, that has the other events. If it is to count, nothing is counted meanwhile.
    pub fn of(&self, site: &KnownSite) -> Wanted {
        let awaited = self.awaited.iter();
        let awaited = awaited.filter(|awaited| is_meant(&awaited.pattern, site));
        let mut judges: Vec<Arc<Filter>> =
            awaited.map(|awaited| Arc::clone(&awaited.filter)).collect();
        let mut wish = if judges.is_empty() {
            Wish::Off
        } else {
            Wish::Record
        };
        let attached = self.attached.iter();
        let attached = attached.map(|one| (&one.pattern, one.filter.as_ref(), Wish::Record));
        let asked = self.asked.iter().rev();
        let asked = asked.map(|one| (&one.pattern, one.filter.as_ref(), one.wish));
        for (pattern, filter, asked) in attached.chain(asked) {
            let is_meant = is_meant(pattern, site);
            let triggers = filter.into_iter();
            let triggers = triggers.flat_map(|filter| filter.triggers(&site.description));
            let mut triggers = triggers.peekable();
            if !is_meant && triggers.peek().is_none() {
                continue;
            }
            if !judges.is_empty() && asked != Wish::Record {
                break;
            }
            wish = asked;
            judges.extend(triggers.cloned());
            if is_meant {
                match filter.filter(|filter| filter.judges(site)) {
                    Some(filter) => judges.push(Arc::clone(filter)),
                    None if judges.is_empty() => {}
                    None => judges.push(Arc::clone(&self.all)),
                }
                break;
            }
        }
        Wanted {
            wish,
            judges,
            on: wish != Wish::Off || site.semaphore() != 0,
        }
    }

    /// Whether events of sites are wanted at any time.
    pub fn want_events(&self) -> bool {
        self.attached.is_some() || self.awaited.is_some() || self.is_own()
    }

    /// Whether the process records on its own.
    pub fn is_own(&self) -> bool {
        let mut asked = self.asked.iter();
        asked.any(|asked| asked.wish == Wish::Record)
    }
}
