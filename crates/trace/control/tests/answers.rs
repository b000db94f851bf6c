//! Answers of agents, good and bad, from sockets that the tests make.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use perflab_abi::{FilterWish, HEADER_SIZE, Header, Kind, MessageError, Reader, SiteState, Writer};
use perflab_control::{
    Actions, Agent, Alternative, ControlError, EncodedFilter, FilterImport, FilterMode,
    LONGEST_ANSWER, News, RecordWish, Site, SiteFilter, Switched, Untrusted, Value, ValueHits,
    variable,
};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};
use rustix::process::{Pid, Signal, kill_process};

/// What the socket of a process is called.
fn socket_of(directory: &Path, pid: u32) -> PathBuf {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, after) = stat.rsplit_once(')').unwrap();
    let start = after.split_whitespace().nth(19).unwrap();
    directory.join(format!("{pid}-{start}.sock"))
}

/// What says it is this process's agent, and serves one question.
struct Fake {
    _directory: tempfile::TempDir,
    agent: Agent,
    thread: JoinHandle<()>,
}

impl Fake {
    fn new(serve: impl FnOnce(UnixStream) + Send + 'static) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = socket_of(directory.path(), std::process::id());
        let listener = UnixListener::bind(&path).unwrap();
        let thread = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; HEADER_SIZE + 3];
            // Who asks may have lost patience before.
            if stream.read_exact(&mut request).is_ok() {
                serve(stream);
            }
        });
        Self {
            _directory: directory,
            agent: Agent::at(&path),
            thread,
        }
    }

    /// What is made of its answer, and how long that took.
    fn asked(self, patience: Duration) -> (Result<(Vec<Site>, Switched), ControlError>, Duration) {
        let begin = Instant::now();
        let result = self.agent.with_patience(patience).list("*");
        let took = begin.elapsed();
        self.thread.join().unwrap();
        (result, took)
    }
}

/// What is made of an answer.
fn answered(answer: &[u8]) -> Result<(Vec<Site>, Switched), ControlError> {
    let answer = answer.to_vec();
    let fake = Fake::new(move |mut stream| stream.write_all(&answer).unwrap());
    fake.asked(Duration::from_secs(10)).0
}

fn message(kind: Kind, content: &[u8]) -> Vec<u8> {
    let length = content.len() as u32;
    let mut message = Header { kind, length }.encode().to_vec();
    message.extend_from_slice(content);
    message
}

fn encoded(description: &str) -> Vec<u8> {
    encoded_with(description, None)
}

fn encoded_with(description: &str, filter: Option<perflab_abi::SiteFilter<'_>>) -> Vec<u8> {
    let mut buffer = [0; 400];
    let mut writer = Writer::new(&mut buffer);
    let state = SiteState {
        address: 1,
        point: 2,
        hits: 3,
        on: true,
        backend: 0,
        semaphore: 0,
        object: "",
        description,
        recorded: true,
        ordered: true,
        filter,
    };
    state.encode(&mut writer).unwrap();
    let written = writer.written();
    buffer[..written].to_vec()
}

const DONE: [u8; 18] = [1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0];

#[test]
fn an_answer() {
    let mut answer = message(Kind::Site, &encoded("p\nn\nf\x1b[2J.c\n7\ni32 a"));
    answer.extend(message(Kind::Done, &DONE));
    let (sites, switched) = answered(&answer).unwrap();
    assert_eq!(sites.len(), 1);
    assert!(sites[0].on && sites[0].is_recorded && sites[0].is_ordered);
    assert_eq!(sites[0].filter, None);
    assert_eq!(sites[0].arguments, [("i32".to_owned(), "a".to_owned())]);
    assert_eq!(sites[0].file, "f\u{fffd}[2J.c", "a terminal would obey");
    assert_eq!(
        (switched.matched, switched.took),
        (1, Duration::from_nanos(5))
    );
}

#[test]
fn an_answer_with_filters() {
    let filter = perflab_abi::SiteFilter {
        mode: FilterMode::Interpreted,
        code: 0,
        expression: "a\x1b == 1",
        reason: "no memory is executable",
    };
    let mut answer = message(Kind::Site, &encoded_with("p\nn\nf.c\n7", Some(filter)));
    answer.extend(message(Kind::Done, &DONE));
    let (sites, _) = answered(&answer).unwrap();
    let expected = SiteFilter {
        mode: FilterMode::Interpreted,
        code: 0,
        expression: "a\u{fffd} == 1".to_owned(),
        reason: "no memory is executable".to_owned(),
    };
    assert_eq!(sites[0].filter, Some(expected));
}

