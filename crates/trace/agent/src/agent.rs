//! Which sites there are, which are wanted, and which are on.

mod recording;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use perflab_abi::{Backend, Object, Point, SiteState};

use crate::objects::{KnownObject, KnownSite, Unusable};
use crate::patch::{Change, Patcher};
use crate::pattern::Pattern;
use crate::record::{self, Heritage, Recorder, Size};
use recording::Attached;
pub use recording::refused;

/// The handler of a site that is wanted: counts.
#[expect(unsafe_code, reason = "sites call it with the address of their point")]
mod counting {
    use super::{Ordering, Point};

    pub unsafe extern "C-unwind" fn count(point: *const Point) {
        // SAFETY: a site calls its point's handler with that point.
        unsafe { (*point).hits.fetch_add(1, Ordering::Relaxed) };
    }
}

/// An object, and which of its sites are on.
#[derive(Debug)]
struct Loaded {
    object: KnownObject,
    on: Vec<bool>,
}

/// An object that is only compared with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Gone(*const Object);

// SAFETY: the pointer is never followed.
#[expect(
    unsafe_code,
    reason = "a pointer that is only compared may go to any thread"
)]
unsafe impl Send for Gone {}

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
struct Wanted {
    /// What its handler does.
    wish: Wish,
    /// For that, or for a tracer in the kernel, it has to be on.
    on: bool,
}

/// All that the agent knows; one for each process, behind a lock.
#[derive(Debug)]
pub struct Agent {
    loaded: Vec<Loaded>,
    unusable: Vec<Unusable>,
    generation: Option<u64>,
    /// Whether a search was made after one that found this generation.
    is_settled: bool,
    /// Objects that went while a search is made.
    gone_meanwhile: Option<Vec<Gone>>,
    /// What was asked for, oldest first; for each site the last that matches counts.
    wishes: Vec<(Pattern, Wish)>,
    /// What somebody records who is there now, which comes before wishes.
    attached: Option<Attached>,
    recorder: Option<Recorder>,
    /// In the child of a fork, until its agent has begun: what it records with as its parent did.
    heritage: Option<Heritage>,
    /// Memory for events where who asks for them names none.
    usual: Size,
    patcher: Patcher,
    /// Why sites are not as they are wanted, if so.
    trouble: Option<String>,
    /// When it is tried again, if so.
    again: Option<Instant>,
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

impl Agent {
    /// An agent that knows of no object yet.
    pub fn new() -> Self {
        Self {
            loaded: Vec::new(),
            unusable: Vec::new(),
            generation: None,
            is_settled: false,
            gone_meanwhile: None,
            wishes: Vec::new(),
            attached: None,
            recorder: None,
            heritage: None,
            usual: Size::DEFAULT,
            patcher: Patcher::new(),
            trouble: None,
            again: None,
        }
    }

    /// Whether to look for objects, as some were loaded or unloaded: those that are known then.
    ///
    /// The search is made without the agent's lock, see [`objects::find`]: it waits for the linker's
    /// lock, which nobody may ever give back in the child of a fork.
    pub fn search(&mut self, generation: u64) -> Option<Vec<*const Object>> {
        // An object that was not ready in one search is in the next.
        if self.generation == Some(generation) && self.is_settled {
            return None;
        }
        self.is_settled = self.generation == Some(generation);
        self.generation = Some(generation);
        self.gone_meanwhile = Some(Vec::new());
        Some(
            self.loaded
                .iter()
                .map(|loaded| loaded.object.identity())
                .collect(),
        )
    }

