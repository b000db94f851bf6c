//! A server on a port of its own, and what it answers.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

use perflab_serve::{Limits, Options, serve};

use crate::made::Made;

/// Longest that an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A directory of results with a server. The server ends with the process of the test.
pub struct Served {
    pub root: tempfile::TempDir,
    pub address: SocketAddr,
}

impl Served {
    /// Serves a directory with the result `first`.
    pub fn one() -> Self {
        let root = tempfile::tempdir().unwrap();
        Made::plain().write(&root.path().join("first"));
        Self::of(root)
    }

    pub fn of(root: tempfile::TempDir) -> Self {
        Self::within(root, Limits::default())
    }

    pub fn within(root: tempfile::TempDir, limits: Limits) -> Self {
        let options = Options {
            root: root.path().to_owned(),
            address: "127.0.0.1:0".parse().unwrap(),
            limits,
        };
        let (say, hear) = channel();
        std::thread::spawn(move || serve(&options, |first| say.send(first.to_owned()).unwrap()));
        let first = hear.recv_timeout(PATIENCE).unwrap();
        let address = first
            .trim_start_matches("http://")
            .trim_end_matches('/')
            .parse()
            .unwrap();
        Self { root, address }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn get(&self, target: &str) -> Answer {
        self.ask("GET", target)
    }

    pub fn ask(&self, method: &str, target: &str) -> Answer {
        let host = self.address;
        self.send(
            format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
                .as_bytes(),
        )
        .unwrap_or_else(|| panic!("{method} {target} is not answered"))
    }

    /// Sends a request. Nothing if the server says nothing that is an answer.
    pub fn send(&self, request: &[u8]) -> Option<Answer> {
        self.exchange(request, false)
    }

    /// Sends these bytes and no more.
    pub fn send_and_end(&self, request: &[u8]) -> Option<Answer> {
        self.exchange(request, true)
    }

    fn exchange(&self, request: &[u8], end: bool) -> Option<Answer> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        // It may hang up before it has read all.
        let _hung_up = stream.write_all(request);
        if end {
            let _hung_up = stream.shutdown(Shutdown::Write);
        }
        let mut answer = Vec::new();
        let read = stream.read_to_end(&mut answer);
        let timed_out = read.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
        assert!(
            !timed_out,
            "no answer to {:.200}",
            String::from_utf8_lossy(request)
        );
        Answer::parse(&answer)
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Answer {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers: BTreeMap<String, String> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let rest = &bytes[end + 4..];
        let is_chunked = headers
            .get("transfer-encoding")
            .is_some_and(|coding| coding == "chunked");
        let body = if is_chunked {
            unchunked(rest)
        } else {
            rest.to_vec()
        };
        Some(Self {
            status,
            headers,
            body,
        })
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Checks the status.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{:.500}", self.text());
        self
    }

    /// Checks that all words are in it.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(
                self.text().contains(word),
                "`{word}` is not in {:.3000}",
                self.text()
            );
        }
        self
    }
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|window| window == b"\r\n") {
        let length = std::str::from_utf8(&rest[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        let Some(chunk) = rest.get(end + 2..end + 2 + length) else {
            break;
        };
        body.extend_from_slice(chunk);
        rest = &rest[end + 2 + length + 2..];
    }
    body
}

/// All that is below a directory: rights, times, and content.
pub fn tree(directory: &Path) -> BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut next = vec![directory.to_owned()];
    while let Some(path) = next.pop() {
        let about = fs::symlink_metadata(&path).unwrap();
        let mut content = Vec::new();
        if about.is_dir() {
            next.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if about.is_file() {
            content = fs::read(&path).unwrap();
        }
        found.insert(
            path,
            (about.mode(), about.mtime(), about.mtime_nsec(), content),
        );
    }
    found
}
