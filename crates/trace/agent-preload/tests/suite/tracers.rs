//! bpftrace uses the same probes while ours are off, on, and being toggled, with the same arguments.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::Program;
use crate::support::bpftrace::{Bpftrace, is_allowed};
use crate::support::compile::compile;
use perflab_control::Site;

/// A no-op of five bytes.
const OFF: [u8; 5] = [0x0f, 0x1f, 0x44, 0x00, 0x00];

/// Bytes at a site of a running program.
fn code(program: &Program, site: &Site) -> [u8; 5] {
    let memory = File::open(format!("/proc/{}/mem", program.pid())).unwrap();
    let mut bytes = [0; 5];
    memory.read_exact_at(&mut bytes, site.address).unwrap();
    bytes
}

/// The site of a probe in the program itself.
fn site(program: &Program, name: &str) -> Site {
    let (sites, problems) = program.ask().list(&format!("sites:{name}")).unwrap();
    assert_eq!(problems.how, "");
    let mut sites = sites.into_iter().filter(|site| site.object.is_empty());
    sites.next().unwrap()
}

/// Waits until both sites of `script` are open to tracers, or none; the agent looks every 100 ms, and a look may come
/// between a tracer's two.
fn wait_for_tracers(program: &Program, expected: bool) {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let tracers = ["step", "always"].map(|name| site(program, name).tracers);
        if tracers.iter().all(|&tracers| (tracers > 0) == expected) {
            return;
        }
        assert!(Instant::now() < end, "{tracers:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The site `step`, which a tracer holds open.
fn opened(program: &Program) -> Site {
    wait_for_tracers(program, true);
    let site = site(program, "step");
    assert!(site.on);
    site
}

/// The site `step`, which nobody holds open any more.
fn closed(program: &Program) -> Site {
    wait_for_tracers(program, false);
    let site = site(program, "step");
    assert!(!site.on);
    site
}

fn executes(program: &mut Program, times: u64) {
    program.tell(&format!("{times}\n"));
    assert_eq!(program.line(), "done\n");
}

/// Number of executions, and the sum of their numbers.
const TIMES: u64 = 20_000;
const SUM: i64 = (TIMES * (TIMES - 1) / 2) as i64;

fn counted_program(directory: &Path) -> PathBuf {
    let path = directory.join("counted");
    compile("gcc", &["-O2"], &["counted.c", "elsewhere.c"], &path);
    path
}

/// Counts two probes, with their arguments.
fn script(path: &Path) -> String {
    let path = path.display();
    format!(
        "usdt:{path}:sites:step {{ @steps = count(); @numbers = sum(arg0); @texts[str(arg1)] = count(); }}
         usdt:{path}:sites:always {{ @always = count(); @negative = sum(arg0); }}"
    )
}

fn numbers(step: i64) -> BTreeMap<String, i64> {
    let half = step / 2;
    let all = [
        ("steps", step),
        ("numbers", SUM),
        ("texts[even]", half),
        ("texts[odd]", half),
        ("always", step),
        ("negative", -SUM),
    ];
    all.map(|(name, number)| (name.to_owned(), number)).into()
}

#[test]
fn while_ours_are_off() {
    if !is_allowed() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = counted_program(directory.path());
    let mut program = Program::start(&mut Command::new(&path));
    let before = site(&program, "step");
    assert_eq!(code(&program, &before), OFF);
    executes(&mut program, TIMES);
    let tracer = Bpftrace::start(&script(&path));
    let open = opened(&program);
    assert_eq!(
        (open.tracers, code(&program, &open)[0]),
        (1, 0xe9),
        "a jump"
    );
    executes(&mut program, TIMES);
    assert_eq!(tracer.ends(), numbers(TIMES as i64));
    let after = closed(&program);
    assert_eq!(code(&program, &after), OFF);
    executes(&mut program, TIMES);
    assert_eq!(site(&program, "step").hits, 0);
    program.ends();
}

#[test]
fn while_ours_are_on() {
    if !is_allowed() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = counted_program(directory.path());
    let mut program = Program::start(Command::new(&path).env("PERFLAB_PROBES", "sites:*"));
    executes(&mut program, TIMES);
    let tracer = Bpftrace::start(&script(&path));
    opened(&program);
    executes(&mut program, TIMES);
    assert_eq!(tracer.ends(), numbers(TIMES as i64));
    executes(&mut program, TIMES);
    let found = site(&program, "step");
    assert_eq!((found.hits, found.on), (3 * TIMES, true));
    // Ours go, a tracer stays.
    let tracer = Bpftrace::start(&script(&path));
    opened(&program);
    program.ask().switch("sites:*", false).unwrap();
    executes(&mut program, TIMES);
    assert_eq!(tracer.ends(), numbers(TIMES as i64));
    let found = closed(&program);
    assert_eq!((found.hits, code(&program, &found)), (3 * TIMES, OFF));
    program.ends();
}

/// The agent and a tracer see the same value: what it costs to find, and what it changes, comes once.
#[test]
fn arguments_are_evaluated_once() {
    if !is_allowed() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = counted_program(directory.path());
    let mut program = Program::start(Command::new(&path).env("PERFLAB_PROBES", "sites:once"));
    let script = format!(
        "usdt:{}:sites:once {{ @hits = count(); @numbers = sum(arg0); }}",
        path.display()
    );
    let tracer = Bpftrace::start(&script);
    let end = Instant::now() + Duration::from_secs(60);
    while site(&program, "once").tracers == 0 {
        assert!(Instant::now() < end);
        std::thread::sleep(Duration::from_millis(20));
    }
    executes(&mut program, TIMES);
    let expected = [("hits", TIMES as i64), ("numbers", SUM)];
    assert_eq!(
        tracer.ends(),
        expected
            .map(|(name, number)| (name.to_owned(), number))
            .into()
    );
    assert_eq!(site(&program, "once").hits, TIMES);
    program.ends();
}

/// Of a probe with many arguments the note has the first twelve, and bpftrace takes six.
#[test]
fn the_first_of_many_arguments() {
    if !is_allowed() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = counted_program(directory.path());
    let mut program = Program::start(Command::new(&path).env("PERFLAB_PROBES", "sites:wide"));
    let script = format!(
        "usdt:{}:sites:wide {{ @hits = count(); @first = sum(arg0); @last = sum(arg5); }}",
        path.display()
    );
    let tracer = Bpftrace::start(&script);
    let end = Instant::now() + Duration::from_secs(60);
    while site(&program, "wide").tracers == 0 {
        assert!(Instant::now() < end);
        std::thread::sleep(Duration::from_millis(20));
    }
    executes(&mut program, TIMES);
    let expected = [("hits", TIMES as i64), ("first", SUM), ("last", 2 * SUM)];
    assert_eq!(
        tracer.ends(),
        expected
            .map(|(name, number)| (name.to_owned(), number))
            .into()
    );
    assert_eq!(site(&program, "wide").hits, TIMES);
    program.ends();
}

/// Says so, if the test fails as well.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn while_ours_are_toggled() {
    if !is_allowed() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = counted_program(directory.path());
    let mut program = Program::start(Command::new(&path).env("PERFLAB_PROBES", "sites:always"));
    let agent = program.ask();
    let ends = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _ends = Ends(&ends);
        let toggling = scope.spawn(|| {
            let mut toggles = 0;
            while !ends.load(Ordering::Relaxed) {
                for on in [true, false] {
                    // What a tracer holds open has its handler changed, the other its code.
                    agent.switch("sites:step", on).unwrap();
                    agent.switch("sites:other", on).unwrap();
                    toggles += 1;
                }
            }
            toggles
        });
        for _ in 0..2 {
            executes(&mut program, TIMES);
            let tracer = Bpftrace::start(&script(&path));
            opened(&program);
            executes(&mut program, TIMES);
            assert_eq!(tracer.ends(), numbers(TIMES as i64));
        }
        ends.store(true, Ordering::Relaxed);
        let toggles = toggling.join().unwrap();
        assert!(toggles > 20, "{toggles}");
    });
    let found = closed(&program);
    assert_eq!(code(&program, &found), OFF);
    assert!(found.hits <= 4 * TIMES);
    let other = site(&program, "other");
    assert!(other.hits > 0 && other.hits <= 4 * TIMES, "{other:?}");
    assert_eq!(site(&program, "always").hits, 4 * TIMES);
    program.ends();
}

