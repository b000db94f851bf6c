//! A real load generator that is not pinned: the report says that it was the bottleneck exactly where
//! it was.

use perflab_testing::needs;
use serde_json::Value;

use crate::support::Laboratory;

/// The shares of one CPU that the load generator used, and what the report warns of.
fn measured(args: &str) -> (Vec<f64>, Vec<String>) {
    let server = "start = ['redis-server', '--bind', '127.0.0.1', '--port', '{port}', '--dir', \
                  '{dir}', '--save', '']\nready = { tcp = '127.0.0.1:{port}' }";
    let laboratory = Laboratory::new();
    laboratory
        .run(&format!(
            "[design]\nruns = 1\nblock = 1\nrefresh = 'restart'\n[variants.a]\n{server}\n\
             [variants.b]\n{server}\n[workloads.w]\ndriver = 'redis-benchmark'\n\
             args = ['-h', '127.0.0.1', '-p', '{{port}}', {args}]"
        ))
        .code(0);
    let number = |record: &Value, name: &str| record["usage"][name].as_f64().unwrap();
    let shares = laboratory.records().into_iter().map(|record| {
        let used = number(&record, "user_s") + number(&record, "system_s");
        used / number(&record, "wall_s")
    });
    let report = laboratory.call(&["compare", "result", "--gate", "none", "--format", "json"]);
    let report = report.code(0).json();
    let warnings = report["warnings"].as_array().unwrap().iter();
    let text = |warning: &Value| warning.as_str().unwrap().to_owned();
    (shares.collect(), warnings.map(text).collect())
}

#[test]
fn redis_benchmark_has_one_thread() {
    needs("redis-server", "redis-server");
    needs("redis-benchmark", "redis-tools");
    // A reply costs the client more than the server; but one client alone waits for each.
    for args in [
        "'-t', 'get', '-n', '100000', '-c', '50'",
        "'-t', 'set', '-n', '5000', '-c', '1'",
    ] {
        let (shares, warnings) = measured(args);
        println!("{args}: {shares:?}");
        assert_eq!(shares.len(), 2);
        let expected = shares.iter().filter(|share| **share >= 0.95).count();
        let bottleneck = |warning: &&String| warning.contains("of its 1 thread against");
        let said = warnings.iter().filter(bottleneck).count();
        let one_cpu = warnings
            .iter()
            .any(|warning| warning.contains("the machine's 1 CPU"));
        assert!(said == expected || one_cpu, "{shares:?} {warnings:#?}");
        assert!(!args.contains("'-c', '1'") || said == 0, "{shares:?}");
    }
}
