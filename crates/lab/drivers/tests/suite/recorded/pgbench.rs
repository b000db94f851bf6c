//! The driver of pgbench on recorded outputs of the real tool.

use super::common::{Recorded, value};
use perflab_drivers::{Driver, Pgbench};

fn recorded() -> Recorded {
    Recorded::new(&Pgbench, "15.20")
}

#[test]
fn every_value_is_the_one_that_the_tool_printed() {
    for (file, printed) in [
        (
            "plain.txt",
            &[
                ("tps", 3993.729844),
                ("latency_avg", 0.501),
                ("failed", 0.0),
                ("connection_initial", 12.556),
            ][..],
        ),
        (
            "rate.txt",
            &[
                ("tps", 506.657193),
                ("latency_avg", 0.487),
                ("latency_stddev", 0.966),
                ("schedule_lag_avg", 0.329),
                ("schedule_lag_max", 8.321),
                ("failed", 0.0),
                ("connection_initial", 8.661),
            ],
        ),
        (
            "rate-limit.txt",
            &[
                ("tps", 18102.345459),
                ("latency_avg", 0.212),
                ("latency_stddev", 0.300),
                ("schedule_lag_avg", 0.140),
                ("schedule_lag_max", 5.837),
                ("skipped", 8.757),
                ("above_limit", 1.198),
                ("failed", 0.0),
                ("connection_initial", 15.588),
            ],
        ),
        (
            "limit.txt",
            &[
                ("tps", 34551.030785),
                ("latency_avg", 0.029),
                ("latency_stddev", 0.076),
                ("above_limit", 1.069),
                ("failed", 0.0),
                ("connection_initial", 4.919),
            ],
        ),
        (
            "progress.txt",
            &[
                ("tps", 31368.284426),
                ("latency_avg", 0.032),
                ("latency_stddev", 0.081),
                ("failed", 0.0),
                ("connection_initial", 6.395),
            ],
        ),
        (
            "connect.txt",
            &[
                ("tps_with_connections", 163.779775),
                ("latency_avg", 6.106),
                ("failed", 0.0),
                ("connection_avg", 4.777),
            ],
        ),
        (
            "serial.txt",
            &[
                ("tps", 4028.167333),
                ("latency_avg", 0.670),
                ("failed", 32.5),
                ("connection_initial", 11.161),
            ],
        ),
        (
            "serial-detail.txt",
            &[
                ("tps", 4832.792437),
                ("latency_avg", 0.567),
                ("failed", 31.5),
                ("connection_initial", 12.756),
            ],
        ),
    ] {
        recorded().yields(file, printed);
    }
}

#[test]
fn retries_are_counted_and_statements_have_a_metric_of_their_own() {
    let samples = recorded().read("serial-retry.txt", 0).unwrap();
    assert_eq!(value(&samples, None, "retried"), 45.5);
    assert_eq!(value(&samples, None, "retries"), 205.0);
    assert_eq!(
        value(
            &samples,
            Some("2: update pgbench_branches set bbalance=bbalance+1 where bid=1;"),
            "statement_latency"
        ),
        0.119
    );
    let samples = recorded().read("statements.txt", 0).unwrap();
    let statements: Vec<_> = samples
        .iter()
        .filter(|s| s.metric.name == "statement_latency")
        .map(|s| (s.benchmark.as_deref().unwrap(), s.value))
        .collect();
    // Seven statements behind four commands of pgbench itself.
    assert_eq!(statements.len(), 7);
    assert_eq!(statements[0], ("5: BEGIN;", 0.049));
    assert_eq!(statements[6], ("11: END;", 0.021));
}

#[test]
fn each_script_is_a_part() {
    let samples = recorded().read("two.txt", 0).unwrap();
    assert_eq!(samples[0].metric.name, "tps");
    assert_eq!(value(&samples, None, "tps"), 18700.327256);
    let (first, second) = (
        Some("1: <builtin: select only>"),
        Some("2: <builtin: simple update>"),
    );
    assert_eq!(value(&samples, first, "tps"), 17110.799439);
    assert_eq!(value(&samples, first, "latency_avg"), 0.042);
    assert_eq!(value(&samples, second, "tps"), 1589.527817);
    assert_eq!(value(&samples, second, "latency_stddev"), 0.084);
    assert_eq!(
        value(&samples, Some("2.9: END;"), "statement_latency"),
        0.025
    );
}

