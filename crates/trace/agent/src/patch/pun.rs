//! Places for jumps that a no-op becomes when its first byte alone changes.
//!
//! The last two bytes of the no-op `0f 1f 44 ss dd` are parts of an address that nobody uses: it does nothing,
//! whichever they are. With `e9` for the first byte the same bytes are a jump, by `dd ss 44 1f` bytes from its end. So
//! a site can reach every 64 KiB one address, up to 2 GiB away, and a jump to its path is placed at one of these.
//! Two readings of the same bytes: instruction punning (Chamith, Svensson, Dalessandro, Newton; PLDI 2017).
#![expect(unsafe_code, reason = "maps memory at addresses that it chooses")]

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use perflab_abi::{NOP5, SITE_LENGTH};

use super::change::{Change, jump};
use super::seccomp;
use super::text::{self, Maps, Text, Writing};
use crate::pages::PAGE;

/// Where the last two bytes of a site begin.
pub const TAIL: usize = 3;

/// Between two addresses that a site reaches.
const STEP: i64 = 1 << 16;

/// How many steps away a place may be: half of what a jump reaches, as the other half leads from there to the path.
const FURTHEST: i64 = 1 << 14;

/// Memory that stays free before places behind code: a heap may begin there, which is to grow a good while.
const ROOM: usize = 64 << 20;

/// Where addresses of processes end, unless they ask for more.
const END: usize = 1 << 47;

/// What is left where there can be no jumps.
const ASK: &str = "start the program with PERFLAB_AGENT_PROTOCOL=fault if none of its threads and handlers ever blocks \
                   SIGILL";

/// The places.
#[derive(Debug)]
pub struct Puns {
    spans: Vec<Span>,
    /// The bytes of each site that is on by a pun.
    on: BTreeMap<usize, [u8; SITE_LENGTH]>,
    filters: seccomp::Tried,
}

/// Memory for the jumps of all sites of a mapping of code: what those sites reach with the same number of steps. As
/// sites do not overlap, their places do not. It stays when a site goes off, as a thread may be there, and as long as
/// there is code, even if it is about to go.
#[derive(Debug)]
struct Span {
    code: Range<usize>,
    steps: i64,
    pages: Range<usize>,
}

impl Puns {
    /// None yet.
    pub fn new() -> Self {
        Self {
            spans: Vec::new(),
            on: BTreeMap::new(),
            filters: seccomp::Tried::default(),
        }
    }

    /// The bytes of a site that is on by a pun.
    pub fn of(&self, site: usize) -> Option<[u8; SITE_LENGTH]> {
        self.on.get(&site).copied()
    }

    /// The bytes by which a site goes on, after [`Puns::prepare`].
    pub fn bytes(&self, site: usize) -> Option<[u8; SITE_LENGTH]> {
        jump(site, self.place(site)?).ok()
    }

    /// Keeps in mind which sites went on by a pun, and which no longer are.
    pub fn keep(&mut self, changes: &[Change], by_pun: bool) {
        for change in changes {
            let bytes = self.bytes(change.address);
            match bytes.filter(|_| change.on && by_pun) {
                Some(bytes) => self.on.insert(change.address, bytes),
                None => self.on.remove(&change.address),
            };
        }
    }

    /// Forgets sites whose code goes.
    pub fn forget(&mut self, is_gone: impl Fn(usize) -> bool) {
        self.on.retain(|site, _| !is_gone(*site));
    }

    /// Makes all changes possible: a jump for each site that goes on.
    ///
    /// # Errors
    /// When a site is on by other bytes, or there is no place for a jump.
    pub fn prepare(&mut self, changes: &[Change]) -> Result<(), String> {
        let text = Text::open(Writing::Memory, &[])?;
        let mut maps = None;
        for change in changes {
            let site = change.address;
            if change.on {
                let place = match self.place(site) {
                    Some(place) => place,
                    None => {
                        let maps = match &maps {
                            Some(maps) => maps,
                            None => maps.insert(self.look()?),
                        };
                        self.open(site, maps)?
                    }
                };
                let bytes = jump(place, change.target)?;
                if text::read(place) != bytes {
                    text.write(place, &bytes)?;
                }
            } else if !self.on.contains_key(&site) {
                return Err(format!(
                    "the site at {site:#x} went on when pages could be made writable, and cannot go off any more"
                ));
            }
        }
        Ok(())
    }

    /// Where the jump of a site is, or is to be.
    fn place(&self, site: usize) -> Option<usize> {
        let mut spans = self.spans.iter();
        let span = spans.find(|span| span.code.contains(&site))?;
        reached(site, span.steps)
    }

    /// What is mapped now. Memory for code that is not any more is given up.
    fn look(&mut self) -> Result<Maps, String> {
        let maps = Maps::read()?;
        self.spans.retain(|Span { code, pages, .. }| {
            let stays = !maps.is_free(code);
            if !stays {
                // SAFETY: this module mapped it, and the code that came here is gone.
                unsafe { libc::munmap(pages.start as *mut libc::c_void, pages.len()) };
            }
            stays
        });
        Ok(maps)
    }

