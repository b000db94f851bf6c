//! Any text as the journal of changed settings, the timers of systemd, and the offloads of a network
//! interface.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use perflab_fuzz::has_control;
use perflab_machine::doctor::timers;
use perflab_machine::tune::{Journal, Target, offload_is_on};

fuzz_target!(|input: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(input) else {
        return Corpus::Reject;
    };
    if let Ok(journal) = Journal::parse(text) {
        for entry in &journal.entries {
            if let Target::File(path) = &entry.target {
                assert!(!path.starts_with('/') && !path.split('/').any(|part| part == ".."));
            }
        }
        let stored = serde_json::to_string(&journal).expect("a journal can be written");
        assert_eq!(Journal::parse(&stored).expect("it is read"), journal);
    }
    if let Ok(findings) = timers(text, 1_763_725_200_000_000) {
        assert!(findings.iter().all(|finding| !has_control(&finding.found)));
    }
    let _ = offload_is_on(text, "tx-checksumming");
    Corpus::Keep
});
