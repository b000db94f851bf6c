//! Makes sites be as they are wanted.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use perflab_abi::{Backend, Object, Point, SiteState};

use super::sites::Sites;
use super::wishes::{Wanted, Wish, Wishes, concerns};
use crate::filter::{Filter, Filters, Prepared, Shown};
use crate::objects::{KnownObject, KnownSite, Unusable};
use crate::patch::{Change, Patcher};
use crate::pattern::Pattern;
use crate::record::{Heritage, Recorder, Size, unjudged};

/// The handler of a site that is wanted: counts, or does nothing.
#[expect(unsafe_code, reason = "sites call it with the address of their point")]
pub(super) mod counting {
    use super::{Ordering, Point};

    pub extern "C-unwind" fn pass(_: *const Point) {}

    pub unsafe extern "C-unwind" fn count(point: *const Point) {
        // SAFETY: a site calls its point's handler with that point.
        unsafe { (*point).hits.fetch_add(1, Ordering::Relaxed) };
    }
}

/// All that the agent knows; one for each process, behind a lock.
#[derive(Debug)]
pub struct Agent {
    pub(super) sites: Sites,
    unusable: Vec<Unusable>,
    pub(super) wishes: Wishes,
    pub(super) recorder: Option<Recorder>,
    /// In the child of a fork, until its agent has begun: what it records with as its parent did.
    pub(super) heritage: Option<Heritage>,
    /// Memory for events where who asks for them names none.
    pub(super) usual: Size,
    /// Memory for events as long as the process records on its own.
    pub(super) own_size: Size,
    pub(super) patcher: Patcher,
    pub(super) filters: Filters,
    /// Why sites are not as they are wanted, if so.
    trouble: Option<String>,
    /// When it is tried again, if so.
    pub(super) again: Option<Instant>,
}

/// What a site calls.
enum Handler {
    /// What is done with all events.
    Plain(*mut ()),
    /// What judges events first.
    Judged(Prepared),
}

/// How long nothing is tried by itself after a try that failed.
const PAUSE: Duration = Duration::from_secs(1);

/// What came of switching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switched {
    /// Sites whose state changed.
    pub changed: usize,
    /// From the first step to the last.
    pub took: Duration,
    /// How it was done; empty if nothing had to be.
    pub how: String,
}

impl Switched {
    /// Nothing had to be.
    pub fn nothing() -> Self {
        Self {
            changed: 0,
            took: Duration::ZERO,
            how: String::new(),
        }
    }
}

impl Agent {
    /// An agent that knows of no object yet.
    pub fn new() -> Self {
        Self {
            sites: Sites::new(),
            unusable: Vec::new(),
            wishes: Wishes::new(),
            recorder: None,
            heritage: None,
            usual: Size::DEFAULT,
            own_size: Size::DEFAULT,
            patcher: Patcher::new(),
            filters: Filters::new(),
            trouble: None,
            again: None,
        }
    }

    /// Whether to look for objects, as some were loaded or unloaded: those that are known then.
    ///
    /// The search is made without the agent's lock, see [`find`](crate::objects::find): it waits for the linker's
    /// lock, which nobody may ever give back in the child of a fork.
    pub fn search(&mut self, generation: u64) -> Option<Vec<*const Object>> {
        self.sites.search(generation)
    }

    /// Takes in what a search has found. Another is made if some objects had not begun: that may take long.
    pub fn searched(&mut self, found: Vec<KnownObject>, unusable: Vec<Unusable>, some_begin: bool) {
        // A trouble that others had is none of theirs.
        if !found.is_empty() {
            self.again = None;
        }
        self.sites.searched(found, some_begin);
        for problem in unusable {
            self.note(problem);
        }
    }

    /// Forgets an object, which is about to go with its code.
    pub fn forget(&mut self, object: *const Object) {
        if let Some(object) = self.sites.forget(object) {
            self.filters.forget(object.sites.iter());
            let sites = object.sites.iter();
            self.patcher.forget(sites.map(|site| site.address));
        }
    }

    /// Keeps what is wrong, to be said when somebody asks.
    pub fn note(&mut self, problem: Unusable) {
        if !self.unusable.contains(&problem) {
            self.unusable.push(problem);
        }
    }

    /// Objects whose sites cannot be used.
    pub fn unusable(&self) -> &[Unusable] {
        &self.unusable
    }

