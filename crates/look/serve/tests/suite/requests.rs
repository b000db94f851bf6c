//! Requests of every kind: what is not asked for properly is refused, and the next one is answered.

use std::io::Write;
use std::net::TcpStream;

use crate::support::{Served, tree};

/// Each answer keeps browsers from doing anything else with it than showing it.
#[test]
fn every_answer_has_the_headers() {
    let served = Served::one();
    for (method, target, status) in [
        ("GET", "/", 200),
        ("HEAD", "/", 200),
        ("GET", "/style.css", 200),
        ("GET", "/plots.js", 200),
        ("GET", "/results/first/index.html", 200),
        ("GET", "/results/first/plots.js", 200),
        ("GET", "/results/first/data/report.json", 200),
        ("GET", "/results/first/raw/1/1-stdout.txt", 200),
        ("GET", "/pair?a=first&b=first", 200),
        ("GET", "/pair", 400),
        ("GET", "/pair?a=%ff&b=", 404),
        ("GET", "/none", 404),
        ("GET", "/%ff", 404),
        ("GET", "/results/none", 404),
        ("GET", "/results/%ff", 404),
        ("GET", "/a/b/c", 404),
        ("POST", "/", 405),
        ("PUT", "/results/first/index.html", 405),
        ("DELETE", "/results/first/index.html", 405),
        ("PATCH", "/style.css", 405),
        ("OPTIONS", "/", 405),
        ("TRACE", "/", 405),
        ("PROPFIND", "/pair", 405),
        ("POST", "/a/b/c", 404),
    ] {
        let answer = served.ask(method, target).is(status);
        assert_protected(&answer.headers, &format!("{method} {target}"));
    }
    let other = served
        .send(b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
        .unwrap()
        .is(421);
    assert_protected(&other.headers, "another name");
}

fn assert_protected(headers: &std::collections::BTreeMap<String, String>, of: &str) {
    let policy = headers
        .get("content-security-policy")
        .unwrap_or_else(|| panic!("{of}: {headers:?}"));
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ] {
        assert!(policy.contains(part), "{of}: {policy}");
    }
    assert!(
        !policy.contains("script-src 'self' 'unsafe-inline'"),
        "{of}: {policy}"
    );
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-cache"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(headers.get(name).map(String::as_str), Some(value), "{of}");
    }
    assert!(
        !headers.contains_key("access-control-allow-origin") && !headers.contains_key("set-cookie"),
        "{of}"
    );
}

#[test]
fn only_names_of_this_machine_are_answered() {
    let served = Served::one();
    let port = served.address.port();
    let with = |host: &str| {
        let request =
            format!("GET /results/first/index.html HTTP/1.1\r\n{host}Connection: close\r\n\r\n");
        served.send(request.as_bytes()).unwrap()
    };
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        with(&format!("Host: {host}:{port}\r\n")).is(200);
    }
    for host in [
        format!("Host: evil.example:{port}\r\n"),
        format!("Host: 127.0.0.1.evil.example:{port}\r\n"),
        format!("Host: 127.0.0.1:{}\r\n", port ^ 1),
        format!("Host: 0.0.0.0:{port}\r\n"),
        "Host: localhost\r\n".to_owned(),
        "Host: \r\n".to_owned(),
        String::new(),
        format!("Host: localhost:{port}\r\nHost: evil.example\r\n"),
    ] {
        let answer = with(&host);
        assert!(
            matches!(answer.status, 400 | 421),
            "{host}: {}",
            answer.status
        );
        assert!(!answer.text().contains("faster"), "{host}");
    }
}