    /// Maps memory for the jumps of a site's code: the nearest before it, else behind it. Returns the site's place.
    fn open(&mut self, site: usize, maps: &Maps) -> Result<usize, String> {
        let code = maps
            .of(site)
            .ok_or_else(|| format!("the code at {site:#x} is not mapped"))?;
        for steps in (1..=FURTHEST).map(|steps| -steps).chain(1..=FURTHEST) {
            let Some((pages, place)) = around(&code, steps).zip(reached(site, steps)) else {
                continue;
            };
            let room = if steps > 0 { ROOM } else { 0 };
            let is_ours = |span: &Span| {
                span.pages.start < pages.end && pages.start.saturating_sub(room) < span.pages.end
            };
            if !maps.is_free(&(pages.start.saturating_sub(room)..pages.end))
                || self.spans.iter().any(is_ours)
            {
                continue;
            }
            match self.map(&pages) {
                Ok(()) => {
                    self.spans.push(Span { code, steps, pages });
                    return Ok(place);
                }
                // Somebody was faster.
                Err(error) if error.raw_os_error() == Some(libc::EEXIST) => {}
                Err(error) => {
                    return Err(format!("executable memory cannot be had: {error}; {ASK}"));
                }
            }
        }
        Err(format!(
            "there is no room for jumps near the site at {site:#x}; {ASK}"
        ))
    }

    /// Maps pages, if nothing is there.
    fn map(&mut self, pages: &Range<usize>) -> io::Result<()> {
        let (address, length) = (pages.start as libc::c_long, pages.len() as libc::c_long);
        let protection = libc::c_long::from(libc::PROT_READ | libc::PROT_EXEC);
        let flags = libc::MAP_PRIVATE
            | libc::MAP_ANONYMOUS
            | libc::MAP_NORESERVE
            | libc::MAP_FIXED_NOREPLACE;
        let flags = libc::c_long::from(flags);
        let arguments = [address, length, protection, flags, -1, 0];
        self.filters.let_pass(libc::SYS_mmap, arguments)?;
        let [a, b, c, d, e, f] = arguments;
        // SAFETY: new memory, which takes no other's place.
        let mapped = unsafe { libc::syscall(libc::SYS_mmap, a, b, c, d, e, f) };
        if mapped == -1 {
            return Err(io::Error::last_os_error());
        }
        if mapped != address {
            // A kernel that takes the address as a wish.
            // SAFETY: it was mapped just now.
            unsafe { libc::munmap(mapped as *mut libc::c_void, pages.len()) };
            return Err(io::Error::from_raw_os_error(libc::EEXIST));
        }
        Ok(())
    }
}

/// The address that a site reaches with so many steps.
fn reached(site: usize, steps: i64) -> Option<usize> {
    let [_, low, high, ..] = NOP5;
    let distance = steps * STEP + i64::from(u16::from_le_bytes([low, high]));
    let end = i64::try_from(site).ok()? + SITE_LENGTH as i64;
    usize::try_from(end + distance).ok()
}

/// The pages of the jumps of all sites that may begin in code.
fn around(code: &Range<usize>, steps: i64) -> Option<Range<usize>> {
    let (first, behind) = (reached(code.start, steps)?, reached(code.end, steps)?);
    let pages = first & !(PAGE - 1)..(behind + SITE_LENGTH).next_multiple_of(PAGE);
    // What lies below may be mapped by the privileged only, and should not.
    (pages.start >= STEP as usize && pages.end < END).then_some(pages)
}

#[cfg(test)]
mod tests {
    use super::super::change::JUMP;
    use super::*;
    use crate::pages::map;

    /// Memory of so many pages.
    fn mapped(pages: usize, protection: i32) -> usize {
        map(pages * PAGE, protection).unwrap() as usize
    }

    fn unmap(address: usize, pages: usize) {
        // SAFETY: memory of a test, which nothing uses any more.
        unsafe { libc::munmap(address as *mut libc::c_void, pages * PAGE) };
    }

    fn on(address: usize, target: usize) -> Change {
        Change {
            address,
            target,
            on: true,
        }
    }

    /// Where five bytes jump to from an address.
    fn target(address: usize, bytes: [u8; SITE_LENGTH]) -> usize {
        let [first, a, b, c, d] = bytes;
        assert_eq!(first, JUMP);
        let distance = i64::from(i32::from_le_bytes([a, b, c, d]));
        (address as i64 + SITE_LENGTH as i64 + distance) as usize
    }

    #[test]
    fn a_no_op_does_nothing_whatever_its_last_bytes_are() {
        let all = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        let page = mapped(1, all);
        let [a, b, c, ..] = NOP5;
        for number in 0..=u16::MAX {
            let [d, e] = number.to_le_bytes();
            // Every register is as it was: the argument comes back.
            let code = [0x48, 0x89, 0xf8, a, b, c, d, e, 0xc3];
            // SAFETY: a page of this test; the code is a function that returns its argument.
            let back = unsafe {
                std::ptr::copy_nonoverlapping(code.as_ptr(), page as *mut u8, code.len());
                let function =
                    std::mem::transmute::<usize, extern "sysv64" fn(usize) -> usize>(page);
                function(usize::from(number))
            };
            assert_eq!(back, usize::from(number), "{d:02x} {e:02x}");
        }
        unmap(page, 1);
    }

