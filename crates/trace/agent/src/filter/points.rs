//! Which filters judge the events of each point, and how.
#![expect(unsafe_code, reason = "gates are led to code and memory that may go")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_abi::FilterMode;

use super::Filter;
use super::bind::{Fit, Misfit, are_same, fit, is_off, words};
use super::codes::{Codes, Made};
use super::gates::{Gate, Gates, Lead};
use super::judge::Bound;
use super::limbo::{self, Limbo};
use super::marks::{self, Looking, Watch};
use super::pace::Paces;
use super::shown::Shown;
use crate::numbers;
use crate::objects::KnownSite;

/// So long after something was replaced nearly all threads have left it. The others are looked at less often.
const SOON: Duration = Duration::from_secs(1);

/// A point whose events are judged, or were so once.
#[derive(Debug, Default)]
struct Judged {
    /// The filters that were asked for last, and which of them can judge them.
    fit: Option<(Box<[Arc<Filter>]>, Fit)>,
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
    /// Points that were given a gate for the change that is being prepared.
    new: Vec<usize>,
    limbo: Limbo<Replaced>,
    /// Whether gates came back from there, and nobody has asked since.
    has_room: bool,
    /// When something came there last.
    put: Option<Instant>,
    watch: Watch,
    paces: Paces,
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
            new: Vec::new(),
            limbo: Limbo::new(),
            has_room: false,
            put: None,
            watch: Watch::default(),
            paces: Paces::new(),
            trouble: None,
            prepared: None,
            published: Duration::ZERO,
        }
    }

    /// Whether any of these filters can judge the events of a site.
    pub fn fits(&mut self, judges: &[Arc<Filter>], site: &KnownSite) -> bool {
        self.fit(judges, site).is_ok()
    }

    /// No filter is to judge the events of a site: those that were to may go.
    pub fn drop_fit(&mut self, site: &KnownSite) {
        if let Some(judged) = self.points.get_mut(&key(site)) {
            judged.fit = None;
        }
    }

    fn fit(&mut self, judges: &[Arc<Filter>], site: &KnownSite) -> &Fit {
        let judged = self.points.entry(key(site)).or_default();
        // There may be a gate again.
        judged
            .fit
            .take_if(|(of, fit)| !are_same(of, judges) || is_off(fit));
        let new = || (judges.into(), fit(judges, &site.description));
        &judged.fit.get_or_insert_with(new).1
    }

    /// Prepares what judges the events of a site before a handler gets them. Nothing has changed until
    /// [`Filters::publish`]; [`Filters::withdraw`] takes it back.
    ///
    /// # Errors
    /// When no filter fits, there is no gate left, or too many filters cannot be freed.
    pub fn prepare(
        &mut self,
        judges: &[Arc<Filter>],
        site: &KnownSite,
        next: *mut (),
    ) -> Result<Prepared, String> {
        let prepared = self.prepared(judges, site, next);
        if let Err(reason) = &prepared {
            let judged = self.points.entry(key(site)).or_default();
            judged.fit = Some((judges.into(), Err(Misfit::off(reason))));
        }
        prepared
    }

    fn prepared(
        &mut self,
        judges: &[Arc<Filter>],
        site: &KnownSite,
        next: *mut (),
    ) -> Result<Prepared, String> {
        let next = next.addr();
        if let Some(known) = self.points.get(&key(site))
            && let (Some(made), Some(gate)) = (&known.made, &known.gate)
            && made.bound.is_of(judges, next)
        {
            return Ok(Prepared {
                made: Arc::clone(made),
                handler: gate.handler(),
            });
        }
        self.check_room()?;
        // Threads are known by these.
        numbers::check()?;
        let stages = self.fit(judges, site).as_ref();
        let stages = stages.map_err(|misfit| misfit.reason.clone())?;
        let bound = Bound {
            judges: judges.into(),
            stages: stages.clone(),
            words: words(&site.description),
            by_record: site.by_record,
            next,
        };
        marks::begin();
        let judged = self.points.entry(key(site)).or_default();
        let gate = match judged.gate.take() {
            Some(gate) => gate,
            None => {
                let gate = self.gates.take()?;
                self.new.push(key(site));
                gate
            }
        };
        let prepared = Prepared {
            handler: judged.gate.insert(gate).handler(),
            made: self.codes.made(bound),
        };
        for acting in judges.iter().filter_map(|judge| judge.acting()) {
            self.paces.add(acting);
        }
        self.prepared = Some(Instant::now());
        Ok(prepared)
    }

    /// Takes back what was prepared. No thread has seen the gates that points were given for it.
    pub fn withdraw(&mut self) {
        let new = self.new.drain(..);
        let gates = new.filter_map(|point| self.points.get_mut(&point)?.gate.take());
        self.gates.give_back(gates);
        self.prepared = None;
    }

    /// From now on the events of a site are judged so.
    pub fn publish(&mut self, site: &KnownSite, prepared: &Prepared) {
        self.new.clear();
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
            self.put = Some(Instant::now());
            self.look(serialise);
        }
    }

    /// Frees what no thread is in any more, and looks after threads that have ended.
    pub fn look(&mut self, serialise: impl FnMut() -> Result<(), String>) {
        self.watch.clean();
        if self.limbo.len() == 0 {
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
                let mut gates = over.into_iter().flat_map(|replaced| replaced.gates);
                let first = gates.next();
                self.has_room |= first.is_some();
                self.gates.give_back(first.into_iter().chain(gates));
            })
            .err();
    }

    /// Whether there are gates again of points that have gone, since this was asked last.
    pub fn take_room(&mut self) -> bool {
        std::mem::take(&mut self.has_room)
    }

    /// How many points can have no filter, though one fits.
    pub fn unjudged(&self) -> usize {
        let fits = self
            .points
            .values()
            .filter_map(|judged| judged.fit.as_ref());
        fits.filter(|(_, fit)| is_off(fit)).count()
    }

    /// Whether something was replaced a moment ago, so that it is soon to be looked for whether it can be freed.
    pub fn is_waiting(&self) -> bool {
        let put = self.put.filter(|_| self.limbo.len() > 0);
        put.is_some_and(|put| put.elapsed() < SOON)
    }

    /// Why what was replaced cannot be freed, and how many events were lost, if so.
    pub fn troubles(&self) -> impl Iterator<Item = String> {
        self.trouble.clone().into_iter().chain(marks::lost())
    }

    /// Whether there is room for another filter, or none to be hoped for.
    pub fn has_room(&mut self, serialise: impl FnMut() -> Result<(), String>) -> bool {
        if self.limbo.len() >= limbo::MOST {
            self.look(serialise);
        }
        self.limbo.len() < limbo::MOST || self.trouble.is_some()
    }

    fn check_room(&self) -> Result<(), String> {
        let count = self.limbo.len();
        if count < limbo::MOST {
            return Ok(());
        }
        let reason = self.trouble.clone().unwrap_or_else(|| self.why_full());
        Err(format!(
            "{count} filters that were replaced cannot be freed: {reason}"
        ))
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
        self.paces.after_fork();
    }

    /// Lets filters that may take so many events only take as many as they have taken a second ago. Returns for how
    /// long one has left out events since the last look.
    pub fn look_at_limits(&mut self) -> Duration {
        self.paces.look()
    }

    /// Whether any may take so many only, so that they are to be looked at soon.
    pub fn have_limits(&self) -> bool {
        self.paces.are_any()
    }

    /// How filters judge the events of a site, as far as that is known.
    pub fn shown(&self, judges: &[Arc<Filter>], site: &KnownSite) -> Option<Shown<'_>> {
        let judged = self.points.get(&key(site))?;
        if let Some((of, Err(misfit))) = &judged.fit
            && are_same(of, judges)
        {
            return Some(Shown {
                mode: misfit.mode,
                expression: &of.last()?.expression,
                reason: misfit.reason.clone(),
                made: None,
                published: Duration::ZERO,
            });
        }
        let made = judged.made.as_deref()?;
        let last = made.bound.stages.last()?;
        let code = made.code();
        are_same(&made.bound.judges, judges).then(|| Shown {
            mode: match code {
                Ok(_) => FilterMode::Native,
                Err(_) => FilterMode::Interpreted,
            },
            expression: &last.filter.expression,
            reason: code.err().unwrap_or_default().to_owned(),
            made: Some(made),
            published: self.published,
        })
    }
}