    /// Wants sites on, or no longer, those too that come later; if there is a filter, for events that it accepts.
    ///
    /// # Errors
    /// When they cannot be switched; then nothing changed.
    pub fn wish(
        &mut self,
        pattern: &Pattern,
        wish: Wish,
        filter: Option<Arc<Filter>>,
    ) -> Result<Switched, String> {
        let before = self.wishes.clone();
        self.wishes.add(pattern, wish, filter.clone());
        let is_asked = move |site: &KnownSite| concerns(pattern, filter.as_ref(), site);
        let result = self.apply(&is_asked);
        if result.is_err() {
            self.wishes = before;
            // Those that were on may have the handlers of the new wish.
            let _ = self.apply(&is_asked);
        }
        result
    }

    /// Wants sites on from the start. If they cannot be switched now, it is tried again.
    pub fn wish_from_the_start(
        &mut self,
        pattern: &Pattern,
        wish: Wish,
        filter: Option<Arc<Filter>>,
    ) {
        self.wishes.add(pattern, wish, filter);
        self.keep_up();
    }

    /// Makes sites that came, and those that tracers in the kernel want, be as they are wanted. What cannot be
    /// switched is said by [`Agent::trouble`], and tried again after a while. Sites whose events cannot be judged are
    /// off until then, and keep no others from being switched.
    pub fn keep_up(&mut self) {
        let has_room = self.filters.take_room();
        if !has_room && self.again.is_some_and(|again| Instant::now() < again) {
            return;
        }
        let mut unjudged = None;
        let result = self.apply_or(
            |_| true,
            |reason| {
                unjudged.get_or_insert(reason);
                Ok(())
            },
        );
        self.trouble = result.err().or(unjudged);
        self.again = self.trouble.is_some().then(|| Instant::now() + PAUSE);
    }

    /// Why sites are not as they are wanted, if so.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Whether any sites are known.
    pub fn has_sites(&self) -> bool {
        self.sites.all().next().is_some()
    }

    /// How many sites a pattern means.
    pub fn count(&self, pattern: &Pattern) -> usize {
        self.sites.meant(pattern).count()
    }

