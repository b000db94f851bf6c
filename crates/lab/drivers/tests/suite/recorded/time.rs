//! The driver on recorded outputs of the real tool.

use super::common::{Recorded, values};
use perflab_drivers::{Place, ReadError, Stream, Time};
use perflab_experiment::Sample;

/// As the source of OpenBSD's time 1.18 prints it, of FreeBSD with the other names of page faults.
const BSD: &str = "\
make: done
real        12.34
user         5.60
sys          1.02
     12344  maximum resident set size
         0  average shared memory size
         0  average unshared data size
         0  average unshared stack size
      4321  minor page faults
         2  major page faults
         0  swaps
         7  block input operations
         8  block output operations
         0  messages sent
         0  messages received
         0  signals received
        55  voluntary context switches
        66  involuntary context switches
";

fn gnu() -> Recorded {
    Recorded::new(&Time, "gnu-1.9")
}

fn read(stderr: &[u8], exit_code: i32) -> Result<Vec<Sample>, ReadError> {
    gnu().read_bytes(b"real 1.00\n", stderr, exit_code)
}

#[test]
fn every_value_is_the_one_on_its_line() {
    assert_eq!(
        values(&read(&gnu().bytes("work.stderr"), 0).unwrap()),
        [
            (None, "wall", 0.58),
            (None, "user", 0.19),
            (None, "system", 0.26),
            (None, "max_rss", 92128.0 * 1024.0),
            (None, "major_faults", 8.0),
            (None, "minor_faults", 29087.0),
            (None, "voluntary_switches", 146.0),
            (None, "involuntary_switches", 145.0),
        ]
    );
}

#[test]
fn the_block_of_a_bsd_is_read() {
    let expected = [
        (None, "wall", 12.34),
        (None, "user", 5.6),
        (None, "system", 1.02),
        (None, "max_rss", 12344.0 * 1024.0),
        (None, "major_faults", 2.0),
        (None, "minor_faults", 4321.0),
        (None, "voluntary_switches", 55.0),
        (None, "involuntary_switches", 66.0),
    ];
    assert_eq!(values(&read(BSD.as_bytes(), 0).unwrap()), expected);
    let free = BSD
        .replace("minor page faults", "page reclaims")
        .replace("major page faults", "page faults");
    assert_eq!(values(&read(free.as_bytes(), 0).unwrap()), expected);
}

/// The command's own words stand above the block, even if they look like one.
#[test]
fn the_last_block_counts() {
    for name in ["own-stderr", "nested"] {
        let samples = read(&gnu().bytes(&format!("{name}.stderr")), 0).expect(name);
        assert_eq!(samples.len(), 8, "{name}");
    }
    let nested = gnu().bytes("nested.stderr");
    let text = String::from_utf8(nested.clone()).unwrap();
    let outer = text.rfind("\tCommand being timed").unwrap();
    assert_eq!(read(&nested, 0), read(&nested[outer..], 0));
    assert_ne!(read(&nested, 0), read(&nested[..outer], 0));
}

#[test]
fn failures_are_refused() {
    for (name, code, words) in [
        ("failed", 3, "exit code 3"),
        ("killed", 137, "exit code 137"),
        ("no-command", 127, "cannot run"),
        ("failed", 0, "`Exit status: 0`, found `\\tExit status: 3`"),
        ("killed", 0, "found `Command terminated by signal 9`"),
    ] {
        let error = read(&gnu().bytes(&format!("{name}.stderr")), code).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    let error = read(b"done\n", 0).unwrap_err();
    assert_eq!(error.place, Place::Whole(Stream::Stderr));
}

#[test]
fn what_is_written_below_the_block_spoils_it() {
    let gnu = String::from_utf8(gnu().bytes("work.stderr")).unwrap();
    for text in [&gnu, BSD] {
        let error = read(format!("{text}late\n").as_bytes(), 0).unwrap_err();
        assert!(error.to_string().contains("late"), "{error}");
    }
    let twice = gnu.replace("\tSwaps: 0\n", "\tUser time (seconds): 0.00\n");
    assert!(
        read(twice.as_bytes(), 0)
            .unwrap_err()
            .to_string()
            .contains("one line `User time")
    );
    let macos = format!("{BSD}   1234  peak memory footprint\n");
    assert!(
        read(macos.as_bytes(), 0)
            .unwrap_err()
            .to_string()
            .contains("a quantity of BSD")
    );
}

#[test]
fn a_cut_block_yields_nothing() {
    let gnu = gnu().bytes("work.stderr");
    for whole in [&gnu[..], BSD.as_bytes()] {
        for end in 0..whole.len() {
            assert!(read(&whole[..end], 0).is_err(), "cut at {end}");
        }
    }
}
