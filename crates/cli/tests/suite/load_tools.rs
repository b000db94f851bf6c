//! Real load generators, run as an experiment runs them. `make tools` installs all that Debian has.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use perflab_testing::{needs, needs_found, not_checked, test_name};
use rustix::process::geteuid;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Laboratory, processes, tool, wait_until};

/// The record of one run of a workload.
#[track_caller]
fn passed(laboratory: &Laboratory, workload: &str) -> Value {
    laboratory
        .run(&format!(
            "[design]\nruns = 1\nblock = 1\n[variants.a]\n[workloads.w]\n{workload}"
        ))
        .code(0);
    laboratory.assert_complete(1);
    laboratory.record()
}

#[track_caller]
fn value(record: &Value, benchmark: Option<&str>, metric: &str) -> f64 {
    let found: Vec<_> = record["samples"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|sample| sample["benchmark"].as_str() == benchmark && sample["name"] == metric)
        .collect();
    assert_eq!(found.len(), 1, "{benchmark:?} {metric} in {record:#}");
    found[0]["value"].as_f64().unwrap()
}

#[test]
fn fio() {
    needs("fio", "fio");
    let laboratory = Laboratory::new();
    let record = passed(
        &laboratory,
        "driver = 'fio'\nargs = ['--name=a', '--filename=data', '--size=1m', '--bs=4k', \
         '--rw=randrw', '--ioengine=psync', '--rate_iops=200', '--time_based', '--runtime=1']",
    );
    for benchmark in ["read", "write"] {
        let iops = value(&record, Some(benchmark), "iops");
        // Held to its limit; a busy disk may do less.
        assert!((1.0..300.0).contains(&iops), "{benchmark}: {iops}");
        let bandwidth = value(&record, Some(benchmark), "bandwidth");
        assert!((bandwidth / iops / 4096.0 - 1.0).abs() < 0.01);
        let median = value(&record, Some(benchmark), "clat_p50");
        assert!(median < value(&record, Some(benchmark), "latency_max"));
    }
}

#[test]
fn a_tool_that_would_not_end_is_not_started() {
    let laboratory = Laboratory::new();
    laboratory
        .run(
            "[design]\nruns = 1\nblock = 1\n[variants.a]\n[workloads.w]\n\
             driver = 'fio'\nargs = ['--server']",
        )
        .code(2)
        .says(&["[workloads.w] args: fio:", "wait for clients without end"]);
    assert!(!laboratory.path("result").exists());
}

#[test]
fn sysbench() {
    needs("sysbench", "sysbench");
    let laboratory = Laboratory::new();
    for (args, rates) in [
        ("'cpu', '--time=1', '--rate=50', 'run'", 1.0..70.0),
        ("'memory', '--memory-total-size=16M', 'run'", 1e3..1e10),
        ("'threads', '--events=20', 'run'", 1.0..1e6),
    ] {
        let laboratory = Laboratory::new();
        let workload = format!("driver = 'sysbench'\nargs = [{args}]");
        let record = passed(&laboratory, &workload);
        let rate = value(&record, None, "events");
        assert!(rates.contains(&rate), "{args}: {rate}");
        // The longest is rounded to steps of 0.01 ms.
        let longest = value(&record, None, "latency_max") + 0.005;
        assert!(value(&record, None, "latency_avg") <= longest);
    }
    let record = passed(
        &laboratory,
        "driver = 'sysbench'\nprepare = ['sysbench', 'fileio', '--file-total-size=1M', \
         '--file-num=2', 'prepare']\ndirectory = '.'\nargs = ['fileio', '--file-total-size=1M', \
         '--file-num=2', '--file-test-mode=rndrd', '--events=100', 'run']",
    );
    assert!(value(&record, None, "reads") > 0.0);
}

/// A PostgreSQL of this test's own, gone when the test ends.
struct Postgres {
    server: Child,
    home: TempDir,
    port: u16,
}

