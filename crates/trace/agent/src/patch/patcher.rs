//! Changes sites: all, or none.

use perflab_abi::NOP5;

use super::change::{Change, SiteEdit, jump};
use super::plan::{self, Method};
use super::protocol::{Protocol, write};
use super::pun::Puns;
use super::stop;
use super::sync::Sync;

/// The state that patching keeps.
#[derive(Debug)]
pub struct Patcher {
    plan: plan::Planner,
    puns: Puns,
}

impl Patcher {
    /// Prepares: registers with the kernel what later calls need.
    pub fn new() -> Self {
        Self {
            plan: plan::Planner::new(),
            puns: Puns::new(),
        }
    }

    /// Forgets sites whose code goes.
    pub fn forget(&mut self, addresses: impl Iterator<Item = usize>) {
        let mut gone: Vec<usize> = addresses.collect();
        gone.sort_unstable();
        let is_gone = |site| gone.binary_search(&site).is_ok();
        stop::remove(is_gone);
        self.puns.forget(is_gone);
    }

    /// Prepares again in the child of a fork, which has one thread and a memory of its own.
    pub fn after_fork(&mut self) {
        stop::forget_handlers();
        self.plan.after_fork();
    }

    /// Returns when each thread has serialised since the call.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn all_threads(&self) -> Result<(), String> {
        self.plan.sync(&mut Vec::new()).all_threads()
    }

    /// Makes all changes, or none, and says how.
    ///
    /// # Errors
    /// When it cannot be done here, or a site has other bytes than it should. What was written was taken back
    /// then; where even that failed, it is said, and those sites may be on or off.
    pub fn apply(&mut self, changes: &[Change]) -> Result<Method, String> {
        let mut addresses: Vec<usize> = changes.iter().map(|change| change.address).collect();
        addresses.sort_unstable();
        // Step 1 of each protocol: the code is open for writing, and by pun each jump is in its place.
        let (method, text) = self.plan.choose(changes, &addresses, &mut self.puns)?;
        let by_pun = method.protocol == Protocol::Pun;
        let mut edits = Vec::with_capacity(changes.len());
        for change in changes {
            edits.push(self.edit(change, by_pun)?);
        }
        edits.sort_unstable_by_key(|edit| edit.address);
        // And the sites have the bytes that are expected: late, as the choice takes some time.
        edits.iter().try_for_each(SiteEdit::check)?;
        // What cannot be done shows before anything is written.
        method.sync.all_threads()?;
        let sync = || method.sync.all_threads();
        // The steps from 2 on.
        let Err(reason) = write(method.protocol, sync, &text, &edits) else {
            self.puns.keep(changes, by_pun);
            return Ok(method);
        };
        let back: Vec<SiteEdit> = edits.iter().map(SiteEdit::reversed).collect();
        match write(method.protocol, || Sync::Visit.all_threads(), &text, &back) {
            Ok(()) => Err(reason),
            Err(second) => Err(format!(
                "{reason}; and what was written could not be taken back: {second}"
            )),
        }
    }

    /// A site that is on was brought there by a jump or by a pun, which is known.
    fn edit(&self, change: &Change, by_pun: bool) -> Result<SiteEdit, String> {
        let address = change.address;
        let pun = match (change.on, by_pun) {
            (true, true) => self.puns.bytes(address),
            (true, false) => None,
            (false, _) => self.puns.of(address),
        };
        let on = pun.map_or_else(|| jump(address, change.target), Ok)?;
        let (old, new) = if change.on { (NOP5, on) } else { (on, NOP5) };
        Ok(SiteEdit { address, old, new })
    }
}

#[cfg(test)]
mod tests {
    #![expect(unsafe_code, reason = "code is memory that is found by address")]

    use perflab_abi::SITE_LENGTH;

    use super::super::protocol::OVER;
    use super::super::stop::Stop;
    use super::super::text::{self, Text, Writing};
    use super::*;
    use crate::pages::{PAGE, map};

    const SITES: usize = 3;

    /// Code with some sites, each with its path behind it.
    fn code() -> [Change; SITES] {
        let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        let page = map(PAGE, protection).unwrap();
        let mut index = 0;
        [(); SITES].map(|()| {
            let address = page as usize + 64 * index;
            index += 1;
            // SAFETY: within the page.
            unsafe { std::ptr::write_volatile(address as *mut [u8; SITE_LENGTH], NOP5) };
            Change {
                address,
                target: address + 32,
                on: true,
            }
        })
    }

