//! The result of a stress, as it is printed.

use std::fmt;
use std::time::Duration;

use super::bound;
use super::reports::Dead;

/// The result of a stress that found nothing.
#[derive(Debug)]
pub struct Stressed {
    pub time: Duration,
    pub reads: u64,
    pub retired: u64,
    pub freed: u64,
    pub most: u64,
    pub stalls: u64,
    /// Reports on threads that ended inside of a section.
    pub dead: Option<Dead>,
    /// Threads that wait for ever.
    pub stuck: usize,
}

impl fmt::Display for Stressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let plural = |count| if count == 1 { "" } else { "s" };
        let (seconds, reads) = (self.time.as_secs_f64(), self.reads as f64 / 1e6);
        write!(f, "{seconds:.0} s, {reads:.1} M reads, ")?;
        if self.freed == self.retired {
            write!(f, "{} nodes retired and freed, ", self.retired)?;
        } else {
            write!(f, "{} nodes retired, {} freed, ", self.retired, self.freed)?;
        }
        write!(
            f,
            "at most {:.2} MiB of {:.2} MiB waited, {} stall{}",
            mebibytes(self.most),
            mebibytes(bound()),
            self.stalls,
            plural(self.stalls)
        )?;
        if let Some(Dead { buried, is_lost }) = self.dead {
            write!(f, ", {buried} dead reader{} given back", plural(buried))?;
            if is_lost {
                let stuck = self.stuck;
                let stuck_plural = plural(stuck as u64);
                write!(
                    f,
                    ", 1 never, and {stuck} thread{stuck_plural} of the stress could not end"
                )?;
            }
        }
        Ok(())
    }
}
