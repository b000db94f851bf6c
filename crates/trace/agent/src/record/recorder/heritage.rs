//! What the child of a fork takes over from its parent.

use std::collections::BTreeMap;

use perflab_ring::Mode;

use super::Recorder;
use crate::record::clock;
use crate::record::size::Size;

/// What the child of a fork records with as its parent did.
#[derive(Debug)]
pub struct Heritage {
    clock: clock::Choice,
    named: Vec<u8>,
    probes: u32,
    costs: BTreeMap<(u64, usize), u64>,
    size: Size,
}

impl Recorder {
    /// Makes the files of this child of a fork, and one ring or two: most children have one thread, and live shortly.
    /// If that fails, its events are counted where its parent's are.
    ///
    /// # Errors
    /// When it cannot be recorded here.
    pub fn start_in_child(
        parent: Heritage,
        mode: Mode,
        whom: Option<&str>,
    ) -> Result<Self, String> {
        let mut recorder = Self::begin(parent.clock, parent.size)?;
        match recorder.take_over(parent, mode, whom) {
            Ok(()) => Ok(recorder),
            Err(reason) => {
                recorder.discard();
                Err(reason)
            }
        }
    }

    fn take_over(
        &mut self,
        parent: Heritage,
        mode: Mode,
        whom: Option<&str>,
    ) -> Result<(), String> {
        self.directory.append_chunks(&parent.named)?;
        self.named = parent.named;
        self.probes = parent.probes;
        self.costs = parent.costs;
        self.rings.set_size(parent.size);
        self.rings.set_mode(mode);
        self.rings.begin_in_child(&self.directory)?;
        // A recorder may take it for its own from now on.
        if let Some(whom) = whom {
            self.keep_for(whom)?;
        }
        self.is_active = true;
        self.begin_to_count()
    }

    /// What a child of this process's goes on with, seen from there: all files are the parent's, and not mapped any more.
    pub fn bequeath(self) -> Heritage {
        let heritage = Heritage {
            clock: self.clock,
            named: self.named,
            probes: self.probes,
            costs: self.costs,
            size: self.rings.size(),
        };
        self.directory.leave_to_parent();
        self.rings.leave_to_parent();
        heritage
    }
}
