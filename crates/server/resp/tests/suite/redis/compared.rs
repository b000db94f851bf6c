//! Inputs that Redis answers as we would: with the replies to the requests that we find, then with the error that we
//! find, or not at all.

use std::collections::BTreeSet;

use perflab_resp::{Answers, Limits, Protocol, Replies};

use super::server::{Heard, Redis};
use super::table::{all, for_strangers};
use crate::naive::Found;
use crate::oracle::find;
use crate::random;

/// What Redis takes from a client that it knows. It has no limit of ours.
const KNOWN: Limits = Limits {
    bulk: 512 * 1024 * 1024,
    elements: i32::MAX as usize,
    authenticated: true,
};
const STRANGER: Limits = Limits {
    authenticated: false,
    ..KNOWN
};

#[test]
fn the_table_is_long_and_has_nothing_twice() {
    let inputs = all();
    assert!(inputs.len() >= 150, "{}", inputs.len());
    let different: BTreeSet<&Vec<u8>> = inputs.iter().collect();
    assert_eq!(different.len(), inputs.len());
}

#[test]
fn redis_answers_as_we_do() {
    let mut redis = Redis::start();
    for input in all() {
        compare(&mut redis, &input, &KNOWN);
    }
}

#[test]
fn redis_answers_strangers_as_we_do() {
    let mut redis = Redis::start_with_password();
    for input in [for_strangers(), all()].concat() {
        compare(&mut redis, &input, &STRANGER);
    }
}

#[test]
fn redis_answers_random_requests_as_we_do() {
    let mut redis = Redis::start();
    let mut rng = random::generator(5);
    for _ in 0..3000 {
        compare(&mut redis, &random::requests(&mut rng), &KNOWN);
    }
}

fn compare(redis: &mut Redis, input: &[u8], limits: &Limits) {
    let found = find(input, limits, || usize::MAX);
    let heard = redis.ask(input);
    if let Err(difference) = differs(&found, &heard, limits) {
        panic!(
            "{difference}\ninput: {}\nwe find: {found:?}\nRedis says: {}{}",
            input[..input.len().min(300)].escape_ascii(),
            heard.bytes[..heard.bytes.len().min(300)].escape_ascii(),
            if heard.is_closed { ", and closes" } else { "" }
        );
    }
}

fn differs(found: &Found, heard: &Heard, limits: &Limits) -> Result<(), String> {
    let mut rest = heard.bytes.as_slice();
    for request in &found.requests {
        match reply(request).filter(|_| limits.authenticated) {
            Some(expected) => {
                rest = rest
                    .strip_prefix(expected.as_slice())
                    .ok_or_else(|| format!("a reply should be {}", expected.escape_ascii()))?;
            }
            None => {
                let answer = Answers::default().skip(rest);
                let answer = answer.map_err(|error| error.to_string())?;
                let answer = answer.ok_or("a reply is missing")?;
                let is_error = answer.kind.is_error() && !rest.starts_with(b"-ERR Protocol");
                if !is_error {
                    return Err("an error is expected in place of a reply".to_owned());
                }
                rest = &rest[answer.length..];
            }
        }
    }
    let mut end = Vec::new();
    if let Some(error) = found.error {
        error.reply(&mut end);
    }
    if rest != end {
        return Err(format!(
            "the end should be {:?}",
            end.escape_ascii().to_string()
        ));
    }
    if heard.is_closed != found.error.is_some() {
        return Err("one closes, the other does not".to_owned());
    }
    Ok(())
}

/// The reply to a request, as far as it is known here; the others get an error.
fn reply(request: &[Vec<u8>]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut replies = Replies::new(&mut out, Protocol::Two);
    match request {
        [name, text] if name.eq_ignore_ascii_case(b"ECHO") => replies.bulk(text),
        [name, text] if name.eq_ignore_ascii_case(b"PING") => replies.bulk(text),
        [name] if name.eq_ignore_ascii_case(b"PING") => replies.simple("PONG"),
        _ => return None,
    }
    Some(out)
}
