//! The doctor before recorded and made-up machines.

use std::fs;
use std::path::Path;

use perflab_machine::doctor::{Finding, Glance, Severity, activity, settings, strain};
use proptest::prelude::*;

/// A recorded tree is one file: `== path` before the content of each file.
fn plant(recording: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for part in recording.split("== ").skip(1) {
        let (path, content) = part.split_once('\n').unwrap();
        write(root.path(), path, content);
    }
    root
}

fn write(root: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// A machine on which there is nothing to find fault with.
const QUIET: &str = include_str!("../machines/quiet.txt");

fn worst(findings: &[Finding]) -> Severity {
    findings
        .iter()
        .map(|finding| finding.severity)
        .max()
        .unwrap()
}

/// The finding of a check; of several the worst.
fn of<'a>(findings: &'a [Finding], check: &str) -> &'a Finding {
    findings
        .iter()
        .filter(|finding| finding.check == check)
        .max_by_key(|finding| finding.severity)
        .unwrap_or_else(|| panic!("no {check} in {findings:#?}"))
}

/// What is said of the quiet machine once these files are there.
fn with(files: &[(&str, &str)], cpus: &[u32]) -> Vec<Finding> {
    let root = plant(QUIET);
    for (path, content) in files {
        write(root.path(), path, content);
    }
    settings(root.path(), cpus)
}

#[test]
fn nothing_is_said_of_a_quiet_machine() {
    let findings = with(&[], &[0, 1]);
    let loud: Vec<&Finding> = findings
        .iter()
        .filter(|finding| finding.severity > Severity::Fine)
        .collect();
    assert!(loud.is_empty(), "{loud:#?}");
    assert!(findings.len() >= 15, "{findings:#?}");
}

const CPU: &str = "sys/devices/system/cpu";

#[test]
fn each_trouble_of_the_settings_is_found_where_it_is() {
    use Severity::{Alarm, Note, Warning};
    let cases: &[(&str, &str, &str, Severity, &str)] = &[
        (
            "smt",
            "cpu1/topology/thread_siblings_list",
            "1,3",
            Warning,
            "CPU 1 with 3",
        ),
        (
            "governor",
            "cpu0/cpufreq/scaling_governor",
            "powersave",
            Warning,
            "powersave (0)",
        ),
        (
            "turbo",
            "intel_pstate/no_turbo",
            "0",
            Warning,
            "turbo is on",
        ),
        (
            "mitigations",
            "vulnerabilities/meltdown",
            "Mitigation: PTI",
            Note,
            "of 1 processor",
        ),
        ("isolation", "isolated", "1", Note, "CPUs 1 are isolated"),
        (
            "clock-source",
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
            "hpet",
            Alarm,
            "hpet",
        ),
        (
            "clock-source",
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
            "acpi_pm",
            Alarm,
            "acpi_pm",
        ),
        (
            "clock-source",
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
            "jiffies",
            Alarm,
            "jiffies",
        ),
        (
            "clock-source",
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
            "kvm-clock",
            Warning,
            "though tsc is there",
        ),
        (
            "clock-source",
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
            "sundial",
            Warning,
            "not known",
        ),
        (
            "huge-pages",
            "/sys/kernel/mm/transparent_hugepage/enabled",
            "[always] madvise never",
            Warning,
            "always",
        ),
        (
            "reserved-huge-pages",
            "/proc/meminfo",
            "HugePages_Total: 512\nHugePages_Free: 500\n",
            Note,
            "512",
        ),
        (
            "swap",
            "/proc/meminfo",
            "SwapTotal: 1024 kB\nSwapFree: 1024 kB\n",
            Note,
            "none is used",
        ),
        (
            "swap",
            "/proc/meminfo",
            "SwapTotal: 4096 kB\nSwapFree: 2048 kB\n",
            Warning,
            "2.0 of 4 MiB",
        ),
        (
            "memory",
            "/proc/meminfo",
            "MemTotal: 1000000 kB\nMemAvailable: 70000 kB\n",
            Warning,
            "68 of 976",
        ),
        (
            "memory",
            "/proc/meminfo",
            "MemTotal: 1000000 kB\nMemAvailable: 7000 kB\n",
            Alarm,
            "6 of 976",
        ),
        (
            "page-merging",
            "/sys/kernel/mm/ksm/run",
            "1",
            Warning,
            "KSM",
        ),
        (
            "virtual-machine",
            "/proc/cpuinfo",
            "processor : 0\nflags : fpu hypervisor svm\n",
            Note,
            "several layers",
        ),
        ("container", "/run/.containerenv", "", Note, "container"),
        (
            "cpu-quota",
            "/sys/fs/cgroup/lab/cpu.max",
            "50000 100000",
            Alarm,
            "0.50 CPUs, and 2",
        ),
        (
            "cpu-quota",
            "/sys/fs/cgroup/lab/cpu.max",
            "400000 100000",
            Note,
            "4.00 CPUs",
        ),
        (
            "affinity",
            "/proc/self/status",
            "Cpus_allowed_list:\t1\n",
            Note,
            "CPUs 1 of 0-1",
        ),
        (
            "interrupts",
            "/proc/irq/24/effective_affinity_list",
            "1",
            Note,
            "1 of 1",
        ),
        (
            "aslr",
            "/proc/sys/kernel/randomize_va_space",
            "0",
            Warning,
            "level 0",
        ),
        (
            "perf-events",
            "/proc/sys/kernel/perf_event_paranoid",
            "2",
            Note,
            "level 2",
        ),
        (
            "kernel-debug",
            "/proc/cmdline",
            "ro slub_debug=FZ",
            Warning,
            "slub_debug",
        ),
        (
            "kernel-debug",
            "/boot/config-6.1.0-quiet",
            "CONFIG_SMP=y\nCONFIG_KASAN=y\n",
            Alarm,
            "address sanitizer",
        ),
        (
            "tracing",
            "/sys/kernel/tracing/current_tracer",
            "function",
            Warning,
            "function",
        ),
        (
            "nmi-watchdog",
            "/proc/sys/kernel/nmi_watchdog",
            "1",
            Note,
            "watchdog",
        ),
        (
            "power",
            "/sys/class/power_supply/BAT0/status",
            "Discharging",
            Warning,
            "battery",
        ),
        (
            "power-profile",
            "/sys/firmware/acpi/platform_profile",
            "low-power",
            Note,
            "low-power",
        ),
    ];
    for (check, path, content, severity, words) in cases {
        let path = match path.strip_prefix('/') {
            Some(path) => path.to_owned(),
            None => format!("{CPU}/{path}"),
        };
        let findings = with(&[(&path, content)], &[0, 1]);
        let finding = of(&findings, check);
        assert_eq!(finding.severity, *severity, "{path}: {finding:?}");
        assert!(finding.found.contains(words), "{words}: {finding:?}");
        assert!(finding.file.is_some(), "{finding:?}");
        if *severity >= Warning {
            assert!(
                finding.cost.is_some() && finding.advice.is_some(),
                "{finding:?}"
            );
        }
    }
}