/// What a browser says when a page of somebody else has a script, or a link, that leads here.
#[test]
fn pages_of_others_take_nothing() {
    let served = Served::one();
    let port = served.address.port();
    let with = |target: &str, mode: &str, dest: &str| {
        let request = format!(
            "GET {target} HTTP/1.1\r\nHost: localhost:{port}\r\nSec-Fetch-Site: cross-site\r\n\
             Sec-Fetch-Mode: {mode}\r\nSec-Fetch-Dest: {dest}\r\nConnection: close\r\n\r\n"
        );
        served.send(request.as_bytes()).unwrap()
    };
    let data = "/results/first/data/report.json";
    let refused = with(data, "no-cors", "script").is(403);
    assert!(!refused.text().contains("rows"));
    with("/results/first/index.html", "navigate", "document").is(200);
}

#[test]
fn head_has_the_headers_and_no_body() {
    let served = Served::one();
    for target in [
        "/",
        "/results/first/index.html",
        "/results/first/raw/1/1-stdout.txt",
    ] {
        let (head, get) = (
            served.ask("HEAD", target).is(200),
            served.get(target).is(200),
        );
        assert!(head.body.is_empty() && !get.body.is_empty(), "{target}");
        assert_eq!(head.headers["content-type"], get.headers["content-type"]);
    }
}

#[test]
fn what_is_no_request_does_not_end_it() {
    let served = Served::one();
    let before = tree(served.root.path());
    let host = served.address;
    let many = format!(
        "GET / HTTP/1.1\r\nHost: {host}\r\n{}\r\n",
        "X: y\r\n".repeat(10_000)
    );
    let large = format!(
        "GET / HTTP/1.1\r\nHost: {host}\r\nX: {}\r\n\r\n",
        "y".repeat(2_000_000)
    );
    let query = format!(
        "GET /?q={} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n",
        "%3cb%3e+".repeat(5000)
    );
    let body =
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999999999999999999\r\n\r\n");
    let negative = format!("POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\nabc");
    let both = format!(
        "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"
    );
    let range = format!(
        "GET /results/first/raw/1/1-stdout.txt HTTP/1.1\r\nHost: {host}\r\nRange: bytes=9-1\r\nConnection: close\r\n\r\n"
    );
    let requests: Vec<&[u8]> = vec![
        b"",
        b"\0\0\0\0",
        b"GET",
        b"GET / HTTP/1.1\r\nHost:",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET \0 HTTP/1.1\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /results/first/index.html\x00 HTTP/1.1\r\n\r\n",
        b"GET results HTTP/1.1\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\n\r\n",
        b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        many.as_bytes(),
        large.as_bytes(),
        query.as_bytes(),
        body.as_bytes(),
        negative.as_bytes(),
        both.as_bytes(),
        range.as_bytes(),
    ];
    for request in requests {
        let _refused_or_answered = served.send_and_end(request);
        served.get("/style.css").is(200);
    }
    let found = served.send(query.as_bytes()).unwrap().text();
    assert!(!found.contains("<b>"));
    assert_eq!(tree(served.root.path()), before);
}

#[test]
fn fifty_at_once_and_many_that_say_nothing() {
    let served = Served::one();
    let idle: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(served.address).unwrap();
            stream.write_all(b"GET / HT").unwrap();
            stream
        })
        .collect();
    let targets = [
        "/",
        "/results/first/index.html",
        "/results/first/comparison-1-1.html",
        "/plots.js",
        "/results/first/raw/3/1-stdout.txt",
    ];
    std::thread::scope(|scope| {
        for number in 0..50 {
            let (served, target) = (&served, targets[number % targets.len()]);
            scope.spawn(move || {
                let answer = served.get(target).is(200);
                assert!(!answer.body.is_empty(), "{target}");
            });
        }
    });
    drop(idle);
    served.get("/").is(200);
}

#[test]
fn whoever_goes_away_in_the_middle_does_no_harm() {
    let served = Served::one();
    for _ in 0..20 {
        let mut stream = TcpStream::connect(served.address).unwrap();
        let request = format!("GET /plots.js HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
        stream.write_all(request.as_bytes()).unwrap();
    }
    served.get("/").is(200);
}