fn filter() -> EncodedFilter {
    let import = FilterImport {
        class: 0,
        name: "x",
    };
    let program = Alternative {
        imports: [import].into_iter(),
        code: &[0x95, 0, 0, 0, 0, 0, 0, 0],
        literals: &[],
    };
    let programs = [program].into_iter();
    EncodedFilter::new("", Actions::default(), "x > 1", programs).unwrap()
}

/// What is made of an answer to a filter.
fn switched_when(answer: &[u8]) -> Result<Switched, ControlError> {
    let answer = answer.to_vec();
    let fake = Fake::new(move |mut stream| stream.write_all(&answer).unwrap());
    let result = fake.agent.on_when("*", &filter());
    fake.thread.join().unwrap();
    result
}

#[test]
fn what_became_of_a_filter() {
    let mut buffer = [0; 200];
    let mut writer = Writer::new(&mut buffer);
    let filtered = perflab_abi::Filtered {
        probe: "p:n",
        sites: 2,
        mode: FilterMode::Native,
        code: 100,
        kept: 900,
        verified: 1,
        emitted: 2,
        published: 3,
        reason: "",
    };
    filtered.encode(&mut writer).unwrap();
    let length = writer.written();
    let mut answer = message(Kind::Filtered, &buffer[..length]);
    answer.extend(message(Kind::Done, &DONE));
    let switched = switched_when(&answer).unwrap();
    assert_eq!(switched.filtered.len(), 1);
    let first = &switched.filtered[0];
    assert_eq!((first.probe.as_str(), first.sites), ("p:n", 2));
    assert_eq!(first.mode, FilterMode::Native);
    assert_eq!((first.code, first.kept), (100, 900));
    assert_eq!(first.published, Duration::from_nanos(3));
}

#[test]
fn hits_by_value() {
    let hits = |value, hits| {
        let mut buffer = [0; 60];
        let mut writer = Writer::new(&mut buffer);
        let hits = perflab_abi::ValueHits { value, hits };
        hits.encode(&mut writer).unwrap();
        let length = writer.written();
        message(Kind::Value, &buffer[..length])
    };
    let text = perflab_abi::Value::Text {
        bytes: b"SET",
        is_cut: true,
    };
    let mut answer = hits(text, 7);
    answer.extend(hits(perflab_abi::Value::Others, 8));
    answer.extend(message(Kind::Done, &DONE));
    let fake = Fake::new(move |mut stream| stream.write_all(&answer).unwrap());
    let values = fake.agent.values("*").unwrap();
    fake.thread.join().unwrap();
    let text = Value::Text {
        bytes: b"SET".to_vec(),
        is_cut: true,
    };
    let expected = [(text, 7), (Value::Others, 8)];
    let expected = expected.map(|(value, hits)| ValueHits { value, hits });
    assert_eq!(values, expected);
}

/// The event may come at once, so that it is told with the answer.
#[test]
fn an_event_that_comes_with_the_answer() {
    for (told, expected) in [(true, News::Came), (false, News::Gone)] {
        let mut answer = message(Kind::Done, &DONE);
        if told {
            answer.extend(message(Kind::Triggered, &[]));
        }
        let fake = Fake::new(move |mut stream| stream.write_all(&answer).unwrap());
        let mut waiting = fake.agent.await_event("*", &filter()).unwrap();
        fake.thread.join().unwrap();
        assert_eq!(waiting.switched.matched, 1);
        assert_eq!(waiting.look(), expected);
    }
}

#[test]
fn agents_that_know_no_filters() {
    let refused = |reason: &str| {
        let mut content = vec![reason.len() as u8, 0];
        content.extend(reason.as_bytes());
        switched_when(&message(Kind::Refused, &content)).unwrap_err()
    };
    // As those of earlier versions do.
    let unknown = MessageError::Kind(Kind::OnWhen.number());
    let error = refused(&format!("the message is refused: {unknown}"));
    assert!(matches!(error, ControlError::TooOld), "{error}");
    let error = refused("its program has no end");
    assert!(matches!(error, ControlError::Refused(_)), "{error}");
}