#[test]
fn a_quota_of_the_old_control_groups_is_found() {
    let files = [
        ("proc/self/cgroup", "1:cpu:/lab\n0::/\n"),
        ("sys/fs/cgroup/cpu/lab/cpu.cfs_quota_us", "20000\n"),
        ("sys/fs/cgroup/cpu/lab/cpu.cfs_period_us", "100000\n"),
    ];
    let findings = with(&files, &[0]);
    assert_eq!(of(&findings, "cpu-quota").severity, Severity::Alarm);
}

/// Two moments of the quiet machine, a second apart, in the second of which these files differ.
fn between(files: &[(&str, &str)]) -> (Vec<Finding>, Vec<Finding>) {
    let root = plant(QUIET);
    let before = Glance::take(root.path());
    write(root.path(), "proc/stat", LATER);
    for (path, content) in files {
        write(root.path(), path, content);
    }
    let after = Glance::take(root.path());
    (
        activity(&before, &after, &[0, 1], 50),
        strain(&before, &after, &[0, 1]),
    )
}

/// A second after the quiet machine's `/proc/stat`, all of it idle.
const LATER: &str = "cpu  100 0 100 2200 0 0 0 0 0 0\ncpu0 50 0 50 1100 0 0 0 0 0 0\ncpu1 50 0 50 1100 0 0 0 0 0 0\n";

/// A process's line with so many ticks, last on that CPU.
fn stat(pid: u32, name: &str, parent: u32, ticks: u64, cpu: u32) -> String {
    format!(
        "{pid} ({name}) R {parent} 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 77 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 {cpu} 0 0 0 0 0\n"
    )
}

#[test]
fn a_second_in_which_nothing_happens_is_fine() {
    let (activity, strain) = between(&[]);
    assert_eq!(worst(&activity), Severity::Fine, "{activity:#?}");
    assert_eq!(worst(&strain), Severity::Fine, "{strain:#?}");
}

