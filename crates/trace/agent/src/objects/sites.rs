//! The sites of one object.
#![expect(unsafe_code, reason = "points of other objects are used in place")]

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicU16, Ordering};

use perflab_abi::{
    Backend, Description, FEW_ARGUMENTS, Point, SITE_HEAD, SITE_LENGTH, Site, VERSION,
};

use super::memory::{Memory, within};

/// A site that was found, and lies in an object that stays as long as this agent has not been told
/// that it goes.
#[derive(Debug, Clone, Copy)]
pub struct KnownSite {
    /// How it is switched.
    pub backend: Backend,
    /// Address of the no-op; 0 for [`Backend::Branch`].
    pub address: usize,
    /// Address of the out-of-line path; 0 for [`Backend::Branch`].
    pub target: usize,
    /// What it is called and what its arguments are.
    pub description: Description<'static>,
    /// The text of that.
    pub text: &'static str,
    /// Whether the time of its events is to be taken when all that comes before is done.
    pub is_ordered: bool,
    /// Whether its handler gets the address of all words, and not each word.
    pub by_record: bool,
    point: *const Point,
    semaphore: *const AtomicU16,
}

// SAFETY: the pointers lead to atomics.
unsafe impl Send for KnownSite {}

impl KnownSite {
    /// Its point.
    pub fn point(&self) -> &Point {
        // SAFETY: checked when it was found, and the object stays.
        unsafe { &*self.point }
    }

    /// Provider and probe.
    pub fn name(&self) -> String {
        format!("{}:{}", self.description.provider, self.description.name)
    }

    fn name_and_place(&self) -> String {
        format!(
            "{} ({}:{})",
            self.name(),
            self.description.file,
            self.description.line
        )
    }

    /// How many tracers in the kernel want it open.
    pub fn semaphore(&self) -> u16 {
        // SAFETY: as for `point`.
        unsafe { (*self.semaphore).load(Ordering::Relaxed) }
    }
}

/// Whether a structure is one that this agent knows.
///
/// # Errors
/// When it is of another version, or too short.
pub fn version(what: &str, version: u16, size: u16, expected: usize) -> Result<(), String> {
    if version != VERSION || usize::from(size) < expected {
        return Err(format!(
            "its {what} is of version {version} with {size} bytes, this agent knows version {VERSION} \
             with {expected}: use the agent that belongs to the program's probes"
        ));
    }
    Ok(())
}

/// The sites in a section, and what is wrong with those that cannot be used.
///
/// # Errors
/// When the section itself cannot be read.
pub fn sites(
    memory: &Memory,
    section: Range<usize>,
) -> Result<(Vec<KnownSite>, Vec<String>), String> {
    if !memory.holds_readable(&section) || !section.start.is_multiple_of(align_of::<Site>()) {
        return Err("its sites lie outside of it".to_owned());
    }
    let (mut sites, mut problems) = (Vec::new(), Vec::new());
    let mut addresses = BTreeSet::new();
    let mut at = section.start;
    while at < section.end {
        let site: Site = memory.read(at).ok_or("its sites are cut short")?;
        version("site", site.version, site.size, size_of::<Site>())?;
        match known_site(memory, at, &site) {
            // A linker that folds functions of the same code may make one of two sites.
            Ok(known) if known.address != 0 && !addresses.insert(known.address) => problems.push(
                format!("a site of {} is one of another probe too", known.name()),
            ),
            Ok(known) => sites.push(known),
            Err(problem) => problems.push(problem),
        }
        at = at.saturating_add(usize::from(site.size));
    }
    if at == section.end {
        refuse_shared_points(&mut sites, &mut problems);
        problems.dedup();
        Ok((sites, problems))
    } else {
        Err("its last site is cut short".to_owned())
    }
}

/// Removes the sites of different probes that have one point. Nobody could know which of them an event is of, nor what
/// its words are. Older headers for C and C++ made such points where probes in several files had the same names,
/// line and number.
fn refuse_shared_points(sites: &mut Vec<KnownSite>, problems: &mut Vec<String>) {
    let mut first_at: BTreeMap<*const Point, KnownSite> = BTreeMap::new();
    let mut refused = BTreeSet::new();
    for site in &*sites {
        let first = first_at.entry(site.point).or_insert(*site);
        if !site.description.is_same_probe(&first.description) {
            refused.insert(site.point);
            problems.push(format!(
                "{} and {} share one point, so their events cannot be told apart: build the program with the probe.h \
                 of this perflab",
                first.name_and_place(),
                site.name_and_place()
            ));
        }
    }
    sites.retain(|site| !refused.contains(&site.point));
}

fn known_site(memory: &Memory, at: usize, site: &Site) -> Result<KnownSite, String> {
    let field = |offset: usize, relative: i64| (at + offset).wrapping_add_signed(relative as isize);
    let text_at = field(std::mem::offset_of!(Site, text), site.text);
    let text = memory.text(text_at).ok_or("a site has no description")?;
    let description = Description::parse(text).map_err(|error| {
        let shown = text.replace('\n', " ");
        format!("a site cannot be read: {error}: {shown:?}")
    })?;
    let name = || format!("{}:{}", description.provider, description.name);
    let by_record = site.flags & Site::RECORD != 0;
    let arguments = description.arguments().count();
    if arguments > FEW_ARGUMENTS && !by_record {
        return Err(format!(
            "{} passes {arguments} arguments one by one, at most {FEW_ARGUMENTS} can be passed so: build the program \
             with the probe.h of this perflab",
            name()
        ));
    }
    let backend = Backend::from_number(site.backend)
        .ok_or_else(|| format!("{} has the unknown backend {}", name(), site.backend))?;
    let point = field(std::mem::offset_of!(Site, point), site.point);
    let semaphore = field(std::mem::offset_of!(Site, semaphore), site.semaphore);
    let (address, target) = match backend {
        Backend::Branch => (0, 0),
        Backend::Patched => (
            field(std::mem::offset_of!(Site, address), site.address),
            field(std::mem::offset_of!(Site, target), site.target),
        ),
    };
    let in_code = |address: usize| {
        within(
            &memory.executable,
            &(address..address.saturating_add(SITE_LENGTH)),
        )
    };
    let fits = match backend {
        Backend::Branch => true,
        Backend::Patched => in_code(address) && in_code(target) && address % 8 + SITE_HEAD <= 8,
    };
    let fits =
        fits && within(
            &memory.writable,
            &(point..point.saturating_add(size_of::<Point>())),
        ) && point.is_multiple_of(align_of::<Point>())
            && within(&memory.writable, &(semaphore..semaphore.saturating_add(2)))
            && semaphore.is_multiple_of(2);
    if !fits {
        return Err(format!("{} leads out of it", name()));
    }
    let known = KnownSite {
        backend,
        address,
        target,
        description,
        text,
        is_ordered: site.flags & Site::ORDERED != 0,
        by_record,
        point: point as *const Point,
        semaphore: semaphore as *const AtomicU16,
    };
    version(
        "point",
        known.point().version,
        known.point().size,
        size_of::<Point>(),
    )?;
    Ok(known)
}
