//! Places for jumps that a no-op becomes when its first byte alone changes.
//!
//! The last two bytes of the no-op `0f 1f 44 ss dd` are parts of an address that nobody uses: it does nothing,
//! whichever they are. With `e9` for the first byte the same bytes are a jump, by `dd ss 44 1f` bytes from its end. So
//! a site can reach every 64 KiB one address, up to 2 GiB away, and a jump to its path is placed at one of these.
//! Two readings of the same bytes: instruction punning (Chamith, Svensson, Dalessandro, Newton; PLDI 2017).
#![expect(unsafe_code, reason = "maps memory at addresses that it chooses")]

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use perflab_probe_abi::{NOP5, SITE_LENGTH};

use super::text::{self, Maps, PAGE, Text, Writing};
use super::{Change, filter, jump};

/// Where the last two bytes of a site begin.
pub const TAIL: usize = 3;

/// Between two addresses that a site reaches.
const STEP: i64 = 1 << 16;

/// How many steps away a place may be: half of what a jump reaches, as the other half leads from there to the path.
const FURTHEST: i64 = 1 << 14;

/// How many steps behind a site the first place is, if there is none before it, so that a heap that begins there can
/// grow a good while.
const BEHIND: i64 = 1 << 10;

/// The jumps that were placed.
#[derive(Debug)]
pub struct Puns {
    /// Pages that were mapped for jumps.
    pages: BTreeSet<usize>,
    /// The address of each jump, by its site. It stays when its site goes off, as a thread may be there, and when
    /// the site's code goes, which is said before that happens.
    placed: BTreeMap<usize, usize>,
    /// These addresses.
    taken: BTreeSet<usize>,
    /// Sites that are on by a pun.
    on: BTreeSet<usize>,
    /// How many steps away the latest place was.
    latest: i64,
    /// Whether a filter of system calls is known to let memory be mapped that is executable.
    may_map: bool,
}

impl Puns {
    /// None yet. The first place is looked for before a site's code: a program's heap begins behind it.
    pub fn new() -> Self {
        Self {
            pages: BTreeSet::new(),
            placed: BTreeMap::new(),
            taken: BTreeSet::new(),
            on: BTreeSet::new(),
            latest: -1,
            may_map: false,
        }
    }

    /// The bytes of a site that is on by a pun.
    pub fn of(&self, site: usize) -> Option<[u8; SITE_LENGTH]> {
        self.on.contains(&site).then(|| self.bytes(site)).flatten()
    }

    /// The bytes by which a site goes on, after [`Puns::prepare`].
    pub fn bytes(&self, site: usize) -> Option<[u8; SITE_LENGTH]> {
        let place = self.placed.get(&site)?;
        jump(site, *place).ok()
    }

    /// Keeps in mind which sites went on by a pun, and which no longer are.
    pub fn keep(&mut self, changes: &[Change], by_pun: bool) {
        for change in changes {
            if change.on && by_pun {
                self.on.insert(change.address);
            } else {
                self.on.remove(&change.address);
            }
        }
    }

    /// Forgets sites whose code goes.
    pub fn forget(&mut self, is_gone: impl Fn(usize) -> bool) {
        self.on.retain(|site| !is_gone(*site));
    }

    /// Makes all changes possible: a jump for each site that goes on.
    ///
    /// # Errors
    /// When a site is on by other bytes, or there is no place for a jump.
    pub fn prepare(&mut self, changes: &[Change]) -> Result<(), String> {
        let text = Text::open(Writing::Memory, &[])?;
        let mut space = None;
        for change in changes {
            if change.on {
                let place = self.place(change.address, &mut space)?;
                let bytes = jump(place, change.target)?;
                if text::read(place) != bytes {
                    text.write(place, &bytes)?;
                }
            } else if !self.on.contains(&change.address) {
                return Err(format!(
                    "the site at {:#x} was switched on in another way",
                    change.address
                ));
            }
        }
        Ok(())
    }

    /// Where the jump of a site is, or from now on is to be. What is mapped is read when it is needed first.
    fn place(&mut self, site: usize, space: &mut Option<Maps>) -> Result<usize, String> {
        if let Some(place) = self.placed.get(&site) {
            return Ok(*place);
        }
        let maps = match space {
            Some(maps) => maps,
            None => space.insert(self.look()?),
        };
        let steps = std::iter::once(self.latest)
            .chain((1..=FURTHEST).map(|step| -step))
            .chain(BEHIND..=FURTHEST);
        for step in steps {
            let Some(place) = reached(site, step) else {
                continue;
            };
            let near = place.saturating_sub(SITE_LENGTH - 1)..place + SITE_LENGTH;
            if self.taken.range(near).next().is_some() {
                continue;
            }
            let missing: Vec<usize> = pages(place)
                .filter(|page| !self.pages.contains(page))
                .collect();
            if missing.iter().any(|page| maps.is_mapped(*page)) {
                continue;
            }
            if missing.iter().all(|page| self.map(*page)) {
                self.placed.insert(site, place);
                self.taken.insert(place);
                self.latest = step;
                return Ok(place);
            }
        }
        Err(format!(
            "there is no executable memory to be had near the site at {site:#x}"
        ))
    }

    /// What is mapped now. Jumps of sites whose code is not any more are given up.
    fn look(&mut self) -> Result<Maps, String> {
        if !self.may_map && !may_map() {
            return Err("a filter of system calls forbids executable memory".to_owned());
        }
        self.may_map = true;
        let maps = Maps::read()?;
        self.placed.retain(|site, _| maps.is_mapped(*site));
        self.taken = self.placed.values().copied().collect();
        let used: BTreeSet<usize> = self.taken.iter().copied().flat_map(pages).collect();
        self.pages.retain(|page| {
            let stays = used.contains(page);
            if !stays {
                // SAFETY: this module mapped it, and the code that came here is gone.
                unsafe { libc::munmap(*page as *mut libc::c_void, PAGE) };
            }
            stays
        });
        Ok(maps)
    }