#[test]
fn a_filter_is_sent_behind_the_wish() {
    let wish = RecordWish {
        keep: true,
        ring: 8,
        all: 24,
    };
    let digits = filter().hexadecimal();
    let sent: Vec<u8> = variable::hexadecimal(&digits).unwrap().collect();
    let fake = Fake::new(move |mut stream| {
        let mut rest = vec![0; 9 + sent.len()];
        stream.read_exact(&mut rest).unwrap();
        let mut reader = Reader::new(&rest);
        assert_eq!(RecordWish::decode(&mut reader), Ok(wish));
        let filter = FilterWish::decode(&mut reader).unwrap();
        assert_eq!((filter.expression, reader.left()), ("x > 1", 0));
        let mut answer = message(Kind::Recording, b"\x02\0/x");
        answer.extend(message(Kind::Done, &DONE));
        stream.write_all(&answer).unwrap();
    });
    let recorded = fake.agent.record_when("*", wish, &filter()).unwrap();
    assert_eq!(recorded.directory, Path::new("/x"));
    fake.thread.join().unwrap();
}

#[test]
fn answers_that_are_none() {
    let cases: [(Vec<u8>, &str); 6] = [
        (Vec::new(), "the agent has gone"),
        (b"HTTP/1.1 200 OK\r\n".to_vec(), "no message of perflab"),
        (message(Kind::Done, &DONE[..9]), "ends within a field"),
        (message(Kind::Site, &encoded("p")), "ends before"),
        (message(Kind::On, &[]), "makes no sense"),
        (message(Kind::Refused, &[2, 0, b'n', b'o']), "no"),
    ];
    for (answer, expected) in cases {
        let error = answered(&answer).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Says the same again, with a pause each time, until nobody listens.
fn again_and_again(what: Vec<u8>, pause: Duration) -> Fake {
    Fake::new(move |mut stream| {
        while stream.write_all(&what).is_ok() {
            thread::sleep(pause);
        }
    })
}

#[test]
fn one_that_drips() {
    let pause = Duration::from_millis(20);
    let site = message(Kind::Site, &encoded("p\nn\nf.c\n7"));
    let slowly = site.clone();
    let byte_by_byte = Fake::new(move |mut stream| {
        for byte in slowly.iter().cycle() {
            if stream.write_all(&[*byte]).is_err() {
                break;
            }
            thread::sleep(pause);
        }
    });
    let silent = Fake::new(|mut stream| {
        let _ = stream.read_to_end(&mut Vec::new());
    });
    for fake in [byte_by_byte, again_and_again(site, pause), silent] {
        let (result, took) = fake.asked(Duration::from_millis(400));
        assert!(matches!(result, Err(ControlError::Late(_))), "{result:?}");
        let bounds = Duration::from_millis(399)..Duration::from_secs(5);
        assert!(bounds.contains(&took), "{took:?}");
    }
}

#[test]
fn one_that_does_not_end() {
    // What follows the fields is ignored, but counts.
    let mut content = encoded("p\nn\nf.c\n7");
    content.resize(60_000, 0);
    let site = message(Kind::Site, &content);
    let most = LONGEST_ANSWER / site.len() as u64;
    let (result, took) =
        again_and_again(site.clone(), Duration::ZERO).asked(Duration::from_secs(60));
    assert!(matches!(result, Err(ControlError::TooLong)), "{result:?}");
    assert!(took < Duration::from_secs(50), "{took:?}");
    // As much as is allowed, and then its end.
    let fake = Fake::new(move |mut stream| {
        for _ in 0..most {
            stream.write_all(&site).unwrap();
        }
        stream.write_all(&message(Kind::Done, &DONE)).unwrap();
    });
    let (sites, _) = fake.asked(Duration::from_secs(60)).0.unwrap();
    assert_eq!(sites.len() as u64, most);
}

#[test]
fn one_that_accepts_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let path = socket_of(directory.path(), std::process::id());
    let listener = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    rustix::net::bind(&listener, &SocketAddrUnix::new(&path).unwrap()).unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    let _waits = UnixStream::connect(&path).unwrap();
    let begin = Instant::now();
    let agent = Agent::at(&path).with_patience(Duration::from_millis(300));
    let result = agent.list("*");
    assert!(matches!(result, Err(ControlError::Late(_))), "{result:?}");
    assert!(begin.elapsed() < Duration::from_secs(5));
}

/// A process that does nothing, killed at the end.
struct Sleeper(Child);

impl Sleeper {
    fn new() -> Self {
        Self(Command::new("sleep").arg("60").spawn().unwrap())
    }

    fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }

    fn becomes(&self, state: &str) {
        let end = Instant::now() + Duration::from_secs(10);
        let path = format!("/proc/{}/stat", self.0.id());
        while !fs::read_to_string(&path).unwrap().contains(state) {
            assert!(Instant::now() < end, "it does not become {state}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn one_that_speaks_for_another_process() {
    let directory = tempfile::tempdir().unwrap();
    let sleeper = Sleeper::new();
    let pid = sleeper.0.id();
    let path = socket_of(directory.path(), pid);
    // It would not hear the question: nobody accepts.
    let _listener = UnixListener::bind(&path).unwrap();
    let agent = Agent::at(&path);
    for result in [
        agent.list("*").map(|_| ()),
        agent.switch("*", true).map(|_| ()),
    ] {
        let error = result.unwrap_err();
        let is_peer = matches!(error, ControlError::Untrusted(Untrusted::Peer { .. }));
        assert!(is_peer, "{error}");
        let own = std::process::id();
        let said = error.to_string();
        assert!(
            said.contains(&format!("process {own} of user"))
                && said.contains(&format!("instead of process {pid} ")),
            "{said}"
        );
    }
    let other = Agent::at(&directory.path().join("agent.sock"));
    let error = other.list("*").unwrap_err().to_string();
    assert!(error.contains("is called PID-START.sock"), "{error}");
}

#[test]
fn one_that_is_stopped_and_one_that_has_gone() {
    let directory = tempfile::tempdir().unwrap();
    let mut sleeper = Sleeper::new();
    let pid = sleeper.0.id();
    let path = socket_of(directory.path(), pid);
    let agent = Agent::at(&path);
    let found = |expected: &str| {
        let error = agent.switch("*", true).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    };
    sleeper.send(Signal::STOP);
    sleeper.becomes(") T ");
    found(&format!("kill -CONT {pid}"));
    sleeper.send(Signal::CONT);
    sleeper.becomes(") S ");
    // A process takes its socket away before it ends.
    found("has gone");
    sleeper.send(Signal::KILL);
    sleeper.becomes(") Z ");
    // One that was killed leaves it, and nobody listens.
    drop(UnixListener::bind(&path).unwrap());
    found("has gone");
    sleeper.0.wait().unwrap();
    found("has gone");
}

#[test]
fn one_that_ends_while_it_is_asked() {
    let ends_late = || {
        let directory = tempfile::tempdir().unwrap();
        let sleeper = Sleeper::new();
        let path = socket_of(directory.path(), sleeper.0.id());
        // Nobody listens any more, as the socket is closed before the process has ended.
        drop(UnixListener::bind(&path).unwrap());
        let ends = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            drop(sleeper);
        });
        let result = Agent::at(&path).list("*");
        ends.join().unwrap();
        result
    };
    // Later than it is waited for, if this machine does much else.
    let mut results = (0..5).map(|_| ends_late());
    assert!(results.any(|result| matches!(result, Err(ControlError::Gone))));
}

#[test]
fn one_whose_process_goes_on_without_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = socket_of(directory.path(), std::process::id());
    drop(UnixListener::bind(&path).unwrap());
    let took = |agent: Agent| {
        let begin = Instant::now();
        let result = agent.list("*");
        assert!(matches!(result, Err(ControlError::Closed)), "{result:?}");
        begin.elapsed()
    };
    // It may be about to end, or to make another socket.
    let watched = took(Agent::at(&path));
    assert!(watched >= Duration::from_millis(400), "{watched:?}");
    let at_once = took(Agent::at(&path).at_once());
    assert!(at_once < Duration::from_millis(400), "{at_once:?}");
    fs::remove_file(&path).unwrap();
    let fake = Fake::new(|mut stream| {
        // It ends within its answer.
        let site = message(Kind::Site, &encoded("p\nn\nf.c\n7"));
        stream.write_all(&site[..site.len() - 1]).unwrap();
    });
    let (result, _) = fake.asked(Duration::from_secs(60));
    assert!(matches!(result, Err(ControlError::Closed)), "{result:?}");
}