    /// Takes in what a search has found. Another is made if some objects had not begun: that may take long.
    pub fn searched(&mut self, found: Vec<KnownObject>, unusable: Vec<Unusable>, some_begin: bool) {
        self.is_settled &= !some_begin;
        let gone = self.gone_meanwhile.take().unwrap_or_default();
        let stays = found
            .into_iter()
            .filter(|object| !gone.contains(&Gone(object.identity())));
        self.loaded.extend(stays.map(|object| Loaded {
            on: vec![false; object.sites.len()],
            object,
        }));
        for problem in unusable {
            self.note(problem);
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

    /// Forgets an object, which is about to go with its code.
    pub fn forget(&mut self, object: *const Object) {
        if let Some(gone) = &mut self.gone_meanwhile {
            gone.push(Gone(object));
        }
        self.loaded.retain(|loaded| {
            let stays = loaded.object.identity() != object;
            if !stays {
                self.patcher
                    .forget(loaded.object.sites.iter().map(|site| site.address));
            }
            stays
        });
    }

    /// Goes on in the child of a fork. Returns whether its agent has to begin before the program goes on: its first
    /// events are wanted, or it is root's and may have no rights to begin later. Without sites there is nothing to
    /// wait for: a shell forks for each of its commands.
    pub fn after_fork(&mut self) -> bool {
        // A search of the parent's does not end here.
        self.generation = None;
        self.gone_meanwhile = None;
        // What the parent counted is the parent's.
        for (_, site, _) in self.entries() {
            site.point().hits.store(0, Ordering::Relaxed);
        }
        let heritage = self.recorder.take().map(Recorder::bequeath);
        self.attached = self.attached.take().and_then(Attached::in_child);
        self.heritage = heritage.filter(|_| self.is_to_be_recorded());
        if self.heritage.is_none() {
            for (_, site, _) in self.entries() {
                record::forget(site.point());
            }
            record::count_nowhere();
        }
        record::after_fork();
        self.patcher.after_fork();
        self.has_sites() && (self.heritage.is_some() || crate::socket::user() == 0)
    }

    /// Whether this is the child of a fork that does not record yet as its parent did: its events are counted.
    pub fn is_heir(&self) -> bool {
        self.heritage.is_some()
    }

    /// Wants sites on, or no longer, those too that come later.
    ///
    /// # Errors
    /// When they cannot be switched; then nothing changed.
    pub fn wish(&mut self, pattern: &Pattern, wish: Wish) -> Result<Switched, String> {
        let before = self.wishes.clone();
        self.add_wish(pattern, wish);
        let result = self.apply(|site| is_meant(pattern, site));
        if result.is_err() {
            self.wishes = before;
        }
        result
    }

    /// Wants sites on from the start. If they cannot be switched now, it is tried again.
    pub fn wish_from_the_start(&mut self, pattern: &Pattern, wish: Wish) {
        self.add_wish(pattern, wish);
        self.keep_up();
    }

    fn add_wish(&mut self, pattern: &Pattern, wish: Wish) {
        // What is asked of the same probes later counts: nothing is recorded for a wish that is over.
        self.wishes.retain(|(other, _)| !pattern.covers(other));
        self.wishes.push((pattern.clone(), wish));
    }

    /// Makes sites that came, and those that tracers in the kernel want, be as they are wanted. What cannot be
    /// switched is said by [`Agent::trouble`], and tried again after a while.
    pub fn keep_up(&mut self) {
        if self.again.is_some_and(|again| Instant::now() < again) {
            return;
        }
        self.trouble = self.apply(|_| true).err();
        self.again = self.trouble.is_some().then(|| Instant::now() + PAUSE);
    }

    /// Why sites are not as they are wanted, if so.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Whether any sites are known.
    pub fn has_sites(&self) -> bool {
        self.entries().next().is_some()
    }

    /// How many sites a pattern means.
    pub fn count(&self, pattern: &Pattern) -> usize {
        self.entries()
            .filter(|(_, site, _)| is_meant(pattern, site))
            .count()
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
        for (object, site, on) in self
            .entries()
            .filter(|(_, site, _)| is_meant(pattern, site))
        {
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
                recorded: on && self.wanted(site).wish == Wish::Record,
            })?;
        }
        Ok(())
    }

    fn entries(&self) -> impl Iterator<Item = (&KnownObject, &KnownSite, bool)> {
        self.loaded.iter().flat_map(|loaded| {
            let sites = loaded.object.sites.iter().zip(&loaded.on);
            sites.map(|(site, on)| (&loaded.object, site, *on))
        })
    }

    fn wanted(&self, site: &KnownSite) -> Wanted {
        let mut latest = self.wishes.iter().rev();
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

    /// Gives the sites that are wanted their handlers.
    ///
    /// # Errors
    /// When one cannot be recorded.
    fn set_handlers(&mut self, wanted: &[Option<Wanted>]) -> Result<(), String> {
        let sites = self.loaded.iter().flat_map(|loaded| {
            let object = loaded.object.path.as_str();
            loaded.object.sites.iter().map(move |site| (object, site))
        });
        for ((object, site), wanted) in sites.zip(wanted) {
            let handler = match wanted.map(|wanted| wanted.wish) {
                None | Some(Wish::Off) => continue,
                Some(Wish::Count) => {
                    let handler = counting::count as unsafe extern "C-unwind" fn(*const Point);
                    handler as *mut ()
                }
                Some(Wish::Record) => {
                    let recorder = self.recorder.as_mut().ok_or("nothing is recorded")?;
                    recorder
                        .handler(site.point(), object, site.text)
                        .map_err(|reason| format!("{} cannot be recorded: {reason}", site.name()))?
                }
            };
            site.point().handler.store(handler, Ordering::Release);
        }
        Ok(())
    }

    /// Makes some sites be as they are wanted, by a wish or by tracers in the kernel. A handler is there before
    /// its site is on, and goes after.
    ///
    /// # Errors
    /// When they cannot be switched; then none was.
    fn apply(&mut self, is_asked: impl Fn(&KnownSite) -> bool) -> Result<Switched, String> {
        let start = Instant::now();
        // Asked once: a tracer may come or go meanwhile.
        let wanted: Vec<Option<Wanted>> = self
            .entries()
            .map(|(_, site, _)| is_asked(site).then(|| self.wanted(site)))
            .collect();
        let mut changes = Vec::new();
        let mut changed = 0;
        self.set_handlers(&wanted)?;
        for ((_, site, on), wanted) in self.entries().zip(&wanted) {
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
        for ((_, site, _), wanted) in self.entries().zip(&wanted) {
            let Some(wanted) = wanted else { continue };
            site.point()
                .enabled
                .store(u32::from(wanted.on), Ordering::Release);
            if wanted.wish == Wish::Off {
                site.point()
                    .handler
                    .store(std::ptr::null_mut(), Ordering::Release);
            }
        }
        let states = self.loaded.iter_mut().flat_map(|loaded| &mut loaded.on);
        for (on, wanted) in states.zip(&wanted) {
            *on = wanted.map_or(*on, |wanted| wanted.on);
        }
        Ok(Switched {
            changed,
            took: start.elapsed(),
            how,
        })
    }
}

fn is_meant(pattern: &Pattern, site: &KnownSite) -> bool {
    pattern.matches(site.description.provider, site.description.name)
}
