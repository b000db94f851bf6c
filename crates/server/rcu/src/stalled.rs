//! Memory that waits to be freed, and why too much of it does.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::flavour::Flavour;
use crate::readers::Found;
use crate::threads::Shown;
use crate::unavailable::Refused;

/// Bytes and objects that wait to be freed in batches that are closed, of all threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Bytes, as [`Reclaim::bytes`](crate::Reclaim::bytes) counts them.
    pub bytes: u64,
    /// Objects, those included that are being freed: 0 if all have been.
    pub objects: u64,
}

/// Bytes and objects of a flavour that wait to be freed.
pub fn waiting<F: Flavour>() -> Waiting {
    F::domain().grace.waiting()
}

/// Grace periods are held up, and too much waits to be freed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stalled {
    /// The readers for which the grace period waits. Empty if it went on meanwhile.
    pub readers: Vec<Shown>,
    /// How long the flavour's thread has waited for it; 0 if it has ended meanwhile.
    pub waited: Duration,
    /// Bytes and objects that wait to be freed.
    pub waiting: Waiting,
}

impl Stalled {
    pub(crate) fn look<F: Flavour>() -> Self {
        let domain = F::domain();
        let holders = domain.look().into_iter();
        let holders = holders.filter(|(_, found)| matches!(found, Found::HoldsUp(_) | Found::Lost));
        Self {
            readers: holders.map(|(thread, _)| Shown::look(thread.tid)).collect(),
            waited: domain.grace.waited(),
            waiting: domain.grace.waiting(),
        }
    }
}

impl fmt::Display for Stalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = Mebibytes(self.waiting.bytes);
        let waited = self.waited.as_secs_f64();
        write!(
            f,
            "{bytes} wait to be freed, and a grace period has waited {waited:.1} s"
        )?;
        let mut before = " for";
        for reader in &self.readers {
            write!(f, "{before} {reader}")?;
            before = ",";
        }
        Ok(())
    }
}

/// Bytes, as people read them.
pub(crate) struct Mebibytes(pub u64);

impl fmt::Display for Mebibytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} MiB", self.0 as f64 / f64::from(1 << 20))
    }
}

/// Why too much still waits to be freed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotRelieved {
    /// A grace period is held up.
    Stalled(Stalled),
    /// The calling thread may not wait for grace periods.
    Refused(Refused),
    /// The thread that waits for grace periods could not be made, for this reason.
    NoThread(String),
    /// The thread that waits for grace periods has ended, for this reason. Objects that wait are never freed.
    Failed(String),
}

impl fmt::Display for NotRelieved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stalled(stalled) => write!(f, "{stalled}"),
            Self::Refused(refused) => write!(f, "{refused}"),
            Self::NoThread(reason) => {
                write!(
                    f,
                    "no thread can be made to wait for grace periods: {reason}; end other threads, or raise `ulimit -u`"
                )
            }
            Self::Failed(reason) => write!(
                f,
                "there are no grace periods any more, and nothing is freed: {reason}. Restart the program."
            ),
        }
    }
}

impl Error for NotRelieved {}
