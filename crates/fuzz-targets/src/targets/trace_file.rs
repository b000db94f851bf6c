//! Any bytes as a trace. The first line is `m` for one whose chunks get the heads and checksums that they
//! should have, so that their contents are looked at; otherwise they are taken as they are.

use std::collections::BTreeMap;

use perflab_abi::{CHUNK_HEAD, ChunkHead, ChunkKind};
use perflab_trace_file::{EventSelection, Trace};

use crate::shared::first_line;

/// The input as chunks: kind, version and length are those that stand where they would, the rest is mended.
fn mend(input: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    let mut rest = bytes.as_mut_slice();
    while let Some((head, behind)) = rest.split_first_chunk_mut::<CHUNK_HEAD>() {
        let kind = ChunkKind(u16::from_le_bytes([head[4], head[5]]));
        let version = u16::from_le_bytes([head[6], head[7]]);
        let length = u32::from_le_bytes([head[8], head[9], head[10], head[11]]) as usize;
        let (content, behind) = behind.split_at_mut(length.min(behind.len()));
        *head = ChunkHead::of(kind, version, content)
            .expect("inputs are short")
            .encode();
        rest = behind;
    }
    bytes
}

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let (kind, rest) = first_line(input);
    let bytes = if kind == b"m" {
        mend(rest)
    } else {
        input.to_vec()
    };
    let Ok(trace) = Trace::from_bytes(bytes) else {
        return true;
    };
    assert!(trace.is_ended() == trace.cut().is_none());
    assert!(trace.length() <= input.len() as u64);
    for problem in trace.problems() {
        assert!(!problem.to_string().is_empty());
    }
    for each in trace.discontinuities() {
        assert!(each.from <= each.to && each.ticks.0 <= each.ticks.1);
    }
    let totals = trace.totals();
    for memory in [0, EventSelection::default().memory] {
        let mut next = BTreeMap::new();
        let mut count = 0;
        for event in trace.events(&EventSelection {
            memory,
            ..EventSelection::default()
        }) {
            count += 1;
            // Within a thread the order is that of the file.
            let next = next
                .entry((event.process.number, event.thread.number))
                .or_insert(0);
            assert!(event.index >= *next);
            *next = event.index + 1;
            assert_eq!(event.values().count(), event.probe.arguments.len());
            let conversion = trace.conversion(event.process.clock);
            assert_eq!(conversion.nanoseconds(event.time), event.nanoseconds);
            let _ = (
                conversion.realtime(event.time),
                conversion.error(event.time),
            );
        }
        // Both passes find the same.
        assert_eq!(count, totals.events);
    }
    true
}
