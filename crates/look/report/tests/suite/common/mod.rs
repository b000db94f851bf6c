//! Reports made by hand.

use indexmap::IndexMap;
use perflab_compare::{
    Answer, Comparison, Design, Latency, MainMode, Row, RowWarning, Side, Slow, SubjectKey, Verdict,
};
use perflab_experiment::{Better, Metric};
use perflab_stats::steps::Rounding;

pub fn metric(name: &str, unit: &str, better: Better) -> Metric {
    Metric {
        name: name.to_owned(),
        unit: unit.to_owned(),
        better,
    }
}

pub fn rps() -> Metric {
    metric("rps", "1/s", Better::Higher)
}

pub fn wall() -> Metric {
    metric("wall", "s", Better::Lower)
}

/// Thirty values around a centre, evenly over 2 %.
pub fn side(centre: f64) -> Side {
    let values: Vec<f64> = (0..30)
        .map(|i| centre * (0.99 + 0.02 * f64::from(i * 7 % 30) / 29.0))
        .collect();
    Side {
        n: 30,
        min: centre * 0.99,
        median: centre,
        mean: centre,
        max: centre * 1.01,
        sd: Some(centre * 0.006),
        mean_low: Some(centre * 0.997_76),
        mean_high: Some(centre * 1.002_24),
        values,
    }
}

pub fn answer(difference: f64, half_width: f64, verdict: Verdict) -> Answer {
    let p = if verdict == Verdict::NotProven {
        0.41
    } else {
        0.000_2
    };
    Answer {
        difference,
        low: Some(difference - half_width),
        high: Some(difference + half_width),
        p,
        p_adjusted: Some(if p < 0.05 { 0.008 } else { 1.0 }),
        same: None,
        verdict,
    }
}

/// A row with the same verdict on the typical run and on the mean.
pub fn row(benchmark: &str, variant: &str, base: f64, difference: f64, verdict: Verdict) -> Row {
    let metric = rps();
    Row {
        key: SubjectKey {
            workload: "redis-benchmark".to_owned(),
            parameters: IndexMap::new(),
            benchmark: Some(benchmark.to_owned()),
            metric,
            observed: false,
        },
        variant: variant.to_owned(),
        base: side(base),
        candidate: side(base * (1.0 + difference)),
        relative: true,
        typical: answer(difference, 0.006, verdict),
        mean: answer(difference * 0.99, 0.008, verdict),
        slow: None,
        mde: Some(0.008),
        deciles: Vec::new(),
        levels: Vec::new(),
        limits: None,
        drift: None,
        latencies: Vec::new(),
        is_cause_unknown: false,
        grids: [None; 2],
        rounding: Rounding::default(),
        warnings: Vec::new(),
    }
}

pub fn with_metric(mut row: Row, metric: Metric) -> Row {
    row.key.benchmark = None;
    row.key.metric = metric;
    row
}

pub fn pooled(variant: &str, difference: f64, verdict: Verdict) -> Row {
    Row {
        typical: answer(difference, 0.003, verdict),
        mean: answer(difference, 0.004, verdict),
        mde: Some(0.003),
        ..row("all 3", variant, 1.0, difference, verdict)
    }
}

pub fn report(name: &str, rows: Vec<Row>, pooled: Vec<Row>) -> Comparison {
    let tests = 2 * (rows.len() + pooled.len());
    Comparison {
        name: name.to_owned(),
        question: None,
        baseline: "redis".to_owned(),
        control: None,
        confidence: 0.95,
        margin: None,
        design: Design {
            blocks: 10,
            planned: 90,
            recorded: 90,
            failed: IndexMap::new(),
            seed: Some(7),
            randomised: true,
            ..Design::default()
        },
        rows,
        pooled,
        tests,
        observation: Vec::new(),
        calibration: None,
        directory: None,
        warnings: Vec::new(),
    }
}

