//! A host whose time is virtual and whose processes follow scripts. Files are real, below a directory of the test.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::ops::Range;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use perflab_machine::{Executable, Load};
use perflab_runner::{
    CpuError, Ended, Endpoint, Environment, Exit, Host, Launch, LaunchError, Libraries, Listener,
    Moment, Process, Redirect, Relative, ResourceUsage, Stopped, ThisMachine, Turn, TurnEnd,
};
use rustix::process::Signal;
use rustix::thread::CpuSet;

/// What every call of the host takes.
const CALL: Duration = Duration::from_micros(10);

/// How a program ends.
#[derive(Debug, Clone, Copy)]
pub enum End {
    /// By itself, after a while.
    After(Duration, Exit),
    /// A while after a signal.
    AtSignal(Duration),
    /// Only when it is killed.
    Never,
}

/// What a program does.
#[derive(Debug, Clone)]
pub struct Script {
    pub end: End,
    /// What it writes when it is started.
    pub stdout: String,
    /// Whether it listens on the port that its arguments name, and how long after its start.
    pub listens: Option<Duration>,
    /// Whether it can be started at all.
    pub starts: bool,
    /// Whether it tells servers to stop: that on the port which its arguments name, else all.
    pub tells: bool,
    /// Whether it may not be moved.
    pub stays: bool,
    /// What it does to the files of its run when it is started.
    pub effect: Option<fn(&Launch<'_>)>,
    /// What it shows of itself and of what came of it when it has had so many turns.
    pub shows: fn(u32) -> Vec<Relative>,
}

impl Script {
    /// Ends well after a millisecond, without a word.
    pub fn short() -> Self {
        Self {
            end: End::After(Duration::from_millis(1), Exit::Code(0)),
            stdout: String::new(),
            listens: None,
            starts: true,
            tells: false,
            stays: false,
            effect: None,
            shows: |_| Vec::new(),
        }
    }

    pub fn ends(self, end: End) -> Self {
        Self { end, ..self }
    }

    pub fn says(self, stdout: &str) -> Self {
        Self {
            stdout: stdout.to_owned(),
            ..self
        }
    }

    pub fn listens(self, after: Duration) -> Self {
        Self {
            listens: Some(after),
            ..self
        }
    }

    pub fn tells(self) -> Self {
        Self {
            tells: true,
            ..self
        }
    }

    pub fn stays(self) -> Self {
        Self {
            stays: true,
            ..self
        }
    }

    pub fn cannot_start(self) -> Self {
        Self {
            starts: false,
            ..self
        }
    }

    pub fn shows(self, shows: fn(u32) -> Vec<Relative>) -> Self {
        Self { shows, ..self }
    }

    pub fn with_effect(self, effect: fn(&Launch<'_>)) -> Self {
        Self {
            effect: Some(effect),
            ..self
        }
    }
}

/// What happens at a call of the host, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The user asks to stop.
    Interrupt,
    /// The laboratory is gone; its reaper kills what it started.
    Crash,
    /// The laboratory is stopped and continued.
    Standstill,
    /// The disk has no room from then on.
    DiskFull,
}

/// Thrown through the laboratory by [`Event::Crash`].
#[derive(Debug)]
pub struct Crashed;

#[derive(Debug)]
struct State {
    program: String,
    script: Script,
    port: Option<u16>,
    started: Duration,
    told: Option<Duration>,
    killed: Option<Duration>,
    /// Since when it is stopped between turns.
    paused: Option<Duration>,
    /// Its turns.
    turns: u32,
}

#[derive(Debug)]
pub struct Simulated {
    real: ThisMachine,
    start: Instant,
    time: Cell<Duration>,
    calls: Cell<usize>,
    event: Option<(Range<usize>, Event)>,
    is_interrupted: Cell<bool>,
    is_full: Cell<bool>,
    is_gone: Cell<bool>,
    continued: Cell<u32>,
    scripts: BTreeMap<String, Script>,
    /// Scripts for one start of a program, by its name and the number of the start, from 0.
    once: BTreeMap<(String, usize), Script>,
    processes: RefCell<Vec<State>>,
    /// The names of the programs that were started.
    started: RefCell<Vec<String>>,
    /// The processes that had a turn, by their places, in order.
    turns: RefCell<Vec<usize>>,
    /// The relatives of processes that were let go on, by their numbers, in order.
    let_go_on: RefCell<Vec<i32>>,
    /// What was started or moved, when, and onto which CPUs, in order.
    seated: RefCell<Vec<(String, Duration, Vec<u32>)>>,
}

impl Simulated {
    pub fn new(scripts: &[(&str, Script)]) -> Self {
        Self {
            real: ThisMachine::alone().unwrap(),
            start: Instant::now(),
            time: Cell::default(),
            calls: Cell::default(),
            event: None,
            is_interrupted: Cell::default(),
            is_full: Cell::default(),
            is_gone: Cell::default(),
            continued: Cell::default(),
            scripts: scripts
                .iter()
                .map(|(name, script)| ((*name).to_owned(), script.clone()))
                .collect(),
            once: BTreeMap::new(),
            processes: RefCell::default(),
            started: RefCell::default(),
            turns: RefCell::default(),
            let_go_on: RefCell::default(),
            seated: RefCell::default(),
        }
    }

