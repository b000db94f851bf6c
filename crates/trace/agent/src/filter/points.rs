//! Which filter judges the events of each point, and how.
#![expect(unsafe_code, reason = "gates are led to code and memory that may go")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_abi::{FilterMode, SiteFilter};

use super::Filter;
use super::bind::{Fit, Misfit, words};
use super::codes::{Codes, Made};
use super::gates::{Gate, Gates, Lead};
use super::judge::Bound;
use super::limbo::{self, Limbo};
use super::marks::{self, Looking, Watch};
use crate::objects::KnownSite;

/// How long a filter waits for those before it, where too many of them cannot be freed.
const PATIENCE: Duration = Duration::from_secs(1);

/// A point whose events are judged, or were so once.
#[derive(Debug, Default)]
struct Judged {
    /// The filter that was asked for last, and whether it can judge them.
    fit: Option<(Arc<Filter>, Result<Fit, Misfit>)>,
    /// It stays as long as the point: a thread may have read at any time that this is the point's handler.
    gate: Option<Gate>,
    /// What the gate leads to.
    made: Option<Arc<Made>>,
}

/// What no event comes to any more.
#[derive(Debug, Default)]
struct Replaced {
    made: Vec<Arc<Made>>,
    gates: Vec<Gate>,
}

/// What will judge the events of a site.
#[derive(Debug)]
pub struct Prepared {
    made: Arc<Made>,
    /// The handler of its point.
    pub handler: *mut (),
}

/// All points whose events are judged.
#[derive(Debug)]
pub struct Filters {
    /// By their addresses.
    points: BTreeMap<usize, Judged>,
    gates: Gates,
    codes: Codes,
    /// What the change that is being made has replaced.
    replaced: Replaced,
    limbo: Limbo<Replaced>,
    watch: Watch,
    /// Why what was replaced cannot be freed, if so.
    trouble: Option<String>,
    /// Since when the change that is being made has all that it needs.
    prepared: Option<Instant>,
    /// How long it took the last one from there until events were judged.
    published: Duration,
}

fn key(site: &KnownSite) -> usize {
    std::ptr::from_ref(site.point()).addr()
}

impl Filters {
    /// No point has a filter.
    pub fn new() -> Self {
        Self {
            points: BTreeMap::new(),
            gates: Gates::new(),
            codes: Codes::new(),
            replaced: Replaced::default(),
            limbo: Limbo::new(),
            watch: Watch::default(),
            trouble: None,
            prepared: None,
            published: Duration::ZERO,
        }
    }

    /// Whether a filter can judge the events of a site.
    pub fn fits(&mut self, filter: &Arc<Filter>, site: &KnownSite) -> bool {
        self.fit(filter, site).is_ok()
    }

    fn fit(&mut self, filter: &Arc<Filter>, site: &KnownSite) -> &Result<Fit, Misfit> {
        let judged = self.points.entry(key(site)).or_default();
        judged.fit.take_if(|(of, _)| !Arc::ptr_eq(of, filter));
        let new = || (Arc::clone(filter), filter.fit(&site.description));
        &judged.fit.get_or_insert_with(new).1
    }

    /// Prepares what judges the events of a site before a handler gets them. Nothing has changed until
    /// [`Filters::publish`].
    ///
    /// # Errors
    /// When the filter does not fit, there is no gate left, or too many filters cannot be freed.
    pub fn prepare(
        &mut self,
        filter: &Arc<Filter>,
        site: &KnownSite,
        next: *mut (),
        serialise: impl FnMut() -> Result<(), String>,
    ) -> Result<Prepared, String> {
        let next = next.addr();
        if let Some(known) = self.points.get(&key(site))
            && let (Some(made), Some(gate)) = (&known.made, &known.gate)
            && made.bound.is_of(filter, next)
        {
            return Ok(Prepared {
                made: Arc::clone(made),
                handler: gate.handler(),
            });
        }
        self.make_room(serialise)?;
        let fit = self.fit(filter, site);
        let Fit {
            alternative,
            places,
        } = fit.as_ref().map_err(|misfit| misfit.reason.clone())?;
        let bound = Bound {
            filter: Arc::clone(filter),
            alternative: *alternative,
            places: places.clone(),
            words: words(&site.description),
            by_record: site.by_record,
            next,
        };
        marks::begin();
        let judged = self.points.entry(key(site)).or_default();
        let gate = match judged.gate.take() {
            Some(gate) => gate,
            None => self.gates.take()?,
        };
        let prepared = Prepared {
            handler: judged.gate.insert(gate).handler(),
            made: self.codes.made(bound),
        };
        self.prepared = Some(Instant::now());
        Ok(prepared)
    }

    /// From now on the events of a site are judged so.
    pub fn publish(&mut self, site: &KnownSite, prepared: &Prepared) {
        let made = &prepared.made;
        let Some(judged) = self.points.get_mut(&key(site)) else {
            return;
        };
        let known = judged.made.as_ref();
        if let Some(gate) = &judged.gate
            && !known.is_some_and(|known| Arc::ptr_eq(known, made))
        {
            // SAFETY: the point keeps it as long as the gate leads there, then limbo does.
            unsafe { gate.lead(made.lead()) };
            let old = judged.made.replace(Arc::clone(made));
            self.replaced.made.extend(old);
        }
    }