/// An append-only file slows writes, and leaves reads alone; the control finds nothing.
pub fn suite() -> Comparison {
    let aof = |benchmark, base, difference, verdict| {
        row(benchmark, "redis-aof", base, difference, verdict)
    };
    let again = |benchmark, base, difference| {
        row(
            benchmark,
            "redis-again",
            base,
            difference,
            Verdict::NotProven,
        )
    };
    let mut suite = report(
        "redis-suite",
        vec![
            aof("SET", 58_823.5, -0.129, Verdict::Worse),
            again("SET", 58_823.5, 0.001),
            aof("GET", 61_350.2, 0.001, Verdict::NotProven),
            again("GET", 61_350.2, -0.002),
            aof("LPUSH", 9_950.4, -0.047, Verdict::Worse),
            again("LPUSH", 9_950.4, 0.003),
        ],
        vec![
            pooled("redis-aof", -0.06, Verdict::Worse),
            pooled("redis-again", 0.000_4, Verdict::NotProven),
        ],
    );
    suite.question =
        Some("Does an append-only file slow Redis, and which request types?".to_owned());
    suite.control = Some("redis-again".to_owned());
    suite.rows[4].mde = Some(0.021);
    suite
}

/// A latency that is a tenth longer, in steps of 0.008 ms.
fn latency(name: &str, quantile: f64, base: f64) -> Latency {
    let change = 0.1;
    Latency {
        metric: metric(name, "ms", Better::Lower),
        quantile: Some(quantile),
        base: side(base),
        candidate: side(base * (1.0 + change)),
        relative: true,
        difference: change,
        low: Some(change - 0.001_3),
        high: Some(change + 0.02),
        step: Some(0.008),
    }
}

/// Latencies beside the rows of one variant, and beside what is pooled.
pub fn with_latencies() -> Comparison {
    let mut report = suite();
    let rows = report.rows.iter_mut().chain(&mut report.pooled);
    for row in rows.filter(|row| row.variant == "redis-aof") {
        row.latencies = vec![
            latency("latency_p50", 0.5, 0.391),
            latency("latency_p99", 0.99, 12.343),
        ];
    }
    // The interval includes 0, and one has no end.
    report.rows[2].latencies[0].low = Some(-0.12);
    report.rows[4].latencies[1].high = None;
    report
}

/// Two commands, one metric.
pub fn single() -> Comparison {
    let mut single = report(
        "bench",
        vec![with_metric(
            row("", "sort -S1M", 0.012_35, 0.031, Verdict::Worse),
            wall(),
        )],
        Vec::new(),
    );
    single.baseline = "sort".to_owned();
    single
}

/// The typical run is better, the mean worse: more runs are slow.
pub fn slow_modes() -> Comparison {
    let mut report = suite();
    let row = &mut report.rows[0];
    row.typical = answer(0.022_8, 0.004, Verdict::Better);
    row.mean = answer(-0.027, 0.024, Verdict::NotProven);
    row.mean.p = 0.03;
    row.slow = Some(Slow {
        base: 2,
        candidate: 11,
        difference: 0.3,
        low: 0.09,
        high: 0.48,
        p: 0.009,
        p_adjusted: Some(0.19),
        verdict: Verdict::NotProven,
        main: Some(MainMode {
            difference: 0.022_8,
            low: Some(0.019),
            high: Some(0.027),
        }),
    });
    row.candidate = side(60_164.7);
    row.candidate
        .values
        .iter_mut()
        .take(11)
        .for_each(|value| *value *= 0.8);
    row.base
        .values
        .iter_mut()
        .take(2)
        .for_each(|value| *value *= 0.8);
    row.warnings.push(RowWarning::SlowMode { has_mean: true });
    report
}

/// Parameters, two workloads, absolute differences.
pub fn parameters() -> Comparison {
    let mut rows = Vec::new();
    for (workload, threads, difference) in [
        ("read", "4", -0.02),
        ("read", "8", -0.11),
        ("write", "4", 0.0),
        ("write", "8", 0.004),
    ] {
        let verdict = if difference < -0.01 {
            Verdict::Better
        } else {
            Verdict::NotProven
        };
        let mut row = with_metric(row("", "memb", 0.000_8, difference, verdict), wall());
        row.key.workload = workload.to_owned();
        row.key.parameters = [("threads", threads), ("ratio", "1:10")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into();
        rows.push(row);
    }
    let mut absolute = rows[0].clone();
    absolute.key.metric = metric("faults", "", Better::Lower);
    absolute.relative = false;
    absolute.base = side(0.0);
    absolute.candidate = side(12.0);
    absolute.typical = answer(12.0, 4.5, Verdict::Worse);
    absolute.mean = answer(11.3, 5.0, Verdict::Worse);
    rows.push(absolute);
    let mut report = report("rcu", rows, Vec::new());
    report.baseline = "qsbr".to_owned();
    report.margin = Some(0.01);
    report
}
