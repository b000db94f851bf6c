//! The kernel and its settings.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cpu::CPUS;
use crate::source::Root;

/// The kernel and its settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Kernel {
    /// Release, as `6.12.9-amd64`.
    pub release: Option<String>,
    /// Number and date of this build of the release.
    pub version: Option<String>,
    /// What the kernel was started with.
    pub command_line: Option<String>,
    /// For each vulnerability of processors that the kernel knows, what it does about it.
    pub mitigations: Option<BTreeMap<String, String>>,
    /// Address space layout randomisation: 0 off, 1 without the heap, 2 full
    /// (`kernel.randomize_va_space`).
    pub aslr: Option<u32>,
    /// Who may use performance counters: the less, the more people (`kernel.perf_event_paranoid`).
    pub perf_event_paranoid: Option<i32>,
}

impl Kernel {
    pub(crate) fn take(root: Root) -> Self {
        Self {
            release: root.word("proc/sys/kernel/osrelease"),
            version: root.word("proc/sys/kernel/version"),
            command_line: root.line("proc/cmdline"),
            mitigations: mitigations(root),
            aslr: root.number("proc/sys/kernel/randomize_va_space"),
            perf_event_paranoid: root.number("proc/sys/kernel/perf_event_paranoid"),
        }
    }

    /// The command line without what names the boot medium: that differs between machines of one
    /// kind and decides nothing.
    pub(crate) fn settings_of_command_line(&self) -> Option<String> {
        const MEDIUM: [&str; 4] = ["BOOT_IMAGE", "initrd", "root", "resume"];
        let line = self.command_line.as_deref()?;
        let words: Vec<&str> = line
            .split_whitespace()
            .filter(|word| {
                word.split_once('=')
                    .is_none_or(|(name, _)| !MEDIUM.contains(&name))
            })
            .collect();
        Some(words.join(" "))
    }
}

fn mitigations(root: Root) -> Option<BTreeMap<String, String>> {
    let directory = format!("{CPUS}/vulnerabilities");
    let names = root.names(&directory)?;
    Some(
        names
            .into_iter()
            .filter_map(|name| {
                let state = root.word(&format!("{directory}/{name}"))?;
                Some((name, state))
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boot_medium_is_no_setting() {
        let kernel = Kernel {
            command_line: Some(
                "BOOT_IMAGE=/vmlinuz-6 root=UUID=77  quiet nohz_full=2-3 rootwait".into(),
            ),
            ..Kernel::default()
        };
        assert_eq!(
            kernel.settings_of_command_line().as_deref(),
            Some("quiet nohz_full=2-3 rootwait")
        );
    }
}
