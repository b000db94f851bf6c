//! Each driver with the tool that is installed, called as an experiment would call it.
//!
//! `make tools` installs them all.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use perflab_drivers::{Driver, FsMark, Iperf3, Output, Tcpbench, Time, Usage, Wrk};
use perflab_experiment::Sample;
use perflab_testing::needs;

/// A server that is gone when the test ends, however it ends.
struct Server(Child);

impl Server {
    fn start(program: &str, args: &[&str]) -> Self {
        let child = Command::new(program)
            .args(args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server that starts");
        Self(child)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener
        .local_addr()
        .expect("an address")
        .port()
        .to_string()
}

/// Runs the tool as its driver says.
fn run(driver: &dyn Driver, args: &[&str]) -> Result<Vec<Sample>, String> {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    driver.check(&args).map_err(|error| error.to_string())?;
    let argv = driver.argv(&args);
    let output = Command::new(&argv[0])
        .args(&argv[1..])
        .output()
        .map_err(|error| error.to_string())?;
    let usage = Usage {
        exit_code: output.status.code().unwrap_or(-1),
        ..Usage::default()
    };
    driver
        .read(&Output {
            stdout: &output.stdout,
            stderr: &output.stderr,
            usage,
        })
        .map_err(|error| error.to_string())
}

/// The same, again until the server listens.
fn run_when_served(driver: &dyn Driver, args: &[&str]) -> Vec<Sample> {
    let start = Instant::now();
    loop {
        match run(driver, args) {
            Ok(samples) => return samples,
            Err(error) if start.elapsed() > Duration::from_secs(20) => panic!("{error}"),
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

fn value(samples: &[Sample], name: &str) -> f64 {
    let found = samples.iter().find(|sample| sample.metric.name == name);
    found.unwrap_or_else(|| panic!("no {name}")).value
}

#[test]
fn fs_mark() {
    needs("fs_mark", "fsmark");
    let folder = std::env::temp_dir().join(format!("perflab-fs_mark-{}", std::process::id()));
    std::fs::create_dir(&folder).expect("a new folder");
    let (files, log) = (folder.join("files"), folder.join("log"));
    let (files, log) = (files.to_str().unwrap(), log.to_str().unwrap());
    let args = [
        "-d", files, "-l", log, "-n", "10", "-s", "100", "-L", "3", "-S", "0",
    ];
    let samples = run(&FsMark, &args);
    std::fs::remove_dir_all(&folder).expect("to be rid of the folder");
    let samples = samples.unwrap();
    assert_eq!(samples.len(), 6);
    assert!(value(&samples, "files") > 0.0);
}

#[test]
fn iperf3() {
    needs("iperf3", "iperf3");
    let port = free_port();
    let _server = Server::start("iperf3", &["-s", "-p", &port]);
    let base = ["-c", "127.0.0.1", "-p", &port, "-t", "1", "-b", "8M"];
    for (more, count) in [
        (&[][..], 5),
        (&["-P", "2", "-R"][..], 6),
        (&["--bidir"][..], 8),
        (&["-u"][..], 6),
    ] {
        let samples = run_when_served(&Iperf3, &[&base, more].concat());
        assert_eq!(samples.len(), count, "{more:?}");
        let received = value(&samples, "received");
        assert!((1e4..1e8).contains(&received), "{more:?}: {received}");
    }
    let error = run(&Iperf3, &["-c", "127.0.0.1", "-p", &free_port(), "-t", "1"]).unwrap_err();
    assert!(error.contains("start the server first"), "{error}");
}

#[test]
fn tcpbench() {
    needs("tcpbench", "tcpbench");
    let port = free_port();
    let _server = Server::start("tcpbench", &["-4", "-s", "-p", &port]);
    let args = [
        "-4", "-p", &port, "-S", "4096", "-B", "64", "-t", "1", "-r", "200",
    ];
    let samples = run_when_served(&Tcpbench, &[&args[..], &["-n", "2", "127.0.0.1"]].concat());
    assert_eq!(samples.len(), 1);
    assert!(value(&samples, "sent") > 1e3);
    let port = free_port();
    let error = run(&Tcpbench, &["-4", "-p", &port, "-t", "1", "127.0.0.1"]).unwrap_err();
    assert!(error.contains("Connection refused"), "{error}");
}

#[test]
fn time() {
    needs("time", "time");
    let command = ["sh", "-c", "echo working >&2; sleep 0.1; echo done >&2"];
    let samples = run(&Time, &command).unwrap();
    assert_eq!(samples.len(), 8);
    assert!(value(&samples, "wall") >= 0.1);
    assert!(value(&samples, "max_rss") > 100_000.0);
    let error = run(&Time, &["sh", "-c", "exit 7"]).unwrap_err();
    assert!(error.contains("exit code 7"), "{error}");
}

/// A server that answers every request on each of its connections, until the test ends.
fn answer_http() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || {
                let mut stream = stream.expect("a connection");
                let mut request = [0; 4096];
                while stream.read(&mut request).is_ok_and(|read| read > 0) {
                    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi\n";
                    if stream.write_all(answer).is_err() {
                        break;
                    }
                }
            });
        }
    });
    address
}

#[test]
fn wrk() {
    needs("wrk", "wrk");
    let url = format!("http://{}/", answer_http());
    let samples = run(&Wrk, &["-t1", "-c2", "-d1s", &url]).unwrap();
    assert_eq!(samples.len(), 9);
    assert!(value(&samples, "rps") > 0.0);
    let closed = format!("http://127.0.0.1:{}/", free_port());
    let error = run(&Wrk, &["-t1", "-c1", "-d1s", &closed]).unwrap_err();
    assert!(error.contains("unable to connect"), "{error}");
}
