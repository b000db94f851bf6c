//! Sites of all kinds in Rust: `sites [PLUGIN]`. Says how often it executed each, then waits. With a plugin it
//! says first that it has loaded it and reads a line; then the sites in it are executed too.

mod plugin;

use std::fmt::Display;
use std::io::{Write, stdin, stdout};

use perflab_probe::{probe, probe_ordered};

const ROUNDS: u64 = 1000;

fn generic<T: Display>(x: T) -> T {
    probe!(sites, generic, size: u64 = size_of::<T>() as u64);
    x
}

#[inline(always)]
fn inlined(x: i32) -> i32 {
    probe!(sites, inlined, x: i32 = x);
    x + 1
}

#[inline(never)]
fn called(x: i32) -> i32 {
    probe_ordered!(sites, called);
    x + 1
}

struct Dropped<'a>(&'a str);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        probe!(sites, dropped, text: str = self.0);
    }
}

async fn waits(x: i32) -> i32 {
    std::future::ready(()).await;
    probe!(sites, waits, x: i32 = x);
    x + 1
}

/// An executor for what never waits.
fn finish<F: Future>(future: F) -> F::Output {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(output) => output,
        std::task::Poll::Pending => unreachable!("nothing here waits"),
    }
}

fn round(round: u64, mut x: i32) -> i32 {
    let closure = |x: i32| {
        probe!(sites, closure, x: i32 = x);
        x + 1
    };
    x = generic(x);
    generic(f64::from(x));
    generic(String::new());
    x = inlined(x);
    x = inlined(x);
    x = called(x);
    x = closure(x);
    x = finish(waits(x));
    x = library::plain(x);
    x = library::small(x);
    library::generic(x);
    library::generic(f64::from(x));
    let text = Dropped("text");
    probe!(sites, many, a: i8 = -1, b: u8 = 2, c: i16 = -3, d: u16 = 4, e: u32 = 5, f: i64 = -6, g: f32 = 1.5,
        h: f64 = 2.5, i: bool = x & 1 == 1, j: ptr = &raw const text, k: bytes = &[1, 2],
        l: enum(A = 0, B = 1) = (round & 1) as i64);
    probe_ordered!(sites, text, whole: cstr = c"text", part: str = text.0, number: u64 = round);
    x
}

fn main() {
    #[cfg(feature = "agent")]
    match perflab_agent::start() {
        Ok(()) => eprintln!("an agent started"),
        Err(error) => eprintln!("no agent started: {error}"),
    }
    let plugin = plugin::load();
    if plugin.is_some() {
        println!("loaded");
        stdin().read_line(&mut String::new()).unwrap();
    }
    let mut x = 0;
    for number in 0..ROUNDS {
        x = round(number, x);
        if let Some(plugin) = plugin {
            x = plugin(x);
        }
    }
    let mut counts = vec![
        ("generic", 3),
        ("inlined", 2),
        ("library_generic", 2),
        ("plain", if plugin.is_some() { 2 } else { 1 }),
    ];
    let once = [
        "called", "closure", "dropped", "many", "small", "text", "waits",
    ];
    counts.extend(once.map(|name| (name, 1)));
    if plugin.is_some() {
        counts.push(("plugin", 1));
    }
    let said: Vec<String> = counts
        .iter()
        .map(|(name, times)| format!("{name} {}\n", times * ROUNDS))
        .collect();
    print!("{}", said.concat());
    stdout().flush().unwrap();
    stdin().read_line(&mut String::new()).unwrap();
}
