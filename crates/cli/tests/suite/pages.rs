//! Results in a browser: `perflab report` and `perflab serve`, as they are called.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use rustix::process::Signal;

use crate::damaged_results::{EXPERIMENT, measured};
use crate::support::{Laboratory, PATIENCE, Running, Said, signal, wait_until};

/// A server, and the address that it printed.
pub struct Server {
    process: Running,
    first: String,
}

impl Server {
    pub fn start(laboratory: &Laboratory, arguments: &[&str]) -> Self {
        let arguments = [&["serve", "--port", "0"], arguments].concat();
        let mut process = laboratory.start(&arguments);
        let first = process.first_line();
        Self { process, first }
    }

    fn address(&self) -> String {
        let address = self.first.trim_start_matches("http://");
        address
            .split('/')
            .next()
            .unwrap()
            .replace("0.0.0.0", "127.0.0.1")
    }

    pub fn get(&self, target: &str, header: &str) -> String {
        let address = self.address();
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let request = format!(
            "GET {target} HTTP/1.1\r\nHost: {address}\r\n{header}Connection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Asks it to end, and waits until it has.
    pub fn end(mut self, with: Signal) -> Said {
        signal(self.process.pid(), with);
        wait_until("the server to end", || !self.process.is_running());
        self.process.end()
    }
}

#[test]
fn a_report_has_what_compare_says() {
    let laboratory = measured();
    let json = laboratory
        .call(&["compare", "result", "--format", "json", "--gate", "none"])
        .code(0)
        .out;
    laboratory
        .call(&["report", "result", "-o", "out"])
        .code(0)
        .prints(&["out/index.html"]);
    assert_eq!(laboratory.read("out/data/report.json"), json);
    assert!(laboratory.read("out/index.html").contains("b against a"));
}

#[test]
fn a_report_of_what_is_damaged_is_made_and_says_so() {
    let laboratory = measured();
    fs::write(laboratory.path("result/plan.json"), "{}").unwrap();
    laboratory
        .call(&["report", "result", "-o", "out"])
        .code(4)
        .says(&["warning: ", "plan.json"]);
    assert!(
        laboratory
            .read("out/index.html")
            .contains("This result is damaged")
    );
}

#[test]
fn what_cannot_be_reported_or_served() {
    let laboratory = measured();
    laboratory.write("file", "x");
    fs::create_dir(laboratory.path("empty")).unwrap();
    laboratory
        .call(&["report", "none", "-o", "out"])
        .code(2)
        .says(&["none"]);
    laboratory
        .call(&["report", "file", "-o", "out"])
        .code(2)
        .says(&["file"]);
    laboratory
        .call(&["report", "empty", "-o", "out"])
        .code(4)
        .says(&["neither meta.json nor runs.jsonl"]);
    assert!(!laboratory.path("out").exists());
    laboratory
        .call(&["report", "result", "-o", "result"])
        .code(2)
        .says(&["choose another one"]);
    laboratory
        .call(&["report", "result", "-o", "file"])
        .code(2)
        .says(&["choose another one"]);
    laboratory
        .call(&["serve", "none"])
        .code(2)
        .says(&["there is no directory none"]);
    let deeper = laboratory.path("deeper");
    fs::create_dir(&deeper).unwrap();
    fs::rename(laboratory.path("result"), deeper.join("result")).unwrap();
    laboratory
        .call(&["serve", "deeper/result"])
        .code(2)
        .says(&["expected a directory of results", "serve deeper instead"]);
    let inside = laboratory
        .perflab(&["serve", "."])
        .current_dir(deeper.join("result"))
        .output()
        .unwrap();
    Said::from(inside).code(2).says(&["serve ./.. instead"]);
    laboratory
        .call(&["serve", ".", "--port", "0", "--bind", "203.0.113.1"])
        .code(2)
        .says(&["cannot listen"]);
}

#[test]
fn a_server_ends_when_it_is_asked_to() {
    let laboratory = measured();
    for with in [Signal::TERM, Signal::INT] {
        let server = Server::start(&laboratory, &["."]);
        assert!(
            server
                .get("/results/result/index.html", "")
                .starts_with("HTTP/1.1 200")
        );
        // Connections on which nothing, or half a request, was said.
        let silent = TcpStream::connect(server.address()).unwrap();
        let mut half = TcpStream::connect(server.address()).unwrap();
        half.write_all(b"GET / HTTP/1.1\r\nHos").unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let said = server.end(with).code(0);
        assert!(
            said.err.contains("Ctrl-C ends it") && !said.err.contains("panic"),
            "{}",
            said.err
        );
        drop((silent, half));
    }
    laboratory.await_nothing_runs();
}

#[test]
fn two_servers_on_one_port() {
    let laboratory = measured();
    let server = Server::start(&laboratory, &["."]);
    let address = server.address();
    let (_, port) = address.rsplit_once(':').unwrap();
    laboratory
        .call(&["serve", ".", "--port", port])
        .code(2)
        .says(&["choose another --port"]);
    server.end(Signal::TERM).code(0);
}

#[test]
fn beyond_this_machine_nobody_sees_anything_without_the_token() {
    let laboratory = measured();
    let server = Server::start(&laboratory, &[".", "--bind", "0.0.0.0"]);
    let (_, token) = server.first.split_once("/?token=").unwrap();
    assert_eq!(token.len(), 32);
    let page = "/results/result/index.html";
    let address = server.address();
    let (_, port) = address.rsplit_once(':').unwrap();
    for (target, header) in [
        (page.to_owned(), String::new()),
        (format!("{page}?token="), String::new()),
        (format!("{page}?token={}", "0".repeat(32)), String::new()),
        (format!("{page}?token={}", &token[1..]), String::new()),
        (
            page.to_owned(),
            format!("Cookie: perflab-token-{port}=\r\n"),
        ),
        ("/style.css".to_owned(), String::new()),
        ("/none".to_owned(), String::new()),
    ] {
        let answer = server.get(&target, &header);
        assert!(
            answer.starts_with("HTTP/1.1 403") && !answer.contains("against"),
            "{target}: {answer}"
        );
        assert!(!answer.contains(token), "{target}");
    }
    let first = server.get(&format!("/?token={token}"), "");
    assert!(first.starts_with("HTTP/1.1 200"), "{first}");
    let cookie = first
        .lines()
        .find_map(|line| line.strip_prefix("set-cookie: "))
        .unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
        "{cookie}"
    );
    let kept = cookie.split(';').next().unwrap();
    let with = server.get(page, &format!("Cookie: {kept}\r\n"));
    assert!(
        with.starts_with("HTTP/1.1 200") && with.contains("b against a"),
        "{with}"
    );
    server.end(Signal::TERM).code(0);
}

#[test]
fn a_running_experiment_is_watched_and_not_disturbed() {
    let laboratory = Laboratory::new();
    // The sixth run waits until the page has been seen.
    let own = laboratory.path("").display().to_string();
    let waits = format!(
        "echo >> {own}/log; until test -e {own}/seen || test $(wc -l < {own}/log) -lt 6; do sleep 0.01; done; "
    );
    laboratory.write(
        "exp.toml",
        EXPERIMENT.replace("echo VALUE", &format!("{waits}echo VALUE")),
    );
    let running = laboratory.start(&crate::support::RUN);
    wait_until("five runs", || {
        laboratory.read("result/runs.jsonl").matches('\n').count() == 5
    });
    let server = Server::start(&laboratory, &["."]);
    let is_live = || {
        let page = server.get("/results/result/index.html", "");
        assert!(page.starts_with("HTTP/1.1 200"), "{page}");
        page.contains("Being measured")
    };
    assert!(is_live());
    laboratory.write("seen", "");
    wait_until("the end of the experiment", || !is_live());
    running.end().code(0);
    laboratory.assert_complete(12);
    server.end(Signal::TERM).code(0);
}