    /// With another script for one start of a program.
    pub fn once(mut self, program: &str, start: usize, script: Script) -> Self {
        self.once.insert((program.to_owned(), start), script);
        self
    }

    /// With one more program.
    pub fn also(mut self, program: &str, script: Script) -> Self {
        self.scripts.insert(program.to_owned(), script);
        self
    }

    /// With an event at each of these calls.
    pub fn event(mut self, calls: Range<usize>, event: Event) -> Self {
        self.event = Some((calls, event));
        self
    }

    /// Calls so far.
    pub fn calls(&self) -> usize {
        self.calls.get()
    }

    /// How often a program was started.
    pub fn starts(&self, program: &str) -> usize {
        let started = self.started.borrow();
        started.iter().filter(|name| *name == program).count()
    }

    /// The programs that were started, in order.
    pub fn started(&self) -> Vec<String> {
        self.started.borrow().clone()
    }

    /// The places of the processes that had a turn, in order: that which was started first has place 0.
    pub fn turns(&self) -> Vec<usize> {
        self.turns.borrow().clone()
    }

    /// The relatives of processes that were let go on, by their numbers, in order.
    pub fn let_go_on(&self) -> Vec<i32> {
        self.let_go_on.borrow().clone()
    }

    /// The programs that were started on CPUs of their own or moved, when, and onto which, in order.
    pub fn seated(&self) -> Vec<(String, Duration, Vec<u32>)> {
        self.seated.borrow().clone()
    }

    fn seat(&self, program: &str, cpus: &CpuSet) {
        let numbers = (0..CpuSet::MAX_CPU).filter(|cpu| cpus.is_set(*cpu));
        let numbers = numbers.map(|cpu| cpu as u32).collect();
        let mut seated = self.seated.borrow_mut();
        seated.push((program.to_owned(), self.time.get(), numbers));
    }

    /// Processes that nobody has ended.
    pub fn left(&self) -> usize {
        let processes = self.processes.borrow();
        let now = self.time.get();
        processes
            .iter()
            .filter(|state| state.end(now).is_none_or(|(at, _)| at > now))
            .count()
    }

    /// Counts a call, which takes a moment, and lets happen what is due.
    fn call(&self) {
        let call = self.calls.get();
        self.calls.set(call + 1);
        self.time.set(self.time.get() + CALL);
        match self.event.as_ref().filter(|(at, _)| at.contains(&call)) {
            None => {}
            Some((_, Event::Interrupt)) => self.is_interrupted.set(true),
            Some((_, Event::Standstill)) => self.continued.set(self.continued.get() + 1),
            Some((_, Event::DiskFull)) => self.is_full.set(true),
            Some((_, Event::Crash)) => {
                self.is_gone.set(true);
                resume_unwind(Box::new(Crashed));
            }
        }
    }

