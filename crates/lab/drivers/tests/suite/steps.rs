//! In which steps values lie, as far as the tools' sources say so.

use perflab_drivers::{by_name, tool};

#[test]
fn steps_follow_from_the_tool_the_value_and_the_arguments() {
    for (name, line, metric, value, step) in [
        // 1000 requests in 20 ms.
        ("redis-benchmark", "-n 1000", "rps", 50_000.0, Some(2500.0)),
        ("redis-benchmark", "", "rps", 50_000.0, Some(25.0)),
        ("redis-benchmark", "", "latency_p99", 0.391, Some(0.008)),
        ("redis-benchmark", "", "latency_p99", 20.0, Some(0.016)),
        ("redis-benchmark", "", "latency_avg", 0.391, None),
        ("wrk", "http://a/", "rps", 39_593.8, Some(0.01)),
        ("wrk", "http://a/", "latency_p99", 2.74, Some(0.01)),
        ("wrk", "http://a/", "latency_p99", 0.081, None),
        ("wrk", "http://a/", "latency_max", 1230.0, Some(10.0)),
        ("wrk", "http://a/", "transfer", 1e7, None),
        ("pgbench", "", "latency_avg", 0.029, Some(0.001)),
        ("pgbench", "", "tps", 34_551.030_785, None),
        ("sysbench", "cpu run", "latency_max", 0.31, Some(0.01)),
        ("sysbench", "cpu run", "latency_p95", 0.31, Some(0.01)),
        ("sysbench", "cpu run", "latency_p95", 10.0, Some(0.182)),
        ("fio", "", "clat_p99", 9.92, Some(0.128)),
        ("fio", "", "latency_p50", 0.1, Some(0.001)),
        ("fio", "", "latency_avg", 9.92, None),
        ("memtier_benchmark", "", "latency_p99.9", 20.0, Some(0.016)),
        ("memtier_benchmark", "", "latency_avg", 0.3, None),
        ("time", "true", "wall", 0.13, Some(0.01)),
        ("time", "true", "wall", 7200.0, None),
        ("time", "true", "max_rss", 4096.0, None),
        ("iperf3", "-c h", "throughput", 1e9, None),
    ] {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let found = tool(name).unwrap().step(metric, value, &args);
        let is_near = match (found, step) {
            (Some(found), Some(step)) => (found / step - 1.0_f64).abs() < 1e-9,
            (found, step) => found == step,
        };
        assert!(is_near, "{name} {line} {metric} {value}: {found:?}");
    }
    // Also through the box that a run holds.
    let boxed = by_name("time", vec![]).unwrap();
    assert_eq!(boxed.step("wall", 0.13, &[]), Some(0.01));
}