    const PROTOCOLS: [Protocol; 4] = [
        Protocol::Word,
        Protocol::Pun,
        Protocol::Stop(Stop::Fault),
        Protocol::Stop(Stop::Trap),
    ];

    fn bytes(changes: &[Change]) -> Vec<[u8; SITE_LENGTH]> {
        let changes = changes.iter();
        changes.map(|change| text::read(change.address)).collect()
    }

    /// All threads serialise behind each step, and find the code as the steps in this module's documentation say.
    #[test]
    fn no_step_begins_before_all_threads_have_seen_the_last() {
        for protocol in PROTOCOLS {
            let by_pun = protocol == Protocol::Pun;
            let mut patcher = Patcher::new();
            let all = code();
            let text = Text::open(Writing::Protection, &all.map(|change| change.address)).unwrap();
            patcher.puns.prepare(&all).unwrap();
            for on in [true, false] {
                let changes = all.map(|change| Change { on, ..change });
                let edits = changes.map(|change| patcher.edit(&change, by_pun).unwrap());
                let mut seen = Vec::new();
                let sync = || {
                    seen.push(bytes(&all));
                    Ok(())
                };
                write(protocol, sync, &text, &edits).unwrap();
                patcher.puns.keep(&changes, by_pun);
                let expected = |edit: &SiteEdit| {
                    let ([_, _, x, y, z], [_, _, a, b, c]) = (edit.old, edit.new);
                    let ([before, old @ ..], [after, new @ ..]) = (edit.old, edit.new);
                    let with = |first: u8, [a, b, c, d]: [u8; 4]| [first, a, b, c, d];
                    let [over, by] = OVER;
                    match protocol {
                        Protocol::Word => vec![[over, by, x, y, z], [over, by, a, b, c], edit.new],
                        Protocol::Pun if on => vec![with(before, new), edit.new],
                        Protocol::Pun => vec![with(after, old), edit.new],
                        Protocol::Stop(stop) => {
                            vec![with(stop.byte(), old), with(stop.byte(), new), edit.new]
                        }
                    }
                };
                let expected: Vec<Vec<_>> = edits.iter().map(expected).collect();
                let found: Vec<Vec<_>> = (0..SITES)
                    .map(|site| seen.iter().map(|sites| sites[site]).collect())
                    .collect();
                assert_eq!(found, expected, "{protocol:?} {on}");
            }
        }
    }

    /// Whichever step fails, sites that go on, off, or some of each, are as they were, and can be changed then.
    #[test]
    fn a_step_that_fails_is_taken_back() {
        for protocol in PROTOCOLS {
            let by_pun = protocol == Protocol::Pun;
            for on in 0..1 << SITES {
                let mut patcher = Patcher::new();
                let all = code();
                let addresses = all.map(|change| change.address);
                let text = Text::open(Writing::Protection, &addresses).unwrap();
                patcher.puns.prepare(&all).unwrap();
                let edits = |patcher: &Patcher, changes: &[Change]| -> Vec<SiteEdit> {
                    let edits = changes.iter();
                    edits
                        .map(|change| patcher.edit(change, by_pun).unwrap())
                        .collect()
                };
                // Those that are to go off are brought on first.
                let mut changes = all;
                for (index, change) in changes.iter_mut().enumerate() {
                    change.on = on & (1 << index) != 0;
                }
                let first: Vec<Change> = changes.into_iter().filter(|change| !change.on).collect();
                let first: Vec<Change> = first
                    .into_iter()
                    .map(|change| Change { on: true, ..change })
                    .collect();
                write(protocol, || Ok(()), &text, &edits(&patcher, &first)).unwrap();
                patcher.puns.keep(&first, by_pun);
                let before = bytes(&all);
                let edits = edits(&patcher, &changes);
                let back: Vec<SiteEdit> = edits.iter().map(SiteEdit::reversed).collect();
                let mut failed = 0;
                loop {
                    let mut left = failed;
                    let sync = || {
                        left -= 1;
                        if left < 0 {
                            Err("no".to_owned())
                        } else {
                            Ok(())
                        }
                    };
                    if write(protocol, sync, &text, &edits).is_ok() {
                        break;
                    }
                    write(protocol, || Ok(()), &text, &back).unwrap();
                    assert_eq!(bytes(&all), before, "{protocol:?} {on:b} {failed}");
                    failed += 1;
                }
                assert!(failed >= 2, "{protocol:?} {on:b}");
                let new: Vec<_> = edits.iter().map(|edit| edit.new).collect();
                assert_eq!(bytes(&all), new, "{protocol:?} {on:b}");
            }
        }
    }
}