    fn create(&self, redirect: Redirect<'_>, text: &str) -> Result<(), LaunchError> {
        let Redirect::File(path) = redirect else {
            return Ok(());
        };
        fs::write(path, text).map_err(|source| LaunchError::Open {
            path: path.to_owned(),
            source,
        })
    }
}

impl State {
    /// When and how it ends, as far as that is decided.
    fn end(&self, now: Duration) -> Option<(Duration, Exit)> {
        let killed = self.killed.map(|at| (at, Exit::Signal(9)));
        let own = match self.script.end {
            End::After(time, exit) => Some((self.started + time, exit)),
            End::AtSignal(time) => self.told.map(|at| (at + time, Exit::Code(0))),
            End::Never => None,
        };
        let ends = own.into_iter().chain(killed).min_by_key(|(at, _)| *at);
        ends.filter(|(at, _)| *at <= now || self.killed.is_none())
    }
}

impl Host for Simulated {
    fn name(&self) -> Option<&str> {
        Some("simulated")
    }

    fn start(&self, launch: &Launch<'_>) -> Result<Box<dyn Process + '_>, LaunchError> {
        self.call();
        let program = launch.argv[0].to_string_lossy().into_owned();
        let before = self.starts(&program);
        self.started.borrow_mut().push(program.clone());
        let script = self.once.get(&(program.clone(), before));
        let script = script.or_else(|| self.scripts.get(&program));
        let script = script.unwrap_or_else(|| panic!("no script for {program}"));
        if !script.starts {
            return Err(LaunchError::Start {
                program,
                why: None,
                source: io::ErrorKind::NotFound.into(),
            });
        }
        if let Some(cpus) = launch.cpus {
            self.seat(&program, cpus);
        }
        self.create(launch.stderr, "")?;
        self.create(launch.stdout, &script.stdout)?;
        if let Some(effect) = script.effect {
            effect(launch);
        }
        let mut words = launch.argv.iter().filter_map(|word| word.to_str());
        let port = words.find_map(|word| word.parse().ok());
        let mut processes = self.processes.borrow_mut();
        if script.tells {
            let is_told =
                |state: &&mut State| state.port.is_some() && (port.is_none() || state.port == port);
            for server in processes.iter_mut().filter(is_told) {
                server.told = server.told.or(Some(self.time.get()));
            }
        }
        processes.push(State {
            program,
            script: script.clone(),
            port: port.filter(|_| script.listens.is_some()),
            started: self.time.get(),
            told: None,
            killed: None,
            paused: None,
            turns: 0,
        });
        Ok(Box::new(SimulatedProcess {
            host: self,
            place: processes.len() - 1,
        }))
    }

    fn execute_all(
        &self,
        launches: &[(Launch<'_>, Duration)],
        ended: &mut dyn FnMut(usize),
    ) -> Vec<Result<io::Result<Ended>, LaunchError>> {
        let started: Vec<_> = launches
            .iter()
            .map(|(launch, _)| self.start(launch))
            .collect();
        let limits = launches.iter().map(|(_, limit)| *limit);
        let mut waits: Vec<_> = started.into_iter().zip(limits).enumerate().collect();
        // Time never goes back: who ends first is waited for first.
        waits.sort_by_key(|(_, (process, limit))| {
            let number = process.as_ref().map_or(0, |process| process.number());
            let now = self.time.get();
            let processes = self.processes.borrow();
            let end = processes
                .get((number as usize).wrapping_sub(2))
                .and_then(|state| state.end(now));
            end.map_or(now + *limit, |(at, _)| at)
        });
        let mut all = Vec::new();
        for (index, (process, limit)) in waits {
            let is_started = process.is_ok();
            all.push((index, process.map(|own| own.wait(Some(limit)))));
            if is_started {
                ended(index);
            }
        }
        all.sort_by_key(|(index, _)| *index);
        all.into_iter().map(|(_, ended)| ended).collect()
    }

    fn environment(&self, inherit: &[String]) -> Environment {
        self.real.environment(inherit)
    }

    fn locate(&self, program: &OsStr, _: &Path, _: &OsStr) -> Result<PathBuf, String> {
        Ok(program.into())
    }

    fn identity(&self, _: &OsStr, _: &Path, _: &OsStr) -> Option<Executable> {
        None
    }

    fn libraries(&self, _: &OsStr, _: &Path, _: &OsStr) -> Option<Libraries> {
        None
    }

    fn cpus(&self, numbers: &[u32]) -> Result<Option<CpuSet>, CpuError> {
        let mut set = CpuSet::new();
        numbers.iter().for_each(|cpu| set.set(*cpu as usize));
        Ok((!numbers.is_empty()).then_some(set))
    }

    fn cores(&self) -> Result<Vec<Vec<u32>>, CpuError> {
        Ok(vec![vec![0, 2], vec![1, 3]])
    }

    fn load(&self) -> Load {
        self.call();
        Load::default()
    }

    fn now(&self) -> Instant {
        self.call();
        self.start + self.time.get()
    }

    fn timestamp(&self) -> Timestamp {
        self.call();
        Timestamp::UNIX_EPOCH
    }

    fn moment(&self) -> Moment {
        self.call();
        Moment {
            continued: self.continued.get(),
            slept: Duration::ZERO,
        }
    }

    fn sleep(&self, time: Duration) {
        self.call();
        if !self.is_interrupted.get() {
            self.time.set(self.time.get() + time);
        }
    }

    fn is_interrupted(&self) -> bool {
        self.call();
        self.is_interrupted.get()
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.call();
        self.real.create_directory(path)
    }

    fn remove(&self, path: &Path) {
        // A laboratory that was killed tidies nothing up.
        if !self.is_gone.get() {
            self.call();
            self.real.remove(path);
        }
    }

    fn length(&self, file: &Path) -> io::Result<u64> {
        self.call();
        self.real.length(file)
    }

    fn read(&self, file: &Path, from: u64, most: u64) -> io::Result<Vec<u8>> {
        self.call();
        self.real.read(file, from, most)
    }

    fn write(&self, file: &Path, content: &[u8]) -> io::Result<()> {
        self.call();
        self.real.write(file, content)
    }

    fn append(&self, file: &Path, to: &Path) -> io::Result<()> {
        self.call();
        self.real.append(file, to)
    }

    fn matching(&self, pattern: &Path) -> Result<Vec<PathBuf>, String> {
        self.call();
        self.real.matching(pattern)
    }

    fn room(&self, _: &Path) -> Option<u64> {
        self.call();
        Some(if self.is_full.get() { 0 } else { u64::MAX })
    }

    fn is_free(&self, _: u16) -> bool {
        self.call();
        true
    }

    fn connect(&self, to: Endpoint<'_>, _: Duration) -> io::Result<()> {
        self.call();
        let Endpoint::Tcp(address) = to else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let now = self.time.get();
        let listens = |state: &State| {
            let since = state.script.listens.map(|after| state.started + after);
            state.port == Some(address.port())
                && since.is_some_and(|since| since <= now)
                && state.end(now).is_none_or(|(at, _)| at > now)
        };
        match self.processes.borrow().iter().any(listens) {
            true => Ok(()),
            false => Err(io::ErrorKind::ConnectionRefused.into()),
        }
    }
}

#[derive(Debug)]
struct SimulatedProcess<'h> {
    host: &'h Simulated,
    place: usize,
}

impl SimulatedProcess<'_> {
    fn with<T>(&self, what: impl FnOnce(&mut State) -> T) -> T {
        what(&mut self.host.processes.borrow_mut()[self.place])
    }

    /// How it ended, if it has by now.
    fn ended(&self) -> Option<(Duration, Exit)> {
        let now = self.host.time.get();
        self.with(|state| state.end(now))
            .filter(|(at, _)| *at <= now)
    }

    fn kill(&self) {
        let now = self.host.time.get();
        self.with(|state| state.killed = state.killed.or(Some(now)));
    }
}

impl Process for SimulatedProcess<'_> {
    fn number(&self) -> i32 {
        self.place as i32 + 2
    }

