//! Any bytes as the output of redis-benchmark: standard output up to the first NUL, standard error
//! after it.

use std::collections::HashSet;

use perflab_drivers::RedisBenchmark;

use crate::shared::read_output;

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    read_output(&RedisBenchmark, input, |samples| {
        let names: HashSet<_> = samples
            .iter()
            .map(|sample| (&sample.benchmark, &sample.metric.name))
            .collect();
        assert_eq!(names.len(), samples.len(), "each metric of each test once");
    });
    true
}
