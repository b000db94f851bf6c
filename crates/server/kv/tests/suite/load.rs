//! `load`: what it prints, what it ends with, and how perflab has it take turns.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Command;
use std::thread;

use serde_json::{Value, json};

use crate::{KV, Said};

/// Calls `perflab-kv load`.
fn load(arguments: &[&str]) -> Said {
    let output = Command::new(KV).arg("load").args(arguments).output();
    Said::of(output.unwrap())
}

/// A server that knows no key, or does what else it is told to with a connection: its address.
fn server(serve: fn(TcpStream)) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || serve(stream.unwrap()));
        }
    });
    format!("redis://127.0.0.1:{port}")
}

/// Answers each request that gets a key: it has one star.
fn misses(mut stream: TcpStream) {
    let mut bytes = [0; 4096];
    while let Ok(length @ 1..) = stream.read(&mut bytes) {
        let requests = bytes[..length].iter().filter(|byte| **byte == b'*').count();
        if stream.write_all(&b"$-1\r\n".repeat(requests)).is_err() {
            return;
        }
    }
}

/// Arguments that ask for keys.
const GETS: [&str; 6] = ["--ratio", "0:1", "--connections", "2", "--warm-up-ms", "0"];

/// Adds the keys of all objects in a value, but not the texts of errors.
fn collect(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                keys.insert(key.clone());
                collect(value, keys);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, keys)),
        _ => {}
    }
}

#[test]
fn the_help_describes_every_key() {
    let target = format!("a={}", server(misses));
    let pid = format!("a={}", std::process::id());
    let more = [
        target.as_str(),
        "--pid",
        &pid,
        "--rate",
        "2000",
        "--operations",
        "100",
    ];
    let result = load(&[&GETS[..], &more].concat()).code(0).json();
    assert_eq!(result["targets"][0]["operations"], 100);
    assert_eq!(result["targets"][0]["commands"][0]["hit_rate"], 0.0);
    assert!(
        result["targets"][0]["server_cpu"]["seconds"].is_number(),
        "{result}"
    );
    let mut keys = BTreeSet::new();
    collect(&result, &mut keys);
    let help = load(&["--help"]).code(0).out;
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let words: BTreeSet<&str> = help.split(|character: char| !is_word(character)).collect();
    let missing: Vec<&String> = keys
        .iter()
        .filter(|key| !words.contains(key.as_str()))
        .collect();
    assert!(missing.is_empty(), "the help lacks {missing:?}");
}

#[test]
fn several_targets_take_turns_of_20_ms() {
    let address = server(misses);
    let (a, b) = (format!("a={address}"), format!("b={address}"));
    let more = [a.as_str(), &b, "--seconds", "0.1", "--threads", "2"];
    let said = load(&[&GETS[..], &more].concat()).code(0);
    let result = said.json();
    for target in [0, 1] {
        let turns = result["targets"][target]["turns"].as_array().unwrap();
        assert_eq!(turns.len(), 5, "{result}");
    }
    // People see a row for each, and why all keys are missing.
    for name in ["a ", "b "] {
        let mut rows = said.err.lines().filter(|line| line.starts_with(name));
        assert!(rows.any(|row| row.contains(" GET ")), "{}", said.err);
    }
    assert!(
        said.err.contains("warning: a: each GET missed"),
        "{}",
        said.err
    );
}

/// The file with which perflab has a program take turns.
fn order(targets: &Value) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("perflab-turns.json");
    let order = json!({"slices": 3, "warmup": 1, "seed": 7, "targets": targets});
    fs::write(&path, order.to_string()).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (directory, path)
}

fn take_turns(targets: &Value) -> Said {
    let (_directory, path) = order(targets);
    Said::of(Command::new(KV).arg(path).output().unwrap())
}

fn target(variant: &str, address: &str, more: &[&str]) -> Value {
    let target = format!("server={address}");
    let pid = format!("server={}", std::process::id());
    let own = ["load", &target, "--pid", &pid];
    let arguments = [&own[..], &GETS, more].concat();
    json!({"variant": variant, "arguments": arguments})
}