    #[test]
    fn a_site_reaches_its_path_by_the_change_of_one_byte() {
        let code = mapped(40, libc::PROT_READ | libc::PROT_EXEC);
        let mut puns = Puns::new();
        // At both ends, side by side, on two pages, and apart.
        let sites = [0, 5, PAGE - 2, 20 * PAGE, 40 * PAGE - 5].map(|at| code + at);
        let changes = sites.map(|site| on(site, site + 100));
        puns.prepare(&changes).unwrap();
        puns.keep(&changes, true);
        assert_eq!(puns.spans.len(), 1);
        for site in sites {
            let bytes = puns.of(site).unwrap();
            assert_eq!(bytes[1..TAIL], NOP5[1..TAIL]);
            let place = target(site, bytes);
            assert_eq!(target(place, text::read(place)), site + 100);
            let pages = &puns.spans[0].pages;
            assert!(pages.contains(&place) && pages.contains(&(place + SITE_LENGTH - 1)));
        }
        // Asked again, nothing is mapped.
        puns.prepare(&changes).unwrap();
        assert_eq!(puns.spans.len(), 1);
        // Off again.
        let off = changes.map(|change| Change {
            on: false,
            ..change
        });
        puns.prepare(&off).unwrap();
        puns.keep(&off, true);
        assert_eq!(puns.of(code), None);
        assert!(puns.prepare(&off).unwrap_err().contains("cannot go off"));
        unmap(code, 40);
    }

    #[test]
    fn memory_for_code_that_is_gone_is_given_up() {
        // Neighbours in memory may be one mapping; these are of different kinds.
        let (first, second) = (
            mapped(1, libc::PROT_READ),
            mapped(1, libc::PROT_READ | libc::PROT_EXEC),
        );
        let mut puns = Puns::new();
        puns.prepare(&[on(first, first)]).unwrap();
        puns.forget(|_| true);
        puns.look().unwrap();
        assert_eq!(puns.spans.len(), 1, "its code may still run");
        let pages = puns.spans[0].pages.clone();
        puns.prepare(&[on(second, second)]).unwrap();
        assert_eq!(puns.spans.len(), 2);
        // Other tests map and unmap meanwhile, so what is looked at is far from them.
        puns.spans[0].code = STEP as usize..STEP as usize + PAGE;
        puns.look().unwrap();
        assert_eq!(puns.spans.len(), 1);
        assert!(!puns.spans[0].pages.contains(&pages.start));
        unmap(first, 1);
        unmap(second, 1);
    }

    #[test]
    fn memory_that_is_taken_is_passed_over() {
        let code = mapped(1, libc::PROT_READ);
        let (mut puns, mut other) = (Puns::new(), Puns::new());
        puns.prepare(&[on(code, code)]).unwrap();
        other.prepare(&[on(code, code)]).unwrap();
        let nearest = &puns.spans[0].pages;
        assert!(nearest.end < code || nearest.start > code + ROOM);
        assert!(!other.spans[0].pages.contains(&nearest.start));
        // What is said of memory may be old.
        let old = Maps(vec![(code..code + PAGE, libc::PROT_READ)]);
        let mut third = Puns::new();
        let place = third.open(code, &old).unwrap();
        for Span { pages, .. } in [&puns.spans[0], &other.spans[0]] {
            assert!(!pages.contains(&place));
        }
        // None before code that lies low: behind it, and not where a heap is to grow.
        let low = 0x1_2000..0x1_3000;
        let maps = Maps(vec![
            (low.clone(), libc::PROT_READ),
            (0x2_0000..0x400_0000, 0),
        ]);
        let place = third.open(low.start, &maps).unwrap();
        let after = 0x400_0000 + ROOM;
        assert!((after..after + 0x3_0000).contains(&place), "{place:#x}");
        unmap(code, 1);
    }

    #[test]
    fn what_is_reached() {
        assert_eq!(reached(0x40_0000, 0), Some(0x40_4424));
        assert_eq!(reached(0x40_0000, -1), Some(0x3f_4424));
        let code = 0x40_0000..0x40_1000;
        assert_eq!(around(&code, -0x3f), Some(0x1_4000..0x1_6000));
        assert_eq!(around(&code, -0x40), None, "too low");
        // A site may begin with the last byte of code, if it goes on in the next mapping.
        let code = 0x40_0000..0x40_2bda;
        let last = reached(code.end - 1, -1).unwrap() + SITE_LENGTH;
        assert!(last <= around(&code, -1).unwrap().end);
        assert_eq!(around(&(END - 0x2_0000..END - 0x1_0000), 1), None, "none");
    }
}
