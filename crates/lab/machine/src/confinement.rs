//! What keeps the laboratory from having the whole machine: virtualisation, quotas, CPU sets.

use std::path::{Component, Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cpu;
use crate::source::{Root, value_of};

/// What keeps the laboratory from having the whole machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Confinement {
    /// Whether the processor says that a hypervisor is beneath (x86 only).
    pub virtual_machine: Option<bool>,
    /// The tightest limit of the control groups around this process.
    pub cpu_quota: Option<CpuQuota>,
    /// The CPUs that this process may use, as `0-3`.
    pub allowed_cpus: Option<String>,
    /// The CPUs that the scheduler leaves alone (`isolcpus`). Empty if there are none.
    pub isolated_cpus: Option<String>,
    /// The CPUs without a regular timer tick (`nohz_full`). Empty if there are none.
    pub tickless_cpus: Option<String>,
}

/// How much CPU time control groups leave to a process.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CpuQuota {
    /// No limit.
    Unlimited,
    /// As much as this number of CPUs would give.
    Cpus(f64),
}

impl Confinement {
    pub(crate) fn take(root: Root) -> Self {
        let status = root.text("proc/self/status").unwrap_or_default();
        let cpus = |name: &str| {
            let list = root.line(&format!("{}/{name}", cpu::CPUS))?;
            Some(if list == "(null)" {
                String::new()
            } else {
                list
            })
        };
        Self {
            virtual_machine: root
                .text("proc/cpuinfo")
                .and_then(|info| cpu::field(&info, "flags"))
                .map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor")),
            cpu_quota: cpu_quota(root),
            allowed_cpus: value_of(&status, "Cpus_allowed_list").map(crate::source::plain),
            isolated_cpus: cpus("isolated"),
            tickless_cpus: cpus("nohz_full"),
        }
    }
}

/// The tightest quota on the way from this process' control group up to the root, in either version
/// of control groups. `None` if no group tells.
fn cpu_quota(root: Root) -> Option<CpuQuota> {
    cpu_groups(root)
        .into_iter()
        .filter_map(|(directory, version)| match version {
            Version::One => quota_v1(root, &directory),
            Version::Two => quota_v2(root, &directory),
        })
        .fold(None, |tightest, quota| Some(tighter(tightest, quota)))
}

/// Which kind of control groups a directory belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    One,
    Two,
}

/// The directories of the control groups around this process that may limit its CPU time. They
/// need not be there.
pub(crate) fn cpu_groups(root: Root) -> Vec<(String, Version)> {
    let groups = root.text("proc/self/cgroup").unwrap_or_default();
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let (mounts, version) = if controllers.is_empty() {
            (["sys/fs/cgroup", "sys/fs/cgroup/unified"], Version::Two)
        } else if controllers.split(',').any(|controller| controller == "cpu") {
            (
                ["sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"],
                Version::One,
            )
        } else {
            continue;
        };
        for mount in mounts {
            found.extend(
                around(mount, path)
                    .into_iter()
                    .map(|group| (group, version)),
            );
        }
    }
    found
}

/// The directories of a group and of all groups around it, the outermost first.
fn around(mount: &str, path: &str) -> Vec<String> {
    /// More than the kernel allows groups to nest in practice.
    const MAX_DEPTH: usize = 64;
    let mut directory = mount.to_owned();
    let mut found = vec![directory.clone()];
    // A group outside of this namespace is shown as `/..`, and cannot be looked into.
    for part in Path::new(path).components().take(MAX_DEPTH) {
        if let Component::Normal(name) = part {
            directory = format!("{directory}/{}", name.to_string_lossy());
            found.push(directory.clone());
        }
    }
    found
}

fn tighter(left: Option<CpuQuota>, right: CpuQuota) -> CpuQuota {
    match (left, right) {
        (Some(CpuQuota::Cpus(left)), CpuQuota::Cpus(right)) => CpuQuota::Cpus(left.min(right)),
        (Some(CpuQuota::Cpus(cpus)), CpuQuota::Unlimited) => CpuQuota::Cpus(cpus),
        (_, right) => right,
    }
}

fn quota_v2(root: Root, directory: &str) -> Option<CpuQuota> {
    let line = root.word(&format!("{directory}/cpu.max"))?;
    let (quota, period) = line.split_once(' ')?;
    if quota == "max" {
        Some(CpuQuota::Unlimited)
    } else {
        ratio(quota, period)
    }
}

fn quota_v1(root: Root, directory: &str) -> Option<CpuQuota> {
    let quota = root.word(&format!("{directory}/cpu.cfs_quota_us"))?;
    if quota == "-1" {
        return Some(CpuQuota::Unlimited);
    }
    ratio(
        &quota,
        &root.word(&format!("{directory}/cpu.cfs_period_us"))?,
    )
}

fn ratio(quota_us: &str, period_us: &str) -> Option<CpuQuota> {
    let (quota, period): (u64, u64) = (quota_us.parse().ok()?, period_us.parse().ok()?);
    (period > 0).then(|| CpuQuota::Cpus(quota as f64 / period as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The quota seen in a tree of these files.
    fn seen(files: &[(&str, &str)]) -> Option<CpuQuota> {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        cpu_quota(Root(root.path()))
    }

    #[test]
    fn the_tightest_group_around_a_process_counts() {
        let files = [
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
        ];
        assert_eq!(seen(&files), Some(CpuQuota::Cpus(1.5)));
    }

    #[test]
    fn no_limit_is_not_the_same_as_not_known() {
        let files = [
            ("proc/self/cgroup", "0::/a\n"),
            ("sys/fs/cgroup/a/cpu.max", "max 100000\n"),
        ];
        assert_eq!(seen(&files), Some(CpuQuota::Unlimited));
        assert_eq!(seen(&files[..1]), None);
        assert_eq!(seen(&[]), None);
    }

    #[test]
    fn version_one_of_control_groups() {
        let files = [
            ("proc/self/cgroup", "9:memory:/x\n4:cpu,cpuacct:/c\n0::/\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "50000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n"),
        ];
        assert_eq!(seen(&files), Some(CpuQuota::Cpus(0.5)));
    }

    #[test]
    fn a_group_outside_of_the_namespace_leads_nowhere_else() {
        let files = [
            ("proc/self/cgroup", "0::/../../../../secret\n"),
            ("secret/cpu.max", "1000 100000\n"),
            ("sys/fs/cgroup/cpu.max", "1000 0\n"),
        ];
        assert_eq!(seen(&files), None);
    }
}