    fn name(&self) -> Option<String> {
        Some("simulated".to_owned())
    }

    fn is_alive(&self) -> bool {
        self.host.call();
        self.ended().is_none()
    }

    fn exit(&self) -> Option<Exit> {
        self.host.call();
        self.ended().map(|(_, exit)| exit)
    }

    /// A tenth of the time since its start.
    fn cpu_time(&self) -> Option<Duration> {
        self.host.call();
        let started = self.with(|state| state.started);
        Some((self.host.time.get() - started) / 10)
    }

    fn signal(&self, _: Signal) {
        self.host.call();
        let now = self.host.time.get();
        self.with(|state| state.told = state.told.or(Some(now)));
    }

    fn ends_within(&self, patience: Duration) -> bool {
        self.host.call();
        let now = self.host.time.get();
        match self.with(|state| state.end(now)) {
            Some((at, _)) if at <= now + patience => {
                self.host.time.set(at.max(now));
                true
            }
            _ => {
                self.host.time.set(now + patience);
                false
            }
        }
    }

    fn listener(&self, port: u16) -> Listener {
        self.host.call();
        match self.with(|state| state.port) == Some(port) {
            true => Listener::Ours,
            false => Listener::Other,
        }
    }

    fn take_turn(&self, length: Duration, _: Option<Duration>) -> io::Result<Turn> {
        self.host.call();
        let now = self.host.time.get();
        self.host.turns.borrow_mut().push(self.place);
        let end = self.with(|state| {
            // A process that is stopped does nothing: all that it would do is so much later.
            state.started += state
                .paused
                .take()
                .map_or(Duration::ZERO, |since| now - since);
            state.turns += 1;
            state.end(now)
        });
        let (after, end) = match end {
            _ if self.host.is_interrupted.get() => (now, TurnEnd::Interrupted),
            Some((at, _)) if at <= now + length => (at.max(now), TurnEnd::Ended),
            _ => (now + length, TurnEnd::Over),
        };
        self.host.time.set(after);
        self.with(|state| state.paused = (end == TurnEnd::Over).then_some(after));
        let took = after - now;
        Ok(Turn { took, end })
    }