    /// No event of a site is judged any more: all go to this handler. Threads may come by its gate even so.
    pub fn pass(&mut self, site: &KnownSite, next: *mut ()) {
        self.lead(site, Lead::Plain(next));
    }

    /// No event of a site is wanted any more.
    pub fn end(&mut self, site: &KnownSite) {
        self.lead(site, Lead::Nowhere);
    }

    fn lead(&mut self, site: &KnownSite, to: Lead<'_>) {
        let Some(judged) = self.points.get_mut(&key(site)) else {
            return;
        };
        if let Some(gate) = &judged.gate {
            // SAFETY: handlers stay.
            unsafe { gate.lead(to) };
        }
        self.replaced.made.extend(judged.made.take());
    }

    /// Forgets the points of sites whose object goes.
    pub fn forget<'s>(&mut self, sites: impl Iterator<Item = &'s KnownSite>) {
        for site in sites {
            self.end(site);
            let judged = self.points.remove(&key(site));
            let gate = judged.and_then(|judged| judged.gate);
            self.replaced.gates.extend(gate);
        }
    }

    /// A change was made: what it replaced waits for threads that may be in it.
    pub fn settle(&mut self, serialise: impl FnMut() -> Result<(), String>) {
        if let Some(since) = self.prepared.take() {
            self.published = since.elapsed();
        }
        let replaced = std::mem::take(&mut self.replaced);
        if !(replaced.made.is_empty() && replaced.gates.is_empty()) {
            self.limbo.put(replaced);
            self.look(serialise);
        }
    }

    /// Frees what no thread is in any more, and looks after threads that have ended.
    pub fn look(&mut self, serialise: impl FnMut() -> Result<(), String>) {
        self.watch.clean();
        if !self.is_waiting() {
            return;
        }
        let mut looking = Looking {
            watch: &mut self.watch,
            serialise,
        };
        let may_go = |replaced: &Replaced| replaced.made.iter().all(|made| made.may_go());
        let over = self.limbo.look(&mut looking, may_go);
        self.trouble = over
            .map(|over| {
                let gates = over.into_iter().flat_map(|replaced| replaced.gates);
                self.gates.give_back(gates);
            })
            .err();
    }

    /// Whether something waits for threads, so that it is to be looked for soon.
    pub fn is_waiting(&self) -> bool {
        self.limbo.len() > 0
    }

    /// Why what was replaced cannot be freed, if so.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Waits until another filter may be replaced.
    fn make_room(
        &mut self,
        mut serialise: impl FnMut() -> Result<(), String>,
    ) -> Result<(), String> {
        let end = Instant::now() + PATIENCE;
        while self.limbo.len() >= limbo::MOST {
            self.look(&mut serialise);
            if self.limbo.len() < limbo::MOST {
                break;
            }
            if Instant::now() >= end {
                let reason = self.trouble.clone().unwrap_or_else(|| self.why_full());
                return Err(format!(
                    "{} filters that were replaced cannot be freed: {reason}",
                    self.limbo.len()
                ));
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        Ok(())
    }

    fn why_full(&self) -> String {
        match self.limbo.threads() {
            0 => "threads have left filters by a jump out of a signal's handler, and may jump back"
                .to_owned(),
            1 => "1 thread is in one".to_owned(),
            threads => format!("{threads} threads are in one"),
        }
    }

    /// In the child of a fork, by its only thread.
    pub fn after_fork(&mut self) {
        marks::after_fork();
        self.limbo.look_again();
    }

    /// How a filter judges the events of a site, as far as that is known.
    pub fn shown(&self, filter: &Arc<Filter>, site: &KnownSite) -> Option<Shown<'_>> {
        let judged = self.points.get(&key(site))?;
        if let Some((of, Err(misfit))) = &judged.fit
            && Arc::ptr_eq(of, filter)
        {
            return Some(Shown {
                mode: misfit.mode,
                expression: &of.expression,
                reason: misfit.reason.clone(),
                made: None,
                published: Duration::ZERO,
            });
        }
        let made = judged.made.as_deref()?;
        let code = made.code();
        Arc::ptr_eq(&made.bound.filter, filter).then(|| Shown {
            mode: match code {
                Ok(_) => FilterMode::Native,
                Err(_) => FilterMode::Interpreted,
            },
            expression: &made.bound.filter.expression,
            reason: code.err().unwrap_or_default().to_owned(),
            made: Some(made),
            published: self.published,
        })
    }
}

/// How a filter judges the events of a site.
#[derive(Debug)]
pub struct Shown<'f> {
    /// By what.
    pub mode: FilterMode,
    /// As a person wrote it.
    pub expression: &'f str,
    /// Why not by machine code.
    pub reason: String,
    /// What judges, if anything does.
    made: Option<&'f Made>,
    published: Duration,
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

    /// How long it took to verify the filter, to make machine code, and then until events were judged by it.
    pub fn took(&self) -> [Duration; 3] {
        self.made.map_or([Duration::ZERO; 3], |made| {
            [made.bound.filter.verified, made.emitted, self.published]
        })
    }
}

fn bytes(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
