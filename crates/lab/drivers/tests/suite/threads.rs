//! How many threads make the load, as the tools' own defaults and options have it.

use perflab_drivers::{by_name, tool};

#[test]
fn threads_follow_from_the_arguments() {
    for (name, line, threads) in [
        ("redis-benchmark", "-t get", Some(1)),
        ("redis-benchmark", "--threads 0", Some(1)),
        ("redis-benchmark", "--threads 4 -t get", Some(4)),
        ("redis-benchmark", "--cluster", None),
        ("wrk", "http://a/", Some(2)),
        ("wrk", "-t8 -c 100 http://a/", Some(8)),
        ("memtier_benchmark", "", Some(4)),
        ("memtier_benchmark", "--threads=1", Some(1)),
        ("pgbench", "-S", Some(1)),
        ("pgbench", "-j 4 -c 8", Some(4)),
        ("pgbench", "-j 4", Some(1)),
        ("sysbench", "cpu run", Some(1)),
        ("sysbench", "--threads=3 cpu run", Some(3)),
        ("sysbench", "--num-threads=2 cpu run", Some(2)),
        ("sysbench", "--threads=x cpu run", None),
        ("iperf3", "-c h", Some(1)),
        ("iperf3", "-c h -P 4", None),
        ("iperf3", "-c h --bidir", None),
        ("tcpbench", "-t 5 h", Some(1)),
        ("fio", "--name=a --rw=read", Some(1)),
        ("fio", "--name=a --numjobs=4 --name b", Some(5)),
        ("fio", "--numjobs 3 --name=a --name=b", Some(6)),
        ("fio", "--name=global --numjobs=2 --name=a", Some(2)),
        ("fio", "--name=a --numjobs=4294967295 --name=b", None),
        ("fio", "--name=a --numjobs=many", None),
        ("fio", "job.fio", None),
        ("fio", "", None),
        ("time", "true", None),
    ] {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        assert_eq!(tool(name).unwrap().threads(&args), threads, "{name} {line}");
    }
    let command = by_name("command", vec![]).unwrap();
    assert_eq!(command.threads(&[]), None);
}
