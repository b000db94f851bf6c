//! The sites of all objects, and which of them are on.

use perflab_abi::Object;

use crate::objects::{KnownObject, KnownSite};
use crate::pattern::Pattern;

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

/// Which generation of objects the searches have found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// None.
    Never,
    /// This one, in one search: an object that was not ready in it is in the next.
    Once(u64),
    /// This one, with all that was to be found.
    Settled(u64),
}

/// The sites of all objects.
#[derive(Debug)]
pub struct Sites {
    loaded: Vec<Loaded>,
    seen: Seen,
    /// Objects that went while a search is made.
    gone_meanwhile: Option<Vec<Gone>>,
}

impl Sites {
    /// None yet.
    pub fn new() -> Self {
        Self {
            loaded: Vec::new(),
            seen: Seen::Never,
            gone_meanwhile: None,
        }
    }

    /// Whether to look for objects, as some were loaded or unloaded: those that are known then.
    pub fn search(&mut self, generation: u64) -> Option<Vec<*const Object>> {
        self.seen = match self.seen {
            Seen::Settled(seen) if seen == generation => return None,
            Seen::Once(seen) if seen == generation => Seen::Settled(generation),
            _ => Seen::Once(generation),
        };
        self.gone_meanwhile = Some(Vec::new());
        let loaded = self.loaded.iter();
        Some(loaded.map(|loaded| loaded.object.identity()).collect())
    }

    /// Takes in what a search has found. Another is made if some objects had not begun: that may take long.
    pub fn searched(&mut self, found: Vec<KnownObject>, some_begin: bool) {
        if let (Seen::Settled(generation), true) = (self.seen, some_begin) {
            self.seen = Seen::Once(generation);
        }
        let gone = self.gone_meanwhile.take().unwrap_or_default();
        let stays = found
            .into_iter()
            .filter(|object| !gone.contains(&Gone(object.identity())));
        self.loaded.extend(stays.map(|object| Loaded {
            on: vec![false; object.sites.len()],
            object,
        }));
    }

    /// Forgets an object, which is about to go with its code. Returns it.
    pub fn forget(&mut self, object: *const Object) -> Option<KnownObject> {
        if let Some(gone) = &mut self.gone_meanwhile {
            gone.push(Gone(object));
        }
        let mut loaded = self.loaded.iter();
        let index = loaded.position(|loaded| loaded.object.identity() == object)?;
        Some(self.loaded.remove(index).object)
    }

    /// In the child of a fork: a search of the parent's does not end there.
    pub fn after_fork(&mut self) {
        self.seen = Seen::Never;
        self.gone_meanwhile = None;
    }

    /// All sites, each with its object and whether it is on.
    pub fn all(&self) -> impl Iterator<Item = (&KnownObject, &KnownSite, bool)> {
        self.loaded.iter().flat_map(|loaded| {
            let sites = loaded.object.sites.iter().zip(&loaded.on);
            sites.map(|(site, on)| (&loaded.object, site, *on))
        })
    }

    /// Those that a pattern means.
    pub fn meant(
        &self,
        pattern: &Pattern,
    ) -> impl Iterator<Item = (&KnownObject, &KnownSite, bool)> {
        self.all().filter(|(_, site, _)| is_meant(pattern, site))
    }

    /// Whether each of all sites is on.
    pub fn are_on(&mut self) -> impl Iterator<Item = &mut bool> {
        self.loaded.iter_mut().flat_map(|loaded| &mut loaded.on)
    }
}

/// Whether a pattern means a site.
pub fn is_meant(pattern: &Pattern, site: &KnownSite) -> bool {
    pattern.matches(site.description.provider, site.description.name)
}
