//! The log on a medium that fails, fills up and stalls when it is told to.

mod commits;
mod failures;
mod fake;
mod held_up;

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use fake::Fake;

use crate::format::HEAD_BYTES;
use crate::log::Log;
use crate::place::Place;
use crate::policy::Policy;

/// A log on a medium, and the medium.
fn log(policy: Policy) -> (Log, Arc<Fake>) {
    let fake = Arc::new(Fake::new());
    let place = Place::find(Path::new("/no-such-log")).expect("the root is there");
    let medium = Arc::clone(&fake);
    let log = Log::start(place, policy, medium, fake::SALT, HEAD_BYTES as u64);
    (log.expect("threads can be started"), fake)
}

/// Waits until something is so. Fails if it takes long.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(30), "never: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}
