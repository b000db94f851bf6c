//! Evidence: what ran, told from what was asked.
//!
//! A flavour of a name that is built, linked or configured as another one still runs, and gives figures. So a figure
//! of a flavour counts only if the flavour's mechanism was seen at work, and no other. [`prove`] looks at one grace
//! period that it makes for that, and [`was_at_work`] at the run whose figures are reported.

use crate::counts::{Counts, plural};
use crate::flavour::Flavour;
use crate::synchronize::synchronize_unwatched;
use crate::unavailable::NotAtWork;

/// Facts on a flavour. Those that do not exist for it are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The library's file, without links.
    pub library: Option<String>,
    /// Its build ID, in hexadecimal digits.
    pub build_id: Option<String>,
    /// The line of versions that its functions show: "0.13", "0.14", "0.14 or later" or "0.15".
    pub generation: Option<String>,
    /// The full barrier that it was compiled with: "mfence" or "lock". Readers of memb and bp execute it only if the
    /// library uses no membarrier.
    pub barrier: Option<String>,
    /// Whether the library uses membarrier, if it has a word for that. Readers of memb-forced do not look at it.
    pub has_sys_membarrier: Option<bool>,
    /// The bits of the commands of membarrier that the kernel offers, for flavours that may use one.
    pub membarrier_query: Option<u32>,
}

impl Facts {
    /// Those that exist, each with its name.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, String)> + use<> {
        let has = self.has_sys_membarrier.map(|has| has.to_string());
        let query = self.membarrier_query.map(|bits| format!("{bits:#x}"));
        [
            ("library", self.library.clone()),
            ("build_id", self.build_id.clone()),
            ("generation", self.generation.clone()),
            ("barrier", self.barrier.clone()),
            ("has_sys_membarrier", has),
            ("membarrier_query", query),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
    }
}

/// The facts on a flavour that was loaded.
pub fn facts<F: Flavour>() -> Facts {
    F::facts()
}

/// Makes one grace period, and judges by what was counted whether the flavour is what it is called. Returns the counts
/// after it, from which a run goes on to count.
///
/// Meanwhile this number of threads read: they enter sections or announce quiescent states without end. Nobody else
/// waits for grace periods.
///
/// # Errors
/// If its mechanism was not at work, or another one was; or if there can be no grace period.
pub fn prove<F: Flavour>(readers: u64) -> Result<Counts, NotAtWork> {
    let before = F::counts();
    synchronize_unwatched::<F>()
        .map_err(|refused| NotAtWork(format!("{}: it cannot be proven: {refused}", F::NAME)))?;
    let after = F::counts();
    F::mechanism(&before, &after, readers)?;
    Ok(after)
}

/// Judges a run by what was counted in it, [`Counts::since`] its begin. `writers` threads waited for grace periods.
/// `waits` of their waits had ended when the `readers` readers began to leave.
///
/// A thread that shares a grace period does not wait twice for it. So there was at least one for `writers` waits.
///
/// # Errors
/// If the flavour's mechanism was at work less often than these waits take, or another one was.
pub fn was_at_work<F: Flavour>(
    run: &Counts,
    readers: u64,
    writers: u64,
    waits: u64,
) -> Result<(), NotAtWork> {
    let grace_periods = if F::SHARES {
        waits.div_ceil(writers.max(1))
    } else {
        waits
    };
    let mut wrong = Vec::new();
    let mut at_least = |what, found, least| {
        if found < least {
            wrong.push(format!("{what}: {found}, expected at least {least}"));
        }
    };
    if let Some(what) = F::SIGN.what() {
        let of_each = if F::SIGN.is_of_readers() { readers } else { 1 };
        let least = grace_periods * F::TIMES * of_each;
        at_least(what, F::SIGN.count(run), least);
    }
    at_least(
        "growth of the word of grace periods",
        run.word,
        grace_periods * F::STEP,
    );
    let signs = Sign::FOREIGN.iter().filter(|sign| **sign != F::SIGN);
    let others: Vec<&Sign> = signs.filter(|sign| sign.count(run) > 0).collect();
    for sign in &others {
        let (what, found) = (sign.what().unwrap_or_default(), sign.count(run));
        wrong.push(format!("{what}: {found}, expected 0"));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let other = match others.first() {
        Some(sign) => format!(": {} works as {} here", F::NAME, sign.flavour()),
        None => String::new(),
    };
    Err(NotAtWork(format!(
        "{}: in {waits} wait{} of {writers} writer{} with {readers} reader{}, {}{}{other}",
        F::NAME,
        plural(waits),
        plural(writers),
        plural(readers),
        wrong.join("; "),
        run.failed()
    )))
}

/// Grace periods of a flavour show its sign, and those of others do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Calls of membarrier with MEMBARRIER_CMD_PRIVATE_EXPEDITED.
    Expedited,
    /// Calls of membarrier with MEMBARRIER_CMD_GLOBAL.
    Global,
    /// Signals to readers.
    Signals,
    /// They wait for quiescent states.
    States,
    /// Locks for writing.
    WriteLocks,
    /// Calls of membarrier with any other command, which no flavour makes.
    Other,
    /// Readers and writers execute barriers, which nobody can count.
    Barriers,
}

impl Sign {
    /// Signs that grace periods of no other flavour may show. Quiescent states and locks are counted by the flavours
    /// that have them.
    const FOREIGN: [Self; 4] = [Self::Expedited, Self::Global, Self::Signals, Self::Other];

    fn count(self, counts: &Counts) -> u64 {
        match self {
            Self::Expedited => counts.membarrier_expedited,
            Self::Global => counts.membarrier_global,
            Self::Signals => counts.signals_handled,
            Self::States => counts.quiescent_states,
            Self::WriteLocks => counts.write_locks,
            Self::Other => counts.membarrier_other,
            Self::Barriers => 0,
        }
    }

    /// Whether each reader shows it.
    fn is_of_readers(self) -> bool {
        matches!(self, Self::Signals | Self::States)
    }

    /// The name of what is counted.
    fn what(self) -> Option<&'static str> {
        match self {
            Self::Expedited => Some("calls of membarrier(PRIVATE_EXPEDITED)"),
            Self::Global => Some("calls of membarrier(GLOBAL)"),
            Self::Signals => Some("signals handled"),
            Self::States => Some("quiescent states"),
            Self::WriteLocks => Some("locks for writing"),
            Self::Other => Some("calls of membarrier with other commands"),
            Self::Barriers => None,
        }
    }

    /// The flavour that is known by it.
    fn flavour(self) -> &'static str {
        match self {
            Self::Expedited => "memb",
            Self::Global => "memb-global",
            Self::Signals => "signal",
            Self::States => "qsbr",
            Self::WriteLocks => "rwlock",
            Self::Other => "another flavour",
            Self::Barriers => "mb",
        }
    }
}