impl Postgres {
    fn start() -> Self {
        needs("pgbench", "postgresql");
        let programs = needs_found("a PostgreSQL server", newest_server(), "postgresql");
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("data");
        let data = data.to_str().unwrap();
        // It refuses to run as root.
        let command = |program: &str| {
            if !geteuid().is_root() {
                return Command::new(programs.join(program));
            }
            let mut command = Command::new("setpriv");
            command
                .args(["--reuid=postgres", "--regid=postgres", "--clear-groups"])
                .arg(programs.join(program));
            command
        };
        if geteuid().is_root() {
            tool(
                &["chown", "postgres:postgres", home.path().to_str().unwrap()],
                Path::new("/"),
            );
        }
        let made = command("initdb")
            .args(["-D", data, "-A", "trust", "-U", "tester", "--no-sync"])
            .current_dir("/")
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let server = command("postgres")
            .args(["-D", data, "-p", &port.to_string(), "-F"])
            .args(["-c", "listen_addresses=127.0.0.1"])
            .args(["-c", "unix_socket_directories="])
            .current_dir("/")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let postgres = Self { server, home, port };
        wait_until("PostgreSQL", || {
            postgres.pgbench(&["-i", "-I", "dtg", "-q"]).success()
        });
        postgres
    }

    fn address(&self) -> [String; 5] {
        let port = self.port.to_string();
        ["-h", "127.0.0.1", "-Utester", "-p", &port].map(str::to_owned)
    }

    fn pgbench(&self, args: &[&str]) -> ExitStatus {
        Command::new("pgbench")
            .args(self.address())
            .args(args)
            .arg("postgres")
            .output()
            .unwrap()
            .status
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        // Its other processes end by themselves once they see that.
        let data = self.home.path().join("data");
        wait_until("the end of PostgreSQL", || {
            processes(data.to_str().unwrap()).is_empty() && fs::remove_dir_all(&data).is_ok()
        });
    }
}

/// Where Debian keeps the programs of a server, which are not in the path: those of the newest one.
fn newest_server() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    versions
        .map(|entry| entry.unwrap().path().join("bin"))
        .filter(|path| path.join("postgres").exists())
        .max()
}

#[test]
fn pgbench() {
    let postgres = Postgres::start();
    let laboratory = Laboratory::new();
    let address = postgres.address().join("', '");
    let record = passed(
        &laboratory,
        &format!(
            "driver = 'pgbench'\nargs = ['{address}', '-n', '-S', '-T', '1', '-R', '100', \
             '-L', '20000', 'postgres']"
        ),
    );
    let rate = value(&record, None, "tps");
    assert!((5.0..150.0).contains(&rate), "{rate}");
    // What a latency counts from: the lag is part of it.
    let lag = value(&record, None, "schedule_lag_avg");
    assert!(value(&record, None, "latency_avg") > lag);
    assert_eq!(value(&record, None, "skipped"), 0.0);

    let laboratory = Laboratory::new();
    let record = passed(
        &laboratory,
        &format!(
            "driver = 'pgbench'\nargs = ['{address}', '-n', '-r', '-t', '20', '-b', \
             'select-only', '-b', 'simple-update', 'postgres']"
        ),
    );
    assert!(value(&record, None, "tps") > 0.0);
    let statements = record["samples"].as_array().unwrap().iter();
    let statements = statements.filter(|sample| sample["name"] == "statement_latency");
    assert_eq!(statements.count(), 6);
}

/// Debian has no package of it: it is used where it is in the path.
#[test]
fn memtier_benchmark() {
    if Command::new("memtier_benchmark")
        .arg("--version")
        .output()
        .is_err()
    {
        not_checked(
            &test_name(),
            "memtier_benchmark is not in the path, and Debian has no package of it",
        );
        return;
    }
    needs("redis-server", "redis-server");
    let laboratory = Laboratory::new();
    laboratory
        .run(
            "[design]\nruns = 1\nblock = 1\n[variants.a]\n\
             start = ['redis-server', '--bind', '127.0.0.1', '--port', '{port}', '--save', '']\n\
             ready = { tcp = '127.0.0.1:{port}' }\n[workloads.w]\ndriver = 'memtier_benchmark'\n\
             args = ['-s', '127.0.0.1', '-p', '{port}', '-t', '1', '-c', '2', '-n', '500']",
        )
        .code(0);
    laboratory.assert_complete(1);
    let record = laboratory.record();
    for benchmark in ["Totals", "Sets", "Gets"] {
        assert!(value(&record, Some(benchmark), "ops") > 0.0);
        assert!(value(&record, Some(benchmark), "latency_avg") > 0.0);
        assert!(value(&record, Some(benchmark), "latency_p99.9") > 0.0);
    }
}