    fn move_to(&self, cpus: &CpuSet) -> io::Result<()> {
        self.host.call();
        self.host
            .seat(&self.with(|state| state.program.clone()), cpus);
        match self.with(|state| state.script.stays) {
            true => Err(io::ErrorKind::PermissionDenied.into()),
            false => Ok(()),
        }
    }

    fn relatives(&self) -> Vec<Relative> {
        self.host.call();
        self.with(|state| (state.script.shows)(state.turns))
    }

    fn go_on(&self, relative: i32) {
        self.host.call();
        self.host.let_go_on.borrow_mut().push(relative);
    }

    fn wait(self: Box<Self>, limit: Option<Duration>) -> io::Result<Ended> {
        self.host.call();
        let now = self.host.time.get();
        let (started, end) = self.with(|state| (state.started, state.end(now)));
        let deadline = limit.map(|limit| (started + limit).max(now));
        let stopped = match (end, deadline) {
            (Some((at, _)), _) if at <= now => None,
            _ if self.host.is_interrupted.get() => Some(Stopped::Interrupted),
            (Some((at, _)), Some(deadline)) if at > deadline => Some(Stopped::TimeLimit),
            (Some((at, _)), _) => {
                self.host.time.set(at);
                None
            }
            (None, Some(_)) => Some(Stopped::TimeLimit),
            (None, None) => panic!("a process is waited for that never ends"),
        };
        if stopped == Some(Stopped::TimeLimit) {
            self.host.time.set(deadline.unwrap_or(now));
        }
        self.kill();
        let (at, exit) = self.ended().expect("a process that was killed has ended");
        Ok(Ended {
            exit,
            wall: at - started,
            usage: ResourceUsage::default(),
            stopped,
        })
    }
}

impl Drop for SimulatedProcess<'_> {
    fn drop(&mut self) {
        self.kill();
    }
}
