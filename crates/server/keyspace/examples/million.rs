//! Prints how much memory a key takes: 1 million keys of 16 bytes with values of 32 bytes.
#![expect(unsafe_code, reason = "a keyspace is made for one flavour of RCU")]
#![expect(clippy::print_stdout, reason = "this is what it is for")]

use std::error::Error;
use std::fs;

use perflab_keyspace::{Hand, Key, Keyspace};
use perflab_rcu::{Limbo, Limits, OwnQsbr};

const KEYS: usize = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    // SAFETY: only `OwnQsbr` is used.
    let space = unsafe { Keyspace::new() };
    let mut limbo: Limbo<OwnQsbr> = Limbo::new(Limits::default());
    let before = resident()?;
    let mut used = 0;
    for number in 0..KEYS {
        let name = format!("key:{number:012}");
        let key = Key::of(name.as_bytes());
        let mut hand = Hand::new(&mut limbo, 1_000);
        space
            .lock(0, key)
            .put(&mut hand, 0, key, &[&[b'v'; 32]], None);
        used += hand.memory;
        if number % 1_000 == 0 {
            limbo.relieve_alone()?;
        }
    }
    limbo.drain()?;
    let after = resident()?;
    let each = |bytes: u64| bytes as f64 / KEYS as f64;
    println!("resident set: {:.1} bytes a key", each(after - before));
    println!("entries: {:.1} bytes a key", each(used.unsigned_abs()));
    println!("table: {:.1} bytes a key", each(space.table_bytes() as u64));
    Ok(())
}

/// The resident set of this process, in bytes.
fn resident() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    Ok(kib.ok_or("no VmRSS in /proc/self/status")?.parse::<u64>()? * 1024)
}