/// As 18 prints no rate of a script in the line of its share.
#[test]
fn the_rate_of_a_script_may_stand_in_a_line_of_its_own() {
    let text = recorded().text("two.txt").replace(
        " - 183 transactions (91.5% of total, tps = 17110.799439)\n",
        " - 183 transactions (91.5% of total)\n \
         - number of transactions actually processed: 183 (tps = 17110.799439)\n",
    );
    let samples = recorded().read_bytes(text.as_bytes(), b"", 0).unwrap();
    assert_eq!(
        samples,
        recorded().read("two.txt", 0).unwrap(),
        "the same samples"
    );
}

/// Before 14 there were two rates, and no banner.
#[test]
fn old_versions_print_the_rate_twice() {
    let text = "transaction type: <builtin: select only>\nscaling factor: 1\nquery mode: simple\n\
                number of clients: 1\nnumber of threads: 1\n\
                number of transactions per client: 10\n\
                number of transactions actually processed: 10/10\n\
                latency average = 0.250 ms\n\
                tps = 3000.5 (including connections establishing)\n\
                tps = 4000.5 (excluding connections establishing)\n";
    let samples = recorded().read_bytes(text.as_bytes(), b"", 0).unwrap();
    assert_eq!(samples[0].metric.name, "tps");
    assert_eq!(value(&samples, None, "tps"), 4000.5);
    assert_eq!(value(&samples, None, "tps_with_connections"), 3000.5);
}

#[test]
fn failures_say_what_the_tool_said() {
    for (file, code, words) in [
        ("broken.txt", 2, "division by zero"),
        ("broken.txt", 0, "division by zero"),
        ("some-broken.txt", 2, "division by zero"),
        (
            "some-broken.txt",
            0,
            "stderr, line 1: expected no error message",
        ),
        ("no-table.txt", 1, "could not count number of branches"),
        ("zero.txt", 0, "a line `tps = ...`"),
    ] {
        let error = recorded().read(file, code).expect_err(file).to_string();
        assert!(error.contains(words), "{file}: {error}");
    }
    for (file, words) in [
        ("no-server.stderr", "Connection refused"),
        ("bad-option.stderr", "--nonsense"),
    ] {
        let stderr = recorded().bytes(file);
        let error = recorded().read_bytes(b"", &stderr, 1).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn a_value_that_cannot_be_is_refused() {
    let text = recorded().text("rate.txt");
    for (from, to, words) in [
        ("tps = 506.657193", "tps = 0.000000", "`tps` above 0"),
        ("tps = 506.657193", "tps = inf", "not finite"),
        ("= 0.487 ms", "= -nan ms", "`latency_avg` to be a number"),
        ("= 0.966 ms", "= -0.1 ms", "`latency_stddev` of at least 0"),
        ("(max 8.321) ms", "(max 8.3", "a whole line"),
        (
            "latency stddev = 0.966 ms",
            "latency average = 1 ms",
            "once",
        ),
        ("(without initial", "(with initial", "a whole line"),
    ] {
        recorded().refuses(&text, &text.replacen(from, to, 1), words);
    }
}

#[test]
fn a_cut_output_yields_whole_lines_or_an_error() {
    for file in ["rate-limit.txt", "two.txt", "serial-retry.txt"] {
        assert!(recorded().cut(file) > 0, "{file}");
    }
    // Without scripts the last line is the rate.
    let whole = recorded().text("plain.txt");
    for end in 0..whole.len() {
        let part = &whole.as_bytes()[..end];
        assert!(recorded().read_bytes(part, b"", 0).is_err(), "{end}");
    }
}

/// The lie that the cautions state: clients over rate, and nothing measured.
#[test]
fn without_options_the_average_follows_from_the_rate() {
    for (file, clients) in [
        ("plain.txt", 2.0),
        ("select.txt", 2.0),
        ("statements.txt", 1.0),
    ] {
        let samples = recorded().read(file, 0).unwrap();
        let computed = 1000.0 * clients / value(&samples, None, "tps");
        let printed = value(&samples, None, "latency_avg");
        assert!((computed - printed).abs() <= 0.000501, "{file}: {computed}");
    }
    assert!(
        Pgbench
            .cautions(&["-S".to_owned()])
            .iter()
            .any(|caution| caution.contains("divided by the rate"))
    );
}
