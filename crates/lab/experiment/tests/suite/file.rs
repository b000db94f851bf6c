//! The experiment file as a whole: what is read, what defaults stand in, what cells come out.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as a test may"
)]

use std::time::Duration;

use perflab_experiment::{
    Better, Cell, Combine, Command, CsvColumn, Driver, EvidenceRule, Experiment, Extract, Layout,
    Lifetime, Plan, ReadyCheck, Refresh, ResolveError, Signal, StopAction, Stream, Versions,
};
use proptest::prelude::*;

const FULL: &str = include_str!("../files/full.toml");
const SEVERAL: &str = include_str!("../files/several.toml");

fn parse(text: &str) -> Experiment {
    Experiment::parse(text, "test.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn list(argv: &[&str]) -> Command {
    Command {
        argv: argv.iter().map(|&argument| argument.to_owned()).collect(),
        shell: false,
    }
}

fn ids(experiment: &Experiment) -> Vec<String> {
    experiment.cells().into_iter().map(|cell| cell.id).collect()
}

fn cell(experiment: &Experiment, id: &str) -> Cell {
    experiment
        .cells()
        .into_iter()
        .find(|cell| cell.id == id)
        .unwrap()
}

#[test]
fn every_key_is_read() {
    let full = parse(FULL);
    assert_eq!(full.name, "redis-suite");
    assert_eq!(
        full.question.as_deref(),
        Some("Does an append-only file slow Redis?")
    );
    let design = &full.design;
    assert_eq!(
        (design.runs, design.block, design.blocks(), design.seed),
        (6, 2, 3, Some(7))
    );
    assert_eq!(design.refresh, Refresh::Relink);
    assert_eq!(design.instance_lifetime(), Lifetime::Block);
    assert_eq!(design.layout(), Some(Layout::Gap));
    assert_eq!(full.baseline(), "redis");
    assert_eq!(design.control.as_deref(), Some("redis-again"));
    assert_eq!((design.margin, design.confidence), (Some(0.01), 0.99));
    assert_eq!(design.timeout, Duration::from_secs(60));
    assert_eq!(design.limit, Some(Duration::from_secs(7200)));
    assert_eq!(design.pause, Duration::from_millis(500));
    assert_eq!(
        (design.warmup, &design.metrics[..], &design.environment[..]),
        (1, &["rps".to_owned()][..], &["HOME".to_owned()][..])
    );
    assert_eq!(full.cpus.system.as_ref().unwrap().numbers(), [0]);
    assert_eq!(full.cpus.load.as_ref().unwrap().numbers(), [0, 1, 2]);
    assert_eq!(full.subsets["report"], ["GET", "SET"]);

    let redis = &full.variants["redis"];
    assert_eq!(redis.stop.action, StopAction::Signal(Signal::Int));
    assert_eq!(redis.stop.timeout, Duration::from_secs(3));
    let ready = redis.ready.as_ref().unwrap();
    assert_eq!(ready.check, ReadyCheck::Tcp("127.0.0.1:{port}".to_owned()));
    assert_eq!(ready.timeout, Duration::from_secs(10));
    assert_eq!(
        redis.version,
        Some(Versions::One(list(&["{binary}", "--version"])))
    );
    let build = redis.build.as_ref().unwrap();
    assert_eq!(build.command, Some(list(&["make", "-j2"])));
    assert_eq!(
        (build.directory.as_deref(), build.gap),
        (Some("src"), Some(64))
    );

    let aof = &full.variants["aof"];
    assert!(aof.start.as_ref().unwrap().shell);
    assert_eq!(aof.version.as_ref().unwrap().commands().len(), 2);
    assert_eq!(
        aof.version.as_ref().unwrap().commands()[1].exec_argv(),
        ["sh", "-c", "uname -a"]
    );
    assert!(
        matches!(&aof.stop.action, StopAction::Command(command) if command.argv[0] == "redis-cli")
    );
    assert_eq!(
        aof.ready.as_ref().unwrap().check,
        ReadyCheck::Line("Ready to accept".to_owned())
    );

    let read = &full.workloads["read"];
    assert_eq!(read.driver, Driver::Generic);
    assert_eq!(read.exit_codes, [0]);
    let [rate, json, number, column, values] = &read.metrics[..] else {
        panic!("five metrics")
    };
    assert_eq!(rate.extract, Extract::Regex("rate: ([0-9.]+)".to_owned()));
    assert_eq!(
        (rate.metric.name.as_str(), rate.metric.unit.as_str()),
        ("rps", "1/s")
    );
    assert_eq!(
        (rate.metric.better, rate.benchmark.as_deref()),
        (Better::Higher, Some("read"))
    );
    assert_eq!(
        (rate.stream, rate.all, rate.scale),
        (Stream::Stderr, true, 0.5)
    );
    assert_eq!(json.extract, Extract::Json("/latency/mean".to_owned()));
    assert_eq!(
        (json.stream, json.all, json.scale),
        (Stream::Stdout, false, 1.0)
    );
    assert_eq!(number.extract, Extract::Csv(CsvColumn::Number(3)));
    assert_eq!(
        column.extract,
        Extract::Csv(CsvColumn::Name("median".to_owned()))
    );
    assert_eq!(values.extract, Extract::Values);
    let [misses, rounds] = &read.evidence[..] else {
        panic!("two numbers")
    };
    let bounds = |rule: &EvidenceRule| (rule.at_least, rule.at_most);
    assert_eq!(misses.extract, Extract::Json("/misses".to_owned()));
    assert_eq!(
        (misses.stream, bounds(misses)),
        (Stream::Stdout, (None, Some(10.0)))
    );
    assert_eq!(
        (&rounds.extract, rounds.stream, bounds(rounds)),
        (&Extract::Values, Stream::Stderr, (Some(1.0), Some(1000.0)))
    );
    let suite = &full.workloads["suite"];
    assert_eq!(suite.timeout, Some(Duration::from_secs(90)));
    assert_eq!(
        suite.possible,
        Some(list(&["{experiment}/enough-cpus", "{threads}"]))
    );
    assert_eq!(suite.evidence[0].name, "clients");
    assert_eq!(full.workloads["compile"].exit_codes, [0, 1]);
}

#[test]
fn the_smallest_file_has_defaults() {
    let text = "[variants.a]\n[workloads.w]\ndriver = 'command'\ncommand = ['true']\n";
    let small = Experiment::parse(text, "dir/My Test.toml").unwrap();
    assert_eq!(small.name, "my-test");
    assert_eq!(small.baseline(), "a");
    assert_eq!(
        (small.design.runs, small.design.block, small.design.blocks()),
        (30, 3, 10)
    );
    assert_eq!(small.design.refresh, Refresh::Restart);
    assert_eq!(small.design.timeout, Duration::from_secs(600));
    assert_eq!((small.design.confidence, small.design.margin), (0.95, None));
    assert_eq!(ids(&small), ["a/w"]);
}

#[test]
fn what_was_read_survives_json_and_toml() {
    let full = parse(FULL);
    let json = serde_json::to_string(&full).unwrap();
    assert_eq!(serde_json::from_str::<Experiment>(&json).unwrap(), full);
    assert_eq!(parse(&toml::to_string(&full).unwrap()), full);
}

#[test]
fn cells_are_the_matrix_less_the_excluded_plus_the_included() {
    let expected = [
        "redis/suite/clients=1,threads=one",
        "redis-again/suite/clients=1,threads=one",
        "aof/suite/clients=1,threads=one",
        "redis/suite/clients=1,threads=2",
    ];
    let full = parse(FULL);
    let ids = ids(&full);
    assert_eq!(
        ids[..4],
        expected,
        "comparable cells stand together, in the file's order"
    );
    // 3 variants x (2 workloads x 4 + 1 workload x 2 + 2 included) cells.
    assert_eq!(ids.len(), 3 * (8 + 2 + 2));
    assert!(!ids.iter().any(|id| id.contains("/read/clients=1,")));
    assert!(ids.contains(&"aof/suite/clients=1000,threads=2".to_owned()));
    assert!(!ids.iter().any(|id| id.contains("compile/clients=1000")));
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
}

#[test]
fn an_exclusion_can_be_taken_back_and_an_inclusion_can_name_one_variant() {
    let text = "
        [variants.a]
        [variants.b]
        [workloads.w]
        driver = 'command'
        command = ['x', '{n}']
        [parameters]
        n = [1, 2.0, true]
        [[exclude]]
        n = 2.0
        [[include]]
        variant = 'b'
        n = 2.0
        [[include]]
        variant = 'a'
        workload = 'w'
        n = 'four'";
    assert_eq!(
        ids(&parse(text)),
        [
            "a/w/n=1",
            "b/w/n=1",
            "a/w/n=true",
            "b/w/n=true",
            "b/w/n=2.0",
            "a/w/n=four"
        ]
    );
}

#[test]
fn one_workload_of_several() {
    let both = "
        exclude = [{ workload = 'v', n = 2 }]
        include = [{ n = 3, size = 7 }, { workload = 'v', n = 2, size = 9 }]
        variants.a.vars = { size = '5' }
        parameters.n = [1, 2]
        workloads.w = { driver = 'command', command = ['x', '{n}', '{size}'] }
        workloads.v = { driver = 'command', command = ['y', '{n}', '{size}'] }";
    for all in [parse(FULL), parse(both)] {
        for name in all.workloads.keys() {
            let mut own = all.cells();
            own.retain(|cell| cell.workload == *name);
            let only = all.clone().with_workload_only(name);
            assert_eq!(only.cells(), own, "{name}");
            assert_eq!(parse(&toml::to_string(&only).unwrap()), only);
        }
    }
}

#[test]
fn a_cell_resolves_what_is_known_and_leaves_the_rest() {
    let full = parse(FULL);
    let suite = cell(&full, "aof/suite/clients=1000,threads=one");
    let workload = full.workload(&suite).unwrap();
    assert_eq!(workload.args, ["-p", "{port}", "-c", "1000", "-q"]);
    assert_eq!(
        workload.possible,
        Some(list(&["{experiment}/enough-cpus", "one"]))
    );
    let redis = cell(&full, "redis/suite/clients=50,threads=one");
    let variant = full.variant(&redis).unwrap();
    assert_eq!(
        variant.start,
        Some(list(&[
            "redis-server",
            "--port",
            "{port}",
            "--io-threads",
            "one"
        ]))
    );
    assert_eq!(variant.env["A"], "redis");
    assert_eq!(variant.files, ["{build}/prog"]);
    assert_eq!(
        variant.build.unwrap().link,
        Some(list(&["cc", "-o", "{build}/prog", "{objects}"]))
    );
    let aof = full.variant(&suite).unwrap();
    assert!(
        aof.start.unwrap().argv[0].ends_with("awk '{{print $1}}'"),
        "still a template"
    );
}

#[test]
fn an_included_variable_prevails_over_the_variants() {
    let full = parse(FULL);
    let command = |id: &str| {
        full.workload(&cell(&full, id))
            .unwrap()
            .command
            .unwrap()
            .argv
    };
    assert_eq!(
        command("redis/compile/clients=1,threads=2"),
        ["make -B MODE=plain"]
    );
    assert_eq!(
        command("redis/compile/clients=50,threads=2"),
        ["make -B MODE=fast"]
    );
    let vars = full
        .variant(&cell(&full, "redis/compile/clients=50,threads=2"))
        .unwrap()
        .vars;
    assert_eq!(vars["mode"], "fast");
}

#[test]
fn braces_in_a_value_stay_braces() {
    let text = "
        [variants.a]
        vars = { script = '{{{n}}} {port}' }
        [workloads.w]
        driver = 'command'
        command = ['x', '{script}']
        [parameters]
        n = ['{{y}}']";
    let experiment = parse(text);
    let workload = experiment.workload(&experiment.cells()[0]).unwrap();
    assert_eq!(workload.command.unwrap().argv[1], "{{{{y}}}} {port}");
}

#[test]
fn readiness_can_be_a_unix_socket_or_a_command() {
    let check = |ready: &str| {
        let text = format!(
            "[variants.a]\nstart = ['s']\nready = {{ {ready} }}\n[workloads.w]\ndriver = 'command'\ncommand = ['true']"
        );
        parse(&text).variants["a"].ready.clone().unwrap().check
    };
    assert_eq!(
        check("unix = '{dir}/sock'"),
        ReadyCheck::Unix("{dir}/sock".to_owned())
    );
    assert_eq!(
        check("command = ['ping', '{port}']"),
        ReadyCheck::Command(list(&["ping", "{port}"]))
    );
}

#[test]
fn a_foreign_cell_is_an_error() {
    let full = parse(FULL);
    let mut foreign = full.cells().remove(0);
    foreign.workload = "gone".to_owned();
    assert!(matches!(
        full.workload(&foreign),
        Err(ResolveError::Workload { .. })
    ));
    foreign.variant = "gone".to_owned();
    assert!(matches!(
        full.variant(&foreign),
        Err(ResolveError::Variant { .. })
    ));
}

proptest! {
    /// Cutting a piece out of a good file or putting one in gives a good file or an error with a
    /// place that exists, never a panic.
    #[test]
    fn a_damaged_file_never_panics(at in 0..FULL.len(), cut in 0usize..40, insert in "[\\[\\]{}=\"'\n0-9a-z.é-]{0,3}") {
        let end = (at + cut).min(FULL.len());
        let text = format!("{}{insert}{}", &FULL[..at], &FULL[end..]);
        if let Err(error) = Experiment::parse(&text, "damaged.toml") {
            prop_assert!(error.line() <= text.matches('\n').count() + 1);
            prop_assert!(error.to_string().starts_with("damaged.toml:"));
        }
    }
}

#[test]
fn several_systems_have_an_order_and_values_of_their_own() {
    let experiment = Experiment::parse(SEVERAL, "several.toml").unwrap();
    let cells = experiment.cells();
    let systems = experiment.variant(&cells[0]).unwrap().systems();
    let names: Vec<_> = systems
        .iter()
        .map(|system| system.name.as_deref())
        .collect();
    assert_eq!(
        names,
        [Some("master"), Some("replica-1"), Some("replica-2")]
    );
    let of_second = &systems[2];
    let words = ["redis-server", "--port", "{port:replica-2}", "--replicaof"];
    assert_eq!(of_second.start.argv[..4], words);
    assert_eq!(of_second.start.argv[4], "127.0.0.1 {port:master}");
    let env: Vec<&str> = of_second.env.values().map(String::as_str).collect();
    assert_eq!(env, ["replica-2", "2", "replicated"]);
    assert_eq!(systems[0].cpus.as_ref().unwrap().numbers(), [0]);
    assert_eq!(experiment.observed_in_block(), 1);
    let variants: Vec<&str> = experiment.variants.keys().map(String::as_str).collect();
    assert_eq!(
        variants,
        ["replicated", "allocator-jemalloc", "allocator-tcmalloc"]
    );
    let of_each = experiment.variant(&cells[2]).unwrap();
    assert_eq!(of_each.env["LD_PRELOAD"], "libtcmalloc.so");
    let again = toml::to_string(&experiment).unwrap();
    assert_eq!(Experiment::parse(&again, "again.toml").unwrap(), experiment);
}

#[test]
fn observed_runs_come_with_the_others_of_their_block() {
    let experiment = Experiment::parse(SEVERAL, "several.toml").unwrap();
    let plan = Plan::new(&experiment, 1);
    assert_eq!(plan.runs.len(), 3 * 40);
    for block in 1..=10 {
        let of_block = || plan.runs.iter().filter(|run| run.block == block);
        assert_eq!(of_block().count(), 3 * 4);
        assert_eq!(of_block().filter(|run| run.observed).count(), 3);
    }
    let places = (0..3 * 40).filter(|place| plan.runs[*place].observed);
    let within: std::collections::BTreeSet<usize> = places.map(|place| place % 12).collect();
    assert!(within.len() > 1, "they come at random places");
}

#[test]
fn with_slices_a_block_is_one_run_of_each_variant() {
    let slices = parse(include_str!("../files/slices.toml"));
    assert_eq!(slices.design.slices, Some(80));
    assert_eq!((slices.design.block, slices.design.blocks()), (1, 30));
    let rule = &slices.workloads["share"].metrics[0];
    assert_eq!(rule.combine, Some(Combine::Rate));
    let turns = slices
        .workloads
        .values()
        .map(|workload| workload.takes_turns);
    assert_eq!(Vec::from_iter(turns), [false, false, true]);
    let plan = Plan::new(&slices, 1);
    for block in plan.runs.chunks(6) {
        assert!(block.iter().all(|run| run.block == block[0].block));
        let pairs = block.chunks(2).map(|pair| {
            let cells = [pair[0].cell, pair[1].cell].map(|cell| &plan.cells[cell]);
            cells[0].is_comparable(cells[1])
        });
        assert!(pairs.into_iter().all(|comparable| comparable));
    }
}

/// An amount of work may be a parameter, also in some cells only.
#[test]
fn a_command_may_get_its_share_by_a_parameter_or_a_variable() {
    let text = "design = { slices = 20 }
parameters = { work = [WORK] }
variants = { a = { vars = { own = OWN } } }
include = [INCLUDE]
workloads = { w = { driver = \"command\", command = [\"client\", \"{work}\", \"{own}\"] } }
";
    for (work, own, include, is_share) in [
        (r#""{slice:400}", "{slice:800}""#, r#""2""#, "", true),
        ("1, 2", r#""{slice}""#, "", true),
        ("1, 2", r#""2""#, "", false),
        (r#""{slice:400}", 2"#, r#""2""#, "", false),
        ("1, 2", r#""2""#, r#"{ own = "{slice}" }"#, true),
        ("1, 2", r#""2""#, r#"{ work = 2, own = "{slice}" }"#, false),
        (
            r#""{slice:400}", 2"#,
            r#""2""#,
            r#"{ work = 2, own = "{slice}" }"#,
            true,
        ),
    ] {
        let text = text.replace("WORK", work).replace("OWN", own);
        let text = text.replace("INCLUDE", include);
        let parsed = Experiment::parse(&text, "test.toml");
        assert_eq!(parsed.is_ok(), is_share, "{text} {:?}", parsed.err());
    }
}

#[test]
fn variants_at_once_have_places_of_their_own() {
    let together = parse(include_str!("../files/together.toml"));
    assert!(together.design.together);
    let places = together.cpus.places.unwrap();
    let numbers: Vec<&[u32]> = places
        .iter()
        .map(perflab_experiment::CpuList::numbers)
        .collect();
    assert_eq!(numbers, [[0, 1], [2, 3]]);
}
