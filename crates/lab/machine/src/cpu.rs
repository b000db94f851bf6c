//! The processor and its topology.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cpu_list;
use crate::source::{Root, plain, switch};

/// Where the kernel describes each CPU.
pub(crate) const CPUS: &str = "sys/devices/system/cpu";

/// The processor and its topology.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Cpu {
    /// Name as sold.
    pub name: Option<String>,
    /// Who made it: `GenuineIntel`; on Arm the implementer's code, `0x41`.
    pub vendor: Option<String>,
    /// Family; on Arm the version of the architecture.
    pub family: Option<String>,
    /// Model within the family; on Arm the part's code.
    pub model: Option<String>,
    /// Stepping; on Arm variant and revision, `r3p1`.
    pub stepping: Option<String>,
    /// Version of the microcode in use.
    pub microcode: Option<String>,
    /// Number of logical CPUs that are online.
    pub logical_cpus: Option<u32>,
    /// The logical CPUs that are online, as `0-3,8`.
    pub online: Option<String>,
    /// Number of cores with at least one CPU online.
    pub cores: Option<u32>,
    /// Number of sockets with at least one CPU online.
    pub sockets: Option<u32>,
    /// Number of NUMA nodes.
    pub numa_nodes: Option<u32>,
    /// Whether some core runs more than one thread at a time.
    pub smt_active: Option<bool>,
}

impl Cpu {
    pub(crate) fn take(root: Root) -> Self {
        let info = root.text("proc/cpuinfo").unwrap_or_default();
        let field = |key| field(&info, key);
        let online = root.word(&format!("{CPUS}/online"));
        let listed = info
            .lines()
            .filter(|line| is_field(line, "processor"))
            .count() as u32;
        let (cores, sockets) = topology(root);
        let nodes = root.numbered("sys/devices/system/node", "node").len() as u32;
        Self {
            name: field("model name"),
            vendor: field("vendor_id").or_else(|| field("CPU implementer")),
            family: field("cpu family").or_else(|| field("CPU architecture")),
            model: field("model").or_else(|| field("CPU part")),
            stepping: field("stepping").or_else(|| {
                let variant = field("CPU variant")?;
                let variant = u32::from_str_radix(variant.trim_start_matches("0x"), 16).ok()?;
                Some(format!("r{variant}p{}", field("CPU revision")?))
            }),
            microcode: field("microcode"),
            logical_cpus: online
                .as_deref()
                .and_then(cpu_list::count)
                .or((listed > 0).then_some(listed)),
            online,
            cores,
            sockets,
            numa_nodes: (nodes > 0).then_some(nodes),
            smt_active: root
                .word(&format!("{CPUS}/smt/active"))
                .as_deref()
                .and_then(switch),
        }
    }
}

fn is_field(line: &str, key: &str) -> bool {
    line.strip_prefix(key)
        .is_some_and(|rest| rest.trim_start().starts_with(':'))
}

/// A field of the first processor in `/proc/cpuinfo`.
pub(crate) fn field(info: &str, key: &str) -> Option<String> {
    let line = info.lines().find(|line| is_field(line, key))?;
    let (_, value) = line.split_once(':')?;
    Some(plain(value)).filter(|value| !value.is_empty())
}

/// Number of cores and of sockets. A core's number is unique within its socket only.
fn topology(root: Root) -> (Option<u32>, Option<u32>) {
    let mut cores = BTreeSet::new();
    let mut sockets = BTreeSet::new();
    for cpu in root.numbered(CPUS, "cpu") {
        let id = |name: &str| root.number::<i64>(&format!("{CPUS}/cpu{cpu}/topology/{name}"));
        let (Some(socket), Some(core)) = (id("physical_package_id"), id("core_id")) else {
            continue;
        };
        cores.insert((socket, core));
        sockets.insert(socket);
    }
    let count = |n: usize| (n > 0).then_some(n as u32);
    (count(cores.len()), count(sockets.len()))
}
