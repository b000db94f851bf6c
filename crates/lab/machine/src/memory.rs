//! Memory, swap and huge pages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::{Root, bracketed, value_of};

/// Memory, swap and huge pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Memory {
    /// Memory that the kernel can use.
    pub total_bytes: Option<u64>,
    /// Size of all swap areas.
    pub swap_total_bytes: Option<u64>,
    /// Swap in use.
    pub swap_used_bytes: Option<u64>,
    /// Transparent huge pages: `always`, `madvise` or `never`.
    pub transparent_huge_pages: Option<String>,
    /// How hard the kernel tries to make room for a transparent huge page.
    pub huge_page_defragmentation: Option<String>,
}

impl Memory {
    pub(crate) fn take(root: Root) -> Self {
        let info = root.text("proc/meminfo").unwrap_or_default();
        let bytes = |key| -> Option<u64> {
            let kib: u64 = value_of(&info, key)?
                .strip_suffix("kB")?
                .trim_end()
                .parse()
                .ok()?;
            kib.checked_mul(1024)
        };
        let choice = |name: &str| {
            bracketed(&root.word(&format!("sys/kernel/mm/transparent_hugepage/{name}"))?)
        };
        let swap_total_bytes = bytes("SwapTotal");
        Self {
            total_bytes: bytes("MemTotal"),
            swap_total_bytes,
            swap_used_bytes: swap_total_bytes
                .zip(bytes("SwapFree"))
                .and_then(|(total, free)| total.checked_sub(free)),
            transparent_huge_pages: choice("enabled"),
            huge_page_defragmentation: choice("defrag"),
        }
    }
}
