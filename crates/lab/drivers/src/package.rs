//! Which package a program is in.

/// Packages that are called as their program is.
const SAME: [&str; 17] = [
    "clang",
    "cmake",
    "fio",
    "gcc",
    "gdb",
    "git",
    "iperf3",
    "make",
    "memcached",
    "nginx",
    "numactl",
    "python3",
    "redis-server",
    "sysbench",
    "tcpbench",
    "time",
    "wrk",
];

/// Debian's package of a program that experiments often use, where it is known here.
pub fn package(program: &str) -> Option<&'static str> {
    Some(match program {
        "cc" => "gcc",
        "c++" | "g++" => "g++",
        "fs_mark" => "fsmark",
        "ld" | "objcopy" | "readelf" => "binutils",
        "perf" => "linux-perf",
        "pgbench" | "postgres" => "postgresql",
        "redis-benchmark" | "redis-cli" => "redis-tools",
        "chrt" | "taskset" | "unshare" => "util-linux",
        "ip" | "ss" | "tc" => "iproute2",
        _ => return SAME.into_iter().find(|name| *name == program),
    })
}