#[test]
fn a_busy_process_is_named_with_its_share() {
    let busy = stat(700, "burn (1)", 1, 95, 1);
    let (found, _) = between(&[
        ("proc/700/stat", &busy),
        (
            "proc/stat",
            "cpu  195 0 100 2105 0 0 0 0 0 0\ncpu0 50 0 50 1100 0 0 0 0 0 0\ncpu1 145 0 50 1005 0 0 0 0 0 0\n",
        ),
    ]);
    let finding = of(&found, "processes");
    assert_eq!(finding.severity, Severity::Alarm);
    assert!(
        finding.found.contains("burn (1) (pid 700) 95 %"),
        "{finding:?}"
    );
    let finding = of(&found, "load");
    assert_eq!(finding.severity, Severity::Alarm);
    assert!(finding.found.contains("CPU 1 was 95 % busy"), "{finding:?}");
}

#[test]
fn a_busy_process_elsewhere_is_a_warning_and_ones_own_is_none() {
    let elsewhere = stat(700, "burn", 1, 95, 7);
    let (found, _) = between(&[("proc/700/stat", &elsewhere)]);
    assert_eq!(of(&found, "processes").severity, Severity::Warning);
    let own = stat(700, "spin", 50, 95, 1);
    let (found, _) = between(&[("proc/700/stat", &own)]);
    assert_eq!(of(&found, "processes").severity, Severity::Fine);
}

#[test]
fn what_went_on_in_the_background_is_found() {
    let cron = stat(20, "cron", 1, 0, 0);
    let apt = stat(21, "apt-get", 1, 0, 0);
    let (found, _) = between(&[
        ("proc/20/stat", &cron),
        ("proc/21/stat", &apt),
        ("proc/vmstat", "pswpin 17\npswpout 4\n"),
        ("proc/interrupts", "    CPU0 CPU1\n 24: 9000 10 x\n"),
    ]);
    assert_eq!(of(&found, "timers").severity, Severity::Note);
    assert_eq!(of(&found, "background").severity, Severity::Warning);
    let swapping = of(&found, "swapping");
    assert_eq!(swapping.severity, Severity::Alarm);
    assert!(swapping.found.contains("17 pages"), "{swapping:?}");
    assert_eq!(of(&found, "interrupt-rate").severity, Severity::Warning);
}

#[test]
fn what_held_the_machine_back_is_found() {
    let (_, found) = between(&[
        (
            "proc/stat",
            "cpu0 50 0 50 1085 0 0 0 15 0 0\ncpu1 50 0 50 1100 0 0 0 0 0 0\n",
        ),
        (
            "sys/fs/cgroup/lab/cpu.stat",
            "usage_usec 5\nnr_throttled 3\n",
        ),
        (
            "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
            "9\n",
        ),
    ]);
    let steal = of(&found, "steal");
    assert_eq!(steal.severity, Severity::Alarm);
    assert!(steal.found.contains("7.5 %"), "{steal:?}");
    assert_eq!(of(&found, "cpu-throttled").severity, Severity::Alarm);
    assert_eq!(of(&found, "throttling").severity, Severity::Alarm);
    // What happened before is only worth a note.
    let root = plant(QUIET);
    write(
        root.path(),
        "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
        "9\n",
    );
    let glance = Glance::take(root.path());
    let found = strain(&glance, &glance, &[0]);
    assert_eq!(of(&found, "throttling").severity, Severity::Note);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_content_of_any_file_makes_it_panic(
        content in proptest::collection::vec(any::<u8>(), 0..200),
        cut in 0_usize..400,
    ) {
        let root = plant(QUIET);
        let quiet = Glance::take(root.path());
        let mut paths = Vec::new();
        for part in QUIET.split("== ").skip(1) {
            paths.push(part.split_once('\n').unwrap().0);
        }
        for path in paths {
            let old = fs::read(root.path().join(path)).unwrap();
            let mut new = old[..cut.min(old.len())].to_vec();
            new.extend(&content);
            fs::write(root.path().join(path), new).unwrap();
        }
        settings(root.path(), &[0, 1, u32::MAX]);
        let broken = Glance::take(root.path());
        activity(&quiet, &broken, &[0, 1], 1);
        activity(&broken, &quiet, &[0, 1], 1);
        strain(&quiet, &broken, &[0, 1]);
        strain(&broken, &quiet, &[0, 1]);
    }
}