    /// Maps a page, if nothing is there.
    fn map(&mut self, page: usize) -> bool {
        let wanted = page as *mut libc::c_void;
        // SAFETY: new memory, which takes no other's place.
        let mapped = unsafe {
            libc::mmap(
                wanted,
                PAGE,
                libc::PROT_READ | libc::PROT_EXEC,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE,
                -1,
                0,
            )
        };
        if mapped == wanted {
            self.pages.insert(page);
            return true;
        }
        if mapped != libc::MAP_FAILED {
            // A kernel that takes the address as a wish.
            // SAFETY: it was mapped just now.
            unsafe { libc::munmap(mapped, PAGE) };
        }
        false
    }
}

/// The address that a site reaches so many steps away.
fn reached(site: usize, step: i64) -> Option<usize> {
    let [_, low, high, ..] = NOP5;
    let distance = step * STEP + i64::from(u16::from_le_bytes([low, high]));
    let end = i64::try_from(site).ok()? + SITE_LENGTH as i64;
    let place = usize::try_from(end + distance).ok()?;
    // What lies below may be mapped by the privileged only, and should not.
    (place >= STEP as usize).then_some(place)
}

/// The pages of a jump.
fn pages(place: usize) -> impl Iterator<Item = usize> {
    let pages: Range<usize> = place / PAGE..(place + SITE_LENGTH - 1) / PAGE + 1;
    pages.map(|page| page * PAGE)
}

/// Whether filters of system calls, if there are any, let a process map memory that is executable.
fn may_map() -> bool {
    let protection = (libc::PROT_READ | libc::PROT_EXEC) as libc::c_long;
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as libc::c_long;
    let arguments = [0, PAGE as libc::c_long, protection, flags, -1, 0];
    filter::lets_pass(libc::SYS_mmap, arguments).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::super::JUMP;
    use super::*;

    /// Memory of so many pages, which goes with the process.
    fn mapped(pages: usize, protection: i32) -> usize {
        // SAFETY: new memory.
        let mapped = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                pages * PAGE,
                protection,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(mapped, libc::MAP_FAILED);
        mapped as usize
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
        // Side by side, on two pages, and apart.
        let sites = [
            code,
            code + 5,
            code + PAGE - 2,
            code + 20 * PAGE,
            code + 39 * PAGE,
        ];
        let changes = sites.map(|site| on(site, site + 100));
        puns.prepare(&changes).unwrap();
        puns.keep(&changes, true);
        let maps = Maps::read().unwrap();
        for site in sites {
            let bytes = puns.of(site).unwrap();
            assert_eq!(bytes[1..TAIL], NOP5[1..TAIL]);
            let place = target(site, bytes);
            assert_eq!(target(place, text::read(place)), site + 100);
            assert!(pages(place).all(|page| maps.is_mapped(page)));
        }
        // Asked again, nothing moves.
        let before = puns.placed.clone();
        puns.prepare(&changes).unwrap();
        assert_eq!(puns.placed, before);
        // Off again.
        let off = changes.map(|change| Change {
            on: false,
            ..change
        });
        puns.prepare(&off).unwrap();
        puns.keep(&off, true);
        assert_eq!(puns.of(code), None);
        assert!(puns.prepare(&off).unwrap_err().contains("in another way"));
        unmap(code, 40);
    }

    #[test]
    fn jumps_of_code_that_is_gone_are_given_up() {
        let (first, second) = (mapped(1, libc::PROT_READ), mapped(1, libc::PROT_READ));
        let mut puns = Puns::new();
        puns.prepare(&[on(first, first)]).unwrap();
        let place = *puns.placed.get(&first).unwrap();
        puns.forget(|_| true);
        puns.prepare(&[on(second, second)]).unwrap();
        assert!(puns.placed.contains_key(&first), "its code may still run");
        unmap(first, 1);
        puns.prepare(&[on(second + 16, second)]).unwrap();
        assert_eq!(puns.placed.len(), 2);
        assert!(!puns.placed.contains_key(&first));
        assert!(puns.taken.iter().all(|other| *other != place));
        let used: BTreeSet<usize> = puns.taken.iter().copied().flat_map(pages).collect();
        assert_eq!(puns.pages, used);
        unmap(second, 1);
    }

    #[test]
    fn places_that_are_taken_are_passed_over() {
        let code = mapped(1, libc::PROT_READ);
        let mut puns = Puns::new();
        puns.prepare(&[on(code, code)]).unwrap();
        let nearest = *puns.placed.get(&code).unwrap();
        // Another who finds it taken, and a site whose jump would lie across the first one's.
        let mut other = Puns::new();
        other.prepare(&[on(code, code)]).unwrap();
        assert_ne!(other.placed.get(&code), Some(&nearest));
        puns.prepare(&[on(code + 4, code)]).unwrap();
        let second = *puns.placed.get(&(code + 4)).unwrap();
        assert!(second.abs_diff(nearest) >= SITE_LENGTH);
        unmap(code, 1);
    }

    #[test]
    fn what_is_too_low_is_not_reached() {
        assert_eq!(reached(0x40_0000, 0), Some(0x40_4424));
        assert_eq!(reached(0x40_0000, -1), Some(0x3f_4424));
        assert_eq!(reached(0x40_0000, -0x3f), Some(0x1_4424));
        assert_eq!(reached(0x40_0000, -0x40), None);
    }
}
