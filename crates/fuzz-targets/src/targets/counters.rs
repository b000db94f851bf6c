//! Any bytes as what `perf stat` wrote: the events asked for on the first line, the file behind it.

use perflab_drivers::counters;

use crate::shared::first_line;

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let (events, file) = first_line(input);
    let Ok(events) = std::str::from_utf8(events) else {
        return false;
    };
    let events: Vec<String> = events.split(',').map(str::to_owned).collect();
    match counters::read(&events, file) {
        Ok(samples) => {
            assert!(samples.len() >= events.len());
            assert!(
                samples
                    .iter()
                    .all(|sample| sample.value.is_finite() && sample.value >= 0.0)
            );
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains('\n'), "{message}");
        }
    }
    true
}