#[test]
fn perflab_gets_a_line_for_each_slice() {
    let address = server(misses);
    let more = ["--operations", "40"];
    let targets = ["first", "second"].map(|variant| target(variant, &address, &more));
    let said = take_turns(&json!(targets)).code(0);
    let lines: Vec<Value> = said
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let places: Vec<(&Value, &Value)> = lines
        .iter()
        .map(|line| (&line["target"], &line["slice"]))
        .collect();
    assert_eq!(
        json!(places),
        json!([[0, 1], [0, 2], [0, 3], [1, 1], [1, 2], [1, 3]])
    );
    for line in &lines {
        assert_eq!(line["operations"], 40, "{line}");
        assert!(
            line["at_s"].is_number() && line["wall_s"].as_f64() > Some(0.0),
            "{line}"
        );
        assert!(line["server_cpu_ns_per_operation"].is_number(), "{line}");
    }
    assert!(said.err.contains("second  GET"), "{}", said.err);
}

#[test]
fn turns_that_cannot_be_compared_are_refused() {
    let address = server(misses);
    let forty = ["--operations", "40"];
    for (targets, words) in [
        (json!([]), "no target takes turns"),
        (
            json!([
                target("a", &address, &forty),
                target("b", &address, &["--operations", "41"])
            ]),
            "variant `b`: commands may differ in the target and --pid only",
        ),
        (
            json!([target("a", &address, &[])]),
            "a time or a number of operations",
        ),
        (
            json!([{"variant": "a", "arguments": ["rcu", "list"]}]),
            "variant `a`: only `load` takes turns",
        ),
        (
            json!([{"variant": "a", "arguments": ["load", "--keys", "0"]}]),
            "variant `a`: error: ",
        ),
        (
            json!([target("a", &address, &["other=unix:/x"])]),
            "expected one target in each command",
        ),
        (json!("x"), "perflab-turns.json: invalid type"),
    ] {
        let said = take_turns(&targets).code(2);
        assert!(
            said.err.contains(words) && said.out.is_empty(),
            "{}",
            said.err
        );
    }
}

#[test]
fn exit_codes_say_who_is_to_blame() {
    let closes = format!("a={}", server(drop));
    let refuses = format!(
        "a={}",
        server(|mut stream: TcpStream| {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"-ERR no\r\n");
            let _ = stream.read(&mut [0; 4096]);
        })
    );
    let one = [refuses.as_str(), "--operations", "1", "--warm-up-ms", "0"];
    for (arguments, code, words) in [
        (
            &["a=redis://x", "--key-bytes", "3"][..],
            2,
            "do not fit keys of 3 bytes",
        ),
        (&["a=unix:/x", "--pid", "b=1"], 2, "no target is called `b`"),
        (&["a=unix:/x", "--seconds=-1"], 2, "--seconds: "),
        (&["x"], 2, "expected NAME=redis://HOST:PORT"),
        (&["a=unix:/x", "--poisson"], 2, "--rate"),
        (&["a=unix:/x", "--value-bytes", "5-4"], 2, "or MIN-MAX"),
        (
            &["a=unix:/x", "--command", "GET x", "--ratio", "1:1"],
            2,
            "cannot be used with",
        ),
        (&[closes.as_str()], 4, "the server closed a connection"),
        (&one, 4, "as `ERR no`. Use --allow-errors"),
        (
            &["a=unix:/nonexistent/x"],
            5,
            "a=unix:/nonexistent/x: cannot connect",
        ),
    ] {
        let said = load(arguments).code(code);
        assert!(
            said.err.contains(words) && said.out.is_empty(),
            "{words}: {}",
            said.err
        );
    }
    let result = load(&[&one[..], &["--allow-errors"]].concat())
        .code(0)
        .json();
    assert_eq!(result["targets"][0]["errors"], json!({"ERR no": 1}));
}
