//! Counts of `perf stat` as recorded from the real tool.

use perflab_drivers::{ReadError, counters};
use perflab_experiment::{Better, Sample};

fn fixture(name: &str) -> Vec<u8> {
    let path = format!(
        "{}/tests/fixtures/perf-stat/6.1.192/{name}.csv",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read(path).expect(name)
}

fn read(events: &[&str], text: &[u8]) -> Result<Vec<Sample>, ReadError> {
    let events: Vec<String> = events.iter().map(|event| (*event).to_owned()).collect();
    counters::read(&events, text)
}

const SOFTWARE: [&str; 4] = [
    "context-switches",
    "cpu-migrations",
    "page-faults",
    "task-clock",
];

const EXPECTED: [(&str, &str, f64); 4] = [
    ("counter_context-switches", "", 10.0),
    ("counter_cpu-migrations", "", 0.0),
    ("counter_page-faults", "", 243.0),
    ("counter_task-clock", "ms", 3.24),
];

#[test]
fn every_count_is_the_one_that_the_tool_wrote() {
    let samples = read(&SOFTWARE, &fixture("software")).unwrap();
    let seen: Vec<_> = samples
        .iter()
        .map(|s| (s.metric.name.as_str(), s.metric.unit.as_str(), s.value))
        .collect();
    assert_eq!(seen, EXPECTED);
    assert!(
        samples
            .iter()
            .all(|s| s.metric.better == Better::Lower && s.benchmark.is_none())
    );
}

#[test]
fn what_was_not_counted_is_an_error() {
    for (events, file, words) in [
        (
            &["page-faults", "cycles"][..],
            "not-supported",
            "`<not supported>`; this machine cannot count it",
        ),
        (&["context-switches"], "user-only", "in user mode only"),
        (&["page-faults"], "bad-event", "a line for the event"),
        (&["page-faults"], "software", "the event `page-faults`"),
        (&SOFTWARE[..3], "software", "one line for each event"),
        (
            &[
                "context-switches",
                "cpu-migrations",
                "page-faults",
                "task-clock",
                "dummy",
            ],
            "software",
            "a line for the event `dummy`, found none",
        ),
    ] {
        let error = read(events, &fixture(file)).expect_err(file).to_string();
        assert!(error.contains(words), "{file}: {error}");
        assert!(error.starts_with("counters, line "), "{error}");
    }
    let error = read(
        &["page-faults:u"],
        b"<not counted>,,page-faults:u,0,0.00,,\n",
    )
    .unwrap_err();
    assert!(error.to_string().contains("fewer events"), "{error}");
    // Asked for as such, user mode is what is wanted.
    read(&["context-switches:u"], &fixture("user-only")).unwrap();
}

#[test]
fn a_shared_counter_says_for_how_long_it_counted() {
    let samples = read(&["cycles"], b"# started\n\n1234,,cycles,500,25.50,,\n").unwrap();
    let seen: Vec<_> = samples
        .iter()
        .map(|s| (s.metric.name.as_str(), s.metric.unit.as_str(), s.value))
        .collect();
    assert_eq!(
        seen,
        [
            ("counter_cycles", "", 1234.0),
            ("counter_cycles_running", "%", 25.5)
        ]
    );
}

#[test]
fn a_count_that_cannot_be_is_refused() {
    for line in [
        "-1,,cycles,500,100.00,,",
        "nan,,cycles,500,100.00,,",
        "1e999,,cycles,500,100.00,,",
        ",,cycles,500,100.00,,",
        "12,,cycles,500,x,,",
        "12,,cycles,500",
        "12,,cycles",
        "12",
        "",
    ] {
        let text = format!("{line}\n");
        assert!(read(&["cycles"], text.as_bytes()).is_err(), "{line}");
    }
}

#[test]
fn a_cut_file_is_refused() {
    let whole = fixture("software");
    let all = read(&SOFTWARE, &whole).unwrap();
    assert_eq!(all.len(), 4);
    for end in 0..whole.len() {
        assert!(read(&SOFTWARE, &whole[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn the_command_stands_behind_the_events() {
    let events = ["a".to_owned(), "b".to_owned()];
    let argv = counters::argv(&events, "dir/counters".as_ref(), "dir/code".as_ref());
    let front = [
        "perf",
        "stat",
        "-x,",
        "-o",
        "dir/counters",
        "-e",
        "a,b",
        "--",
    ];
    assert_eq!(argv[..8], front);
    assert_eq!(argv[argv.len() - 1], "dir/code");
}
