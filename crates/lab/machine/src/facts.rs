//! What machine this is, as measured.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::clock::Clock;
use crate::confinement::Confinement;
use crate::cpu::Cpu;
use crate::executable::hex;
use crate::frequency::Frequency;
use crate::kernel::Kernel;
use crate::memory::Memory;
use crate::moment::Moment;
use crate::source::Root;

/// Version of the format.
const SCHEMA: u32 = 1;

/// What machine this is, as measured. What could not be read is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineFacts {
    /// Version of this format: 1.
    pub schema: u32,
    /// Tells machines apart without naming them: the first 16 hexadecimal digits of the SHA-256 of
    /// `perflab` and the content of `/etc/machine-id`.
    #[serde(default)]
    pub machine_id: Option<String>,
    /// The machine's name, only if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// The processor.
    #[serde(default)]
    pub cpu: Cpu,
    /// How it chooses its frequency.
    #[serde(default)]
    pub frequency: Frequency,
    /// The kernel.
    #[serde(default)]
    pub kernel: Kernel,
    /// Memory and swap.
    #[serde(default)]
    pub memory: Memory,
    /// The clock.
    #[serde(default)]
    pub clock: Clock,
    /// What keeps the laboratory from having the whole machine.
    #[serde(default)]
    pub confinement: Confinement,
    /// What was going on at that moment.
    #[serde(default)]
    pub moment: Moment,
}

impl MachineFacts {
    /// Reads the facts of the machine whose `proc`, `sys` and `etc` lie below `root`: `/` but
    /// in tests. Files that are missing, unreadable or nonsense leave their fields `None`.
    pub fn take(root: &Path) -> Self {
        let root = Root(root);
        Self {
            schema: SCHEMA,
            machine_id: machine_id(root),
            hostname: None,
            cpu: Cpu::take(root),
            frequency: Frequency::take(root),
            kernel: Kernel::take(root),
            memory: Memory::take(root),
            clock: Clock::take(root),
            confinement: Confinement::take(root),
            moment: Moment::take(root),
        }
    }

    /// A machine of which nothing is known.
    pub fn unknown() -> Self {
        Self {
            schema: SCHEMA,
            ..Self::default()
        }
    }
}

/// systemd's machine-id(5) asks that the id itself be kept from untrusted places.
fn machine_id(root: Root) -> Option<String> {
    let id = root
        .word("etc/machine-id")
        .filter(|id| id != "uninitialized")?;
    let digest = Sha256::new()
        .chain_update("perflab")
        .chain_update(id)
        .finalize();
    Some(hex(&digest[..8]))
}
