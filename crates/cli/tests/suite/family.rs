//! `perflab trace` on programs that make threads and processes: nothing is missing that is not counted.

use crate::life::{Place, printed};

/// A thread takes its ring with its first event, which is before the recorder has connected.
#[test]
fn sizes_reach_threads_that_start_before_the_recorder() {
    let place = Place::new();
    let program = place.compile("family");
    let trace = place.directory.path().join("burst.trace");
    let mut words = ["record", "-o", trace.to_str().unwrap()].to_vec();
    words.extend(["--ring", "16384", "--memory", "524288"]);
    words.extend(["--", &program, "burst", "400000"]);
    let said = printed(&place.trace(&words));
    assert!(
        said.starts_with("400001 events of 1 process") && said.contains("none lost"),
        "{said}"
    );
}
