//! Memory, swap and huge pages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::{Root, bracketed, bytes_of};

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
        let bytes = |key| bytes_of(&info, key);
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