    /// Shows each site that a pattern means, until showing fails.
    ///
    /// # Errors
    /// The first that `show` returns.
    pub fn each<E>(
        &self,
        pattern: &Pattern,
        mut show: impl FnMut(&SiteState<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for (object, site, on) in self.sites.meant(pattern) {
            let wanted = self.wishes.of(site);
            let shown = self.filters.shown(&wanted.judges, site);
            show(&SiteState {
                address: site.address as u64,
                point: std::ptr::from_ref(site.point()) as u64,
                hits: site.point().hits.load(Ordering::Relaxed),
                on,
                backend: match site.backend {
                    Backend::Patched => 0,
                    Backend::Branch => 1,
                },
                semaphore: site.semaphore(),
                object: &object.path,
                description: site.text,
                recorded: on && wanted.wish == Wish::Record,
                ordered: site.is_ordered,
                filter: shown.as_ref().map(Shown::of_site),
            })?;
        }
        Ok(())
    }

    /// Makes the handlers of the sites that are wanted. If the events of one cannot be judged, `fails` says whether
    /// none is made; else that site is not wanted.
    ///
    /// # Errors
    /// When one cannot be recorded, and what `fails` returns.
    fn handlers(
        &mut self,
        wanted: &mut [Option<Wanted>],
        mut fails: impl FnMut(String) -> Result<(), String>,
    ) -> Result<Vec<Option<Handler>>, String> {
        let mut handlers = Vec::with_capacity(wanted.len());
        for ((object, site, _), wanted) in self.sites.all().zip(wanted) {
            let asked = wanted.as_ref().filter(|asked| asked.wish != Wish::Off);
            let Some(Wanted { wish, judges, .. }) = asked else {
                handlers.push(None);
                continue;
            };
            let next = match wish {
                _ if judges.iter().any(|judge| !judge.acts) => counting::pass as *mut (),
                Wish::Count => counting::count as *mut (),
                _ => {
                    let recorder = self.recorder.as_mut().ok_or("nothing is recorded")?;
                    recorder
                        .handler(site, &object.path)
                        .map_err(|reason| format!("{} cannot be recorded: {reason}", site.name()))?
                }
            };
            if judges.is_empty() {
                handlers.push(Some(Handler::Plain(next)));
                continue;
            }
            let prepared = self.filters.prepare(judges, site, next);
            if let Err(reason) = &prepared {
                let name = site.name();
                fails(format!("events of {name} cannot be judged: {reason}"))?;
                *wanted = Some(Wanted::nothing(site));
            }
            handlers.push(prepared.ok().map(Handler::Judged));
        }
        Ok(handlers)
    }

    /// Gives the sites that are wanted their handlers.
    fn set_handlers(&mut self, handlers: &[Option<Handler>]) {
        for ((_, site, _), handler) in self.sites.all().zip(handlers) {
            let handler = match handler {
                None => continue,
                Some(Handler::Plain(handler)) => {
                    self.filters.pass(site, *handler);
                    *handler
                }
                Some(Handler::Judged(prepared)) => {
                    self.filters.publish(site, prepared);
                    prepared.handler
                }
            };
            site.point().handler.store(handler, Ordering::Release);
        }
    }

    /// Makes some sites be as they are wanted, by a wish or by tracers in the kernel. A handler is there before
    /// its site is on, and goes after.
    ///
    /// # Errors
    /// When they cannot be switched; then none was.
    pub(super) fn apply(
        &mut self,
        is_asked: impl Fn(&KnownSite) -> bool,
    ) -> Result<Switched, String> {
        self.apply_or(is_asked, Err)
    }

    /// As [`Agent::apply`], for what is asked for from the start: sites whose events cannot be judged stay off.
    ///
    /// # Errors
    /// Also when no site is on for that reason.
    pub(super) fn apply_where_possible(
        &mut self,
        is_asked: impl Fn(&KnownSite) -> bool,
    ) -> Result<Switched, String> {
        let mut first = None;
        let switched = self.apply_or(is_asked, |reason| {
            first.get_or_insert(reason);
            Ok(())
        })?;
        let is_any_on = self.sites.all().any(|(_, _, on)| on);
        first.filter(|_| !is_any_on).map_or(Ok(switched), Err)
    }

    /// As [`Agent::apply`], where `fails` says what becomes of the others if the events of a site cannot be judged.
    fn apply_or(
        &mut self,
        is_asked: impl Fn(&KnownSite) -> bool,
        fails: impl FnMut(String) -> Result<(), String>,
    ) -> Result<Switched, String> {
        let start = Instant::now();
        // What came may need the gates of what has gone.
        self.filters.settle(|| self.patcher.all_threads());
        // Asked once: a tracer may come or go meanwhile.
        let wanted = self.sites.all().map(|(_, site, _)| {
            let wanted = is_asked(site).then(|| self.wishes.of(site));
            wanted.map(|wanted| wanted.if_it_fits(&mut self.filters, site))
        });
        let mut wanted: Vec<Option<Wanted>> = wanted.collect();
        let mut changes = Vec::new();
        let mut changed = 0;
        let handlers = self.handlers(&mut wanted, fails);
        let handlers = handlers.inspect_err(|_| self.filters.withdraw())?;
        self.set_handlers(&handlers);
        for ((_, site, on), wanted) in self.sites.all().zip(&wanted) {
            let Some(wanted) = wanted else { continue };
            if wanted.on != on {
                changed += 1;
                if site.backend == Backend::Patched {
                    changes.push(Change {
                        address: site.address,
                        target: site.target,
                        on: wanted.on,
                    });
                }
            }
        }
        let mut how = String::new();
        if !changes.is_empty() {
            how = self.patcher.apply(&changes)?.to_string();
        } else if changed > 0 {
            how = "by a flag".to_owned();
        }
        for ((_, site, _), wanted) in self.sites.all().zip(&wanted) {
            let Some(wanted) = wanted else { continue };
            site.point()
                .enabled
                .store(u32::from(wanted.on), Ordering::Release);
            if wanted.wish == Wish::Off {
                site.point()
                    .handler
                    .store(std::ptr::null_mut(), Ordering::Release);
                self.filters.end(site);
            }
        }
        for (on, wanted) in self.sites.are_on().zip(&wanted) {
            *on = wanted.as_ref().map_or(*on, |wanted| wanted.on);
        }
        self.filters.settle(|| self.patcher.all_threads());
        if self.wishes.attached.is_some() {
            unjudged(self.filters.unjudged());
        }
        Ok(Switched {
            changed,
            took: start.elapsed(),
            how,
        })
    }
}