/// A probe that the program and a shared object both have is two to a tracer, one for each file.
#[test]
fn the_same_probe_in_two_objects() {
    if !is_allowed() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let (path, library) = (
        directory.path().join("counted"),
        directory.path().join("libelsewhere.so"),
    );
    compile(
        "gcc",
        &["-O2", "-shared", "-fPIC"],
        &["elsewhere.c"],
        &library,
    );
    let flags = ["-O2", library.to_str().unwrap()];
    compile("gcc", &flags, &["counted.c"], &path);
    let mut program = Program::start(&mut Command::new(&path));
    let both = || {
        let mut found = program.ask().list("sites:elsewhere").unwrap().0;
        found.sort_by_key(|site| site.object.clone());
        found.iter().map(|site| site.on).collect::<Vec<bool>>()
    };
    assert_eq!(both(), [false, false]);
    let of = |path: &Path| format!("usdt:{}:sites:elsewhere", path.display());
    // Its own opens one site only.
    let tracer = Bpftrace::start(&format!("{} {{ @[arg0] = count(); }}", of(&library)));
    let end = Instant::now() + Duration::from_secs(60);
    while both() != [false, true] {
        assert!(Instant::now() < end, "{:?}", both());
    }
    executes(&mut program, TIMES);
    assert_eq!(
        tracer.ends(),
        BTreeMap::from([("[5]".to_owned(), TIMES as i64)])
    );
    let script = format!("{}, {} {{ @[arg0] = count(); }}", of(&path), of(&library));
    let tracer = Bpftrace::start(&script);
    let both = || {
        let found = program.ask().list("sites:elsewhere").unwrap().0;
        found.iter().all(|site| site.on)
    };
    let end = Instant::now() + Duration::from_secs(60);
    while !both() {
        assert!(Instant::now() < end);
    }
    executes(&mut program, TIMES);
    let expected = [5, 7].map(|value| (format!("[{value}]"), TIMES as i64));
    assert_eq!(tracer.ends(), BTreeMap::from(expected));
    program.ends();
}
