//! Facts of recorded machines, of damaged ones, and of this one.

use std::fs;
use std::path::{Path, PathBuf};

use perflab_machine::{CpuQuota, Load, MachineFacts};
use proptest::prelude::*;

/// A recorded tree is one file: `== path` before the content of each file.
fn plant(recording: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for part in recording.split("== ").skip(1) {
        let (path, content) = part.split_once('\n').unwrap();
        write(root.path(), path, content.as_bytes());
    }
    root
}

fn write(root: &Path, path: &str, content: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn server() -> tempfile::TempDir {
    plant(include_str!("../machines/server.txt"))
}

#[test]
fn a_server_with_two_sockets() {
    let root = server();
    let seen = MachineFacts::take(root.path());
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    // printf 'perflab0123456789abcdef0123456789abcdef' | sha256sum | cut -c-16
    assert_eq!(text(&seen.machine_id), "aa960b4e86383b71");
    assert_eq!(seen.hostname, None);
    assert_eq!(
        text(&seen.cpu.name),
        "Intel(R) Xeon(R) Gold 6132 CPU @ 2.60GHz"
    );
    assert_eq!(text(&seen.cpu.vendor), "GenuineIntel");
    let version = [
        &seen.cpu.family,
        &seen.cpu.model,
        &seen.cpu.stepping,
        &seen.cpu.microcode,
    ];
    assert_eq!(version.map(text), ["6", "85", "4", "0x2007006"]);
    assert_eq!(seen.cpu.logical_cpus, Some(4));
    assert_eq!(text(&seen.cpu.online), "0-3");
    assert_eq!(
        (seen.cpu.cores, seen.cpu.sockets, seen.cpu.numa_nodes),
        (Some(2), Some(2), Some(2)),
        "cores of two sockets share a number"
    );
    assert_eq!(seen.cpu.smt_active, Some(true));
    assert_eq!(text(&seen.frequency.driver), "intel_pstate");
    assert_eq!(
        text(&seen.frequency.governor),
        "powersave (0,2-3), performance (1)"
    );
    assert_eq!(
        text(&seen.frequency.energy_preference),
        "balance_performance"
    );
    assert_eq!(seen.frequency.turbo, Some(false), "no_turbo is 1");
    assert_eq!(
        (seen.frequency.base_mhz, seen.frequency.max_mhz),
        (Some(2600), Some(3700))
    );
    assert_eq!(
        text(&seen.frequency.limits_mhz),
        "1000-3700 (0-2), 1000-2600 (3)"
    );
    assert_eq!(text(&seen.kernel.release), "6.1.0-28-amd64");
    assert_eq!(
        text(&seen.kernel.version),
        "#1 SMP PREEMPT_DYNAMIC Debian 6.1.119-1 (2024-11-22)"
    );
    assert_eq!(seen.kernel.aslr, Some(2));
    assert_eq!(seen.kernel.perf_event_paranoid, Some(-1));
    let mitigations = seen.kernel.mitigations.clone().unwrap();
    assert_eq!(mitigations["meltdown"], "Mitigation: PTI");
    assert_eq!(mitigations.len(), 3);
    assert_eq!(seen.memory.total_bytes, Some(97_563_372 * 1024));
    assert_eq!(seen.memory.swap_used_bytes, Some(1024 * 1024));
    assert_eq!(text(&seen.memory.transparent_huge_pages), "madvise");
    assert_eq!(text(&seen.clock.source), "tsc");
    assert_eq!(
        seen.clock.available.as_deref().unwrap(),
        ["tsc", "hpet", "acpi_pm"]
    );
    assert_eq!(seen.confinement.virtual_machine, Some(false));
    assert_eq!(seen.confinement.cpu_quota, Some(CpuQuota::Cpus(2.0)));
    assert_eq!(text(&seen.confinement.allowed_cpus), "0-1,3");
    assert_eq!(seen.confinement.isolated_cpus.as_deref(), Some("3"));
    assert_eq!(
        seen.confinement.tickless_cpus.as_deref(),
        Some(""),
        "(null) means none"
    );
    assert_eq!(seen.moment.load15, Some(0.21));
    assert_eq!(seen.moment.steal_ticks, Some(0));
    assert_eq!(seen.moment.uptime_s, Some(350_735.47));
    assert_eq!(
        text(&seen.moment.boot_id),
        "6fd5a44f-7d62-4a35-b8f4-b0e0fcd1b5e9"
    );
}

#[test]
fn an_arm_board() {
    let root = plant(include_str!("../machines/arm.txt"));
    let seen = MachineFacts::take(root.path());
    let cpu = &seen.cpu;
    assert_eq!(cpu.name, None);
    assert_eq!(cpu.vendor.as_deref(), Some("0x41"));
    assert_eq!(cpu.family.as_deref(), Some("8"));
    assert_eq!(cpu.model.as_deref(), Some("0xd0c"));
    assert_eq!(cpu.stepping.as_deref(), Some("r3p1"));
    assert_eq!(
        cpu.logical_cpus,
        Some(2),
        "counted, as there is no list of CPUs"
    );
    assert_eq!(seen.frequency.governor.as_deref(), Some("schedutil"));
    assert_eq!(seen.frequency.turbo, Some(true));
    assert_eq!(seen.frequency.base_mhz, Some(3000));
    assert_eq!(seen.confinement.virtual_machine, None);
    assert_eq!(seen.clock.source.as_deref(), Some("arch_sys_counter"));
}

#[test]
fn counters_before_and_after_a_run() {
    let root = server();
    let before = Load::take(root.path());
    assert_eq!(before.load1, Some(0.08));
    assert_eq!(before.context_switches, Some(1_990_473));
    assert_eq!(
        before.total_ticks,
        Some(10_132_153 + 290_696 + 3_084_719 + 46_828_483 + 16_683 + 25_195)
    );
    assert_eq!(
        before.busy_ticks,
        Some(10_132_153 + 290_696 + 3_084_719 + 25_195)
    );
}

#[test]
fn an_empty_root_gives_no_facts() {
    let root = tempfile::tempdir().unwrap();
    let seen = MachineFacts::take(root.path());
    assert_eq!(seen.schema, 1);
    let json = serde_json::to_value(&seen).unwrap();
    let empty = |value: &serde_json::Value| {
        value.is_null()
            || value
                .as_object()
                .is_some_and(|all| all.values().all(serde_json::Value::is_null))
    };
    for (name, value) in json.as_object().unwrap() {
        assert!(name == "schema" || empty(value), "{name}: {value}");
    }
    assert_eq!(seen.differences(&seen), []);
    assert_eq!(MachineFacts::take(Path::new("/nonexistent")), seen);
}

#[test]
fn this_machine_is_like_itself() {
    let one = MachineFacts::take(Path::new("/"));
    assert!(one.kernel.release.is_some());
    assert!(one.cpu.logical_cpus.is_some());
    let stored = serde_json::to_string(&one).unwrap();
    let two: MachineFacts = serde_json::from_str(&stored).unwrap();
    assert_eq!(one, two);
    assert_eq!(MachineFacts::take(Path::new("/")).differences(&two), []);
}

#[test]
fn fields_of_later_versions_and_missing_ones_are_no_obstacle() {
    let read: MachineFacts =
        serde_json::from_str(r#"{"schema":1,"cpu":{"cores":4,"colour":"red"},"new":{}}"#).unwrap();
    assert_eq!(read.cpu.cores, Some(4));
}

/// What differs after a change to the recorded server.
fn changed(path: &str, content: &str) -> Vec<String> {
    let (one, two) = (server(), server());
    write(two.path(), path, content.as_bytes());
    let (one, two) = (
        MachineFacts::take(one.path()),
        MachineFacts::take(two.path()),
    );
    let mirrored: Vec<_> = two
        .differences(&one)
        .into_iter()
        .map(|d| (d.what, d.right, d.left))
        .collect();
    let found = one.differences(&two);
    assert_eq!(
        found
            .iter()
            .map(|d| (d.what.clone(), d.left.clone(), d.right.clone()))
            .collect::<Vec<_>>(),
        mirrored
    );
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn settings_that_must_agree() {
    let cpu = "sys/devices/system/cpu";
    let cases = [
        (format!("{cpu}/smt/active"), "0\n", "SMT: on against off"),
        (
            format!("{cpu}/intel_pstate/no_turbo"),
            "0\n",
            "turbo: off against on",
        ),
        (
            format!("{cpu}/cpu1/cpufreq/scaling_governor"),
            "powersave\n",
            "governor: powersave (0,2-3), performance (1) against powersave",
        ),
        (
            format!("{cpu}/vulnerabilities/meltdown"),
            "Vulnerable\n",
            "mitigation of meltdown: Mitigation: PTI against Vulnerable",
        ),
        (
            format!("{cpu}/vulnerabilities/new"),
            "Vulnerable\n",
            "mitigation of new: not known against Vulnerable",
        ),
        (
            format!("{cpu}/isolated"),
            "\n",
            "isolated CPUs: 3 against none",
        ),
        (
            "sys/devices/system/clocksource/clocksource0/current_clocksource".into(),
            "hpet\n",
            "clock source: tsc against hpet",
        ),
        (
            "proc/sys/kernel/randomize_va_space".into(),
            "0\n",
            "address space randomisation: 2 against 0",
        ),
        (
            "sys/kernel/mm/transparent_hugepage/enabled".into(),
            "[always] madvise never\n",
            "transparent huge pages: madvise against always",
        ),
        (
            "proc/sys/kernel/osrelease".into(),
            "6.1.0-29-amd64\n",
            "kernel release: 6.1.0-28-amd64 against 6.1.0-29-amd64",
        ),
        (
            "sys/fs/cgroup/measuring/cpu.max".into(),
            "max 100000\n",
            "CPU quota: 2 CPUs against unlimited",
        ),
        (
            "etc/machine-id".into(),
            "uninitialized\n",
            "machine: aa960b4e86383b71 against not known",
        ),
    ];
    for (path, content, expected) in cases {
        assert_eq!(changed(&path, content), [expected], "{path}");
    }
}

#[test]
fn what_may_change_between_runs_is_no_difference() {
    for (path, content) in [
        ("proc/loadavg", "9.00 8.00 7.00 3/200 12345\n"),
        ("proc/uptime", "5.00 6.00\n"),
        ("proc/sys/kernel/random/boot_id", "another\n"),
        ("proc/stat", "cpu 1 2 3 4 5 6 7 8 0 0\nctxt 9\n"),
        ("proc/sys/kernel/perf_event_paranoid", "3\n"),
        (
            "proc/cmdline",
            "BOOT_IMAGE=/other root=/dev/sdb1 ro quiet isolcpus=3\n",
        ),
        ("proc/sys/kernel/hostname", "other\n"),
    ] {
        assert_eq!(changed(path, content), [] as [String; 0], "{path}");
    }
}

#[test]
fn a_little_memory_more_or_less_is_the_same_memory() {
    let meminfo =
        |kib: u64| format!("MemTotal: {kib} kB\nSwapTotal: 999420 kB\nSwapFree: 998396 kB\n");
    assert_eq!(
        changed("proc/meminfo", &meminfo(97_563_372 - 900_000)),
        [] as [String; 0]
    );
    assert_eq!(
        changed("proc/meminfo", &meminfo(97_563_372 - 1_000_000)).len(),
        1
    );
}

/// Every file of the recorded server.
fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn a_directory_in_the_place_of_any_file_is_harmless() {
    let mut all = Vec::new();
    let root = server();
    files(root.path(), &mut all);
    assert!(!all.is_empty());
    for path in all {
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        MachineFacts::take(root.path());
        Load::take(root.path());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever a file says, the facts are read and can be stored and read again.
    #[test]
    fn any_content_of_any_file_is_harmless(
        choice in any::<prop::sample::Index>(),
        content in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            "[-0-9a-z:,\\[\\] \n.\t/]{0,120}".prop_map(String::into_bytes),
            "[0-9]{1,30}( [0-9]{1,30}){0,9}\n".prop_map(String::into_bytes),
        ],
    ) {
        let root = server();
        let mut all = Vec::new();
        files(root.path(), &mut all);
    assert!(!all.is_empty());
        all.sort();
        fs::write(choice.get(&all), content).unwrap();
        let seen = MachineFacts::take(root.path());
        let stored = serde_json::to_string(&seen).unwrap();
        let read: MachineFacts = serde_json::from_str(&stored).unwrap();
        prop_assert_eq!(read.differences(&seen), []);
    }
}
