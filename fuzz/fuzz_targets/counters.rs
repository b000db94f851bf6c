//! Any bytes as what `perf stat` wrote: the events asked for on the first line, the file behind it.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use perflab_drivers::counters;
use perflab_fuzz::first_line;

fuzz_target!(|input: &[u8]| -> Corpus {
    let (events, file) = first_line(input);
    let Ok(events) = std::str::from_utf8(events) else {
        return Corpus::Reject;
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
    Corpus::Keep
});
