//! ASLR, performance counters, and debugging aids that slow the kernel down.

use super::finding::{Finding, alarm, fine, note, warning};
use crate::kernel::Kernel;
use crate::source::Root;

/// Options of a kernel's configuration that cost much, with their meaning and whether by a
/// factor rather than by per cents.
const DEBUG_OPTIONS: [(&str, &str, bool); 7] = [
    ("CONFIG_KASAN=y", "address sanitizer", true),
    ("CONFIG_KCSAN=y", "race detector", true),
    ("CONFIG_PROVE_LOCKING=y", "lock checker", true),
    (
        "CONFIG_DEBUG_PAGEALLOC_ENABLE_DEFAULT=y",
        "page unmapping",
        true,
    ),
    ("CONFIG_DEBUG_KMEMLEAK=y", "leak detector", false),
    ("CONFIG_SLUB_DEBUG_ON=y", "allocator checks", false),
    ("CONFIG_DEBUG_OBJECTS=y", "object tracking", false),
];

/// Words of the kernel's command line that turn debugging aids on.
const DEBUG_WORDS: [&str; 6] = [
    "slub_debug",
    "slab_debug",
    "debug_pagealloc=on",
    "page_poison=1",
    "page_owner=on",
    "init_on_free=1",
];

pub(super) fn check(root: Root) -> Vec<Finding> {
    let kernel = Kernel::take(root);
    let mut findings = Vec::new();
    findings.extend(aslr(&kernel));
    findings.extend(counters(&kernel));
    findings.push(debugging(root, &kernel));
    if let Some(tracer) = root
        .word("sys/kernel/tracing/current_tracer")
        .filter(|tracer| tracer != "nop")
    {
        findings.push(
            warning("tracing", format!("the kernel's tracer {tracer} is on"))
                .at("sys/kernel/tracing/current_tracer")
                .costs("kernel functions take up to several times as long")
                .advice("echo nop > /sys/kernel/tracing/current_tracer"),
        );
    }
    if root.number::<u32>("proc/sys/kernel/nmi_watchdog") == Some(1) {
        findings.push(
            note("nmi-watchdog", "the NMI watchdog is on")
                .at("proc/sys/kernel/nmi_watchdog")
                .costs("one performance counter of each CPU, and an interrupt every few seconds")
                .advice("sysctl kernel.nmi_watchdog=0"),
        );
    }
    findings
}

fn aslr(kernel: &Kernel) -> Option<Finding> {
    let file = "proc/sys/kernel/randomize_va_space";
    Some(match kernel.aslr? {
        2 => fine(
            "aslr",
            "addresses are randomised (ASLR): each run gets another layout",
        )
        .at(file),
        level => warning(
            "aslr",
            format!("address randomisation (ASLR) is at level {level}, not 2"),
        )
        .at(file)
        .costs("every run has the same layout, so its luck is part of every result: up to 10 %")
        .advice("leave ASLR on, and let the runs average over layouts: perflab doctor --apply"),
    })
}

fn counters(kernel: &Kernel) -> Option<Finding> {
    let file = "proc/sys/kernel/perf_event_paranoid";
    let level = kernel.perf_event_paranoid?;
    Some(if level <= 1 {
        fine(
            "perf-events",
            format!("performance counters may be used (level {level})"),
        )
        .at(file)
    } else {
        let (found, cost) = match level {
            2 => (
                "only administrators may count events in the kernel",
                "nothing; but other users' counters have user mode alone, as `instructions:u`, and no context switches",
            ),
            _ => (
                "only administrators may use performance counters",
                "nothing; but other users cannot record counters as evidence",
            ),
        };
        note("perf-events", format!("{found} (level {level})"))
            .at(file)
            .costs(cost)
            .advice("perflab doctor --apply sets it to 1")
    })
}

fn debugging(root: Root, kernel: &Kernel) -> Finding {
    let mut aids: Vec<&str> = Vec::new();
    let mut factor = false;
    let mut file = "proc/cmdline".to_owned();
    if let Some(release) = kernel.release.as_deref().filter(|name| !name.contains('/')) {
        let path = format!("boot/config-{release}");
        let options = root.text(&path).unwrap_or_default();
        for (option, meaning, much) in DEBUG_OPTIONS {
            if options.lines().any(|line| line.trim() == option) {
                aids.push(meaning);
                factor |= much;
                file.clone_from(&path);
            }
        }
    }
    if aids.is_empty() && root.text("proc/lockdep_stats").is_some() {
        aids.push("lock checker");
        factor = true;
        "proc/lockdep_stats".clone_into(&mut file);
    }
    let line = kernel.command_line.clone().unwrap_or_default();
    aids.extend(DEBUG_WORDS.iter().filter(|word| {
        line.split_whitespace()
            .any(|given| given == **word || given.starts_with(&format!("{word}=")))
    }));
    if aids.is_empty() {
        return fine(
            "kernel-debug",
            "no costly debugging aid of the kernel is visible",
        )
        .at("proc/cmdline");
    }
    let found = format!("debugging aids of the kernel are on: {}", aids.join(", "));
    if factor {
        alarm("kernel-debug", found).costs("the kernel is several times slower")
    } else {
        warning("kernel-debug", found)
            .costs("memory allocation in the kernel is slower, by 10 % and more")
    }
    .at(&file)
    .advice("measure on a kernel without them")
}
