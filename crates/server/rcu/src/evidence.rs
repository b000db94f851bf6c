//! Evidence: what ran, told from what was asked.
//!
//! A flavour of a name that is built, linked or configured as another one still runs, and gives figures. So a figure
//! of a flavour counts only if the flavour's mechanism was seen at work, and no other: in one grace period that is
//! made for that ([`prove`]), and in the run whose figures are reported ([`was_at_work`]).

use crate::counts::Counts;
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
    /// The line of versions that its functions show: "0.13", "0.14", "0.15".
    pub generation: Option<String>,
    /// The full barrier that it was compiled with, and that readers of the flavour have: "mfence" or "lock".
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
/// So many threads are readers meanwhile. They enter sections or announce quiescent states without end, and nobody else
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

/// Judges a run by what was counted in it, [`Counts::since`] its begin. A run without a grace period says nothing, and
/// passes. There were readers all the time.
///
/// # Errors
/// If the flavour's mechanism was not at work, or another one was.
pub fn was_at_work<F: Flavour>(run: &Counts) -> Result<(), NotAtWork> {
    if run.waits == 0 {
        return Ok(());
    }
    let signs = Sign::FOREIGN.map(|sign| (sign, sign.count(run)));
    let others = signs.iter().filter(|(sign, _)| *sign != F::SIGN);
    let wrong: Vec<&(Sign, u64)> = others.filter(|(_, count)| *count > 0).collect();
    let is_idle = F::SIGN.what().is_some() && F::SIGN.count(run) == 0;
    if wrong.is_empty() && !is_idle {
        return Ok(());
    }
    let mut clauses = Vec::new();
    if is_idle {
        clauses.extend(F::SIGN.what().map(|what| format!("0 {what}")));
    }
    for (sign, count) in &wrong {
        clauses.extend(sign.what().map(|what| format!("{count} {what}")));
    }
    let other = match wrong.first() {
        Some((sign, _)) => format!(": {} works as {} here", F::NAME, sign.flavour()),
        None => String::new(),
    };
    let (grace_periods, plural) = match run.waits {
        1 => (1, ""),
        more => (more, "s"),
    };
    Err(NotAtWork(format!(
        "{}: in {grace_periods} grace period{plural} there were {}{other}",
        F::NAME,
        clauses.join(" and ")
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
    /// Readers and writers execute barriers, which nobody can count.
    Barriers,
}

impl Sign {
    /// Signs that grace periods of no other flavour may show. Quiescent states and locks are counted by the flavours
    /// that have them.
    const FOREIGN: [Self; 3] = [Self::Expedited, Self::Global, Self::Signals];

    fn count(self, counts: &Counts) -> u64 {
        match self {
            Self::Expedited => counts.membarrier_expedited,
            Self::Global => counts.membarrier_global,
            Self::Signals => counts.signals_handled,
            Self::States => counts.quiescent_states,
            Self::WriteLocks => counts.write_locks,
            Self::Barriers => 0,
        }
    }

    /// The name of what is counted.
    fn what(self) -> Option<&'static str> {
        match self {
            Self::Expedited => Some("calls of membarrier(PRIVATE_EXPEDITED)"),
            Self::Global => Some("calls of membarrier(GLOBAL)"),
            Self::Signals => Some("signals handled"),
            Self::States => Some("quiescent states"),
            Self::WriteLocks => Some("locks for writing"),
            Self::Barriers => None,
        }
    }

    /// The flavour of liburcu that is known by it.
    fn flavour(self) -> &'static str {
        match self {
            Self::Expedited => "memb",
            Self::Global => "memb-global",
            Self::Signals => "signal",
            Self::States => "qsbr",
            Self::WriteLocks => "rwlock",
            Self::Barriers => "mb",
        }
    }
}
