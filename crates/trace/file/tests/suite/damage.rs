//! Traces that were cut, altered, or written by nobody.

use perflab_abi::{CHUNK_HEAD, ChunkError, ChunkHead, ChunkKind};
use perflab_trace_file::{ChunkReader, CutReason, Trace};

use crate::made::{Threads, read_all, small};

/// Where the chunks of a trace begin, and its length.
fn boundaries(bytes: &[u8]) -> Vec<u64> {
    let mut reader = ChunkReader::new(bytes);
    let mut all = vec![];
    while let Some(chunk) = reader.next() {
        all.push(chunk.offset);
    }
    assert_eq!(reader.cut(), None);
    all.push(bytes.len() as u64);
    all
}

fn assert_prefix(read: &Threads, whole: &Threads) {
    for (thread, events) in read {
        assert!(whole[thread].starts_with(events), "{thread:?}");
    }
}

#[test]
fn a_whole_trace() {
    let (bytes, expected) = small();
    let trace = Trace::from_bytes(bytes.clone()).unwrap();
    assert!(trace.is_ended());
    assert_eq!(
        (trace.cut(), trace.problems(), trace.length()),
        (None, &[][..], bytes.len() as u64)
    );
    assert_eq!(read_all(&trace), expected);
    let totals = trace.totals();
    assert_eq!((totals.events, totals.incomplete), (36, 18));
    assert_eq!(
        (totals.dropped, totals.overwritten, totals.unreadable),
        (4, 4, 0)
    );
    assert_eq!(trace.machine(), Some("kernel: 6.18\ncpu: some\n"));
    let process = &trace.processes()[&1];
    assert_eq!(
        (
            process.pid,
            process.no_ring,
            process.costs.len(),
            process.snapshots.len()
        ),
        (101, 2, 1, 2)
    );
    assert_eq!(process.threads[&2].name, "worker");
    assert_eq!(process.probes[&2].arguments[0].kind, "cstr");
}

#[test]
fn every_cut_leaves_what_came_before() {
    let (bytes, whole) = small();
    let chunks = boundaries(&bytes);
    let mut most = 0;
    for length in 0..bytes.len() {
        let trace = Trace::from_bytes(bytes[..length].to_vec()).unwrap();
        let last = *chunks
            .iter()
            .rfind(|begin| **begin <= length as u64)
            .unwrap();
        let cut = trace.cut().unwrap();
        assert_eq!(
            (cut.offset, trace.length(), trace.is_ended()),
            (last, last, false)
        );
        let is_whole = last == length as u64;
        assert_eq!(cut.reason == CutReason::NoEnd, is_whole, "{cut}");
        assert_eq!(cut.reason == CutReason::Short, !is_whole, "{cut}");
        let read = read_all(&trace);
        assert_prefix(&read, &whole);
        assert_eq!(
            trace.totals().events,
            read.values().map(Vec::len).sum::<usize>() as u64
        );
        most = most.max(trace.totals().events);
    }
    assert_eq!(most, 36);
}

/// Events of a chunk of the small trace, those that were never completed counted.
const OF_CHUNK: u64 = 9;

#[test]
fn an_altered_byte_costs_its_chunk_only() {
    let (bytes, whole) = small();
    let chunks = boundaries(&bytes);
    for place in 0..bytes.len() {
        let next = chunks.partition_point(|begin| *begin <= place as u64);
        let (begin, end) = (chunks[next - 1], chunks[next]);
        let kind_at = |begin: u64| ChunkKind(bytes[begin as usize + 4].into());
        let kind = kind_at(begin);
        // Two threads have three chunks each, in turn.
        let before = chunks[..next - 1]
            .iter()
            .filter(|begin| kind_at(**begin) == ChunkKind::EVENTS)
            .count();
        for change in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            let mut altered = bytes.clone();
            altered[place] ^= change;
            let trace = Trace::from_bytes(altered).unwrap();
            if kind == ChunkKind::END {
                // With another length it is as if the rest had been cut off.
                let cut = trace.cut().unwrap();
                assert_eq!((cut.offset, trace.left_over()), (begin, end - begin));
                assert_eq!(read_all(&trace), whole);
                continue;
            }
            assert!(trace.is_damaged());
            let [gap] = trace.gaps() else {
                panic!("{:?}", trace.gaps());
            };
            assert_eq!((gap.offset, gap.length), (begin, end - begin));
            assert_eq!(trace.gap_totals(), (1, end - begin));
            assert!(trace.is_ended() && trace.left_over() == 0);
            let read = read_all(&trace);
            for (thread, events) in &read {
                let mut all = whole[thread].iter();
                assert!(events.iter().all(|event| all.any(|each| each == event)));
            }
            let totals = trace.totals();
            let count = read.values().map(Vec::len).sum::<usize>() as u64;
            assert_eq!(totals.events, count);
            // Nobody knows of the last events of a thread, and of the first whether they are of the trace.
            let lost = match kind {
                ChunkKind::EVENTS => OF_CHUNK,
                ChunkKind::PROBE => totals.unreadable,
                ChunkKind::PROCESS => 6 * OF_CHUNK,
                _ => 0,
            };
            assert_eq!(count + totals.incomplete + lost, 6 * OF_CHUNK, "{kind:?}");
            // Four had others written over them; behind a gap nobody can tell these from those that were in it.
            let missing = totals.damaged + totals.overwritten;
            match kind {
                ChunkKind::PROCESS => assert_eq!(totals.unreadable, lost),
                ChunkKind::PROBE => assert!(lost > 0),
                ChunkKind::EVENTS if before == 2 || before == 3 => {
                    assert_eq!(missing, OF_CHUNK + 4);
                    assert!(totals.damaged > OF_CHUNK);
                }
                ChunkKind::EVENTS => assert!(missing <= 4),
                _ => assert_eq!((&read, missing), (&whole, 4)),
            }
        }
    }
}

#[test]
fn what_looks_like_a_chunk_is_none() {
    let (bytes, whole) = small();
    let chunks = boundaries(&bytes);
    let third = chunks[3] as usize;
    let head = |length| {
        let head = ChunkHead {
            kind: ChunkKind::EVENTS,
            version: 1,
            length,
            check: 0,
        };
        head.encode().to_vec()
    };
    // Between two chunks: text with the magic, heads that say more than there is, bytes of all kinds, and so many that the
    // magic behind them lies across the end of what is read at once.
    let noises = [
        b"PFLCPFLCPFLC".to_vec(),
        [head(16 * 1024 * 1024), head(5), head(0)].concat(),
        b"PFL".to_vec(),
        vec![b'P'; 200_000],
        [vec![0; 65_536 + 1021], b"PFLC".to_vec(), vec![7; 70_000]].concat(),
        vec![7; 65_535],
    ];
    for noise in noises {
        let longer = [&bytes[..third], &noise, &bytes[third..]].concat();
        let trace = Trace::from_bytes(longer).unwrap();
        assert_eq!(trace.gap_totals(), (1, noise.len() as u64));
        assert!(trace.is_damaged() && trace.is_ended());
        assert_eq!(read_all(&trace), whole);
        // The same at its end: nothing comes any more.
        let end = *chunks.iter().rev().nth(1).unwrap() as usize;
        let trace = Trace::from_bytes([&bytes[..end], &noise].concat()).unwrap();
        assert_eq!(trace.left_over(), noise.len() as u64);
        assert_eq!((trace.length(), trace.gap_totals().0), (end as u64, 0));
        assert_eq!(read_all(&trace), whole);
    }
}

/// A trace whose chunks are what somebody wanted them to be.
#[test]
fn altered_contents_with_a_right_checksum() {
    let (bytes, _) = small();
    let chunks = boundaries(&bytes);
    for pair in chunks.windows(2) {
        let (begin, end) = (pair[0] as usize, pair[1] as usize);
        for place in begin + CHUNK_HEAD..end {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut altered = bytes.clone();
                altered[place] = value;
                let (head, content) = altered[begin..end]
                    .split_first_chunk_mut::<CHUNK_HEAD>()
                    .unwrap();
                let of = ChunkHead::decode(head).unwrap();
                *head = ChunkHead::of(of.kind, of.version, content)
                    .unwrap()
                    .encode();
                let trace = Trace::from_bytes(altered).unwrap();
                assert!(trace.is_ended());
                let read = read_all(&trace);
                let events = read.values().map(Vec::len).sum::<usize>();
                assert_eq!(trace.totals().events, events as u64);
                for problem in trace.problems() {
                    assert!(!problem.to_string().is_empty());
                }
            }
        }
    }
}

fn chunk(kind: u16, version: u16, content: &[u8]) -> Vec<u8> {
    let head = ChunkHead::of(ChunkKind(kind), version, content).unwrap();
    [&head.encode(), content].concat()
}

#[test]
fn unknown_kinds_and_versions_are_skipped() {
    let (bytes, whole) = small();
    let mut longer = vec![];
    for pair in boundaries(&bytes).windows(2) {
        longer.extend(chunk(77, 1, b"of the future"));
        longer.extend(chunk(5, 2, b"events of the future"));
        longer.extend(chunk(2, 3, b"a probe of the future"));
        longer.extend(&bytes[pair[0] as usize..pair[1] as usize]);
    }
    longer.extend(b"what is behind the end is no part of the trace");
    let trace = Trace::from_bytes(longer).unwrap();
    assert_eq!(trace.skipped(), 3 * (boundaries(&bytes).len() as u64 - 1));
    assert_eq!((trace.cut(), trace.problem_count()), (None, 0));
    assert_eq!(read_all(&trace), whole);
}

#[test]
fn events_before_their_process_or_probe_are_none() {
    let (bytes, _) = small();
    let mut parts: Vec<&[u8]> = boundaries(&bytes)
        .windows(2)
        .map(|pair| &bytes[pair[0] as usize..pair[1] as usize])
        .collect();
    let kind = |part: &&[u8]| u16::from_le_bytes([part[4], part[5]]);
    // All that says what events mean comes behind them.
    parts.sort_by_key(|part| match kind(part) {
        5 => 0,
        8 => 2,
        _ => 1,
    });
    let trace = Trace::from_bytes(parts.concat()).unwrap();
    assert_eq!((trace.problem_count(), trace.totals().events), (6, 0));
    assert_eq!(read_all(&trace), Threads::new());
    // The process comes before its events, the probe behind them: their bytes mean nothing.
    parts.sort_by_key(|part| match kind(part) {
        1 => 0,
        5 => 1,
        8 => 3,
        _ => 2,
    });
    let trace = Trace::from_bytes(parts.concat()).unwrap();
    let totals = trace.totals();
    assert_eq!(
        (trace.problem_count(), totals.events, totals.unreadable),
        (6, 0, 54)
    );
    assert_eq!(read_all(&trace), Threads::new());
    // The same events twice are there once.
    parts.sort_by_key(|part| match kind(part) {
        1 => 0,
        5 => 2,
        8 => 3,
        _ => 1,
    });
    let events: Vec<&[u8]> = parts
        .iter()
        .filter(|part| kind(part) == 5)
        .copied()
        .collect();
    let end = parts.pop().unwrap();
    parts.extend(events);
    parts.push(end);
    let trace = Trace::from_bytes(parts.concat()).unwrap();
    assert_eq!(trace.totals().events, 36);
    // Three chunks of each of two threads come again, and all come behind the last round.
    assert_eq!(trace.problem_count(), 6 + 6);
    assert_eq!(read_all(&trace).values().map(Vec::len).sum::<usize>(), 36);
}

#[test]
fn a_length_is_not_believed() {
    let mut bytes = small().0;
    let head = ChunkHead {
        kind: ChunkKind::EVENTS,
        version: 1,
        length: 16 * 1024 * 1024,
        check: 0,
    };
    bytes.truncate(0);
    bytes.extend(head.encode());
    let mut reader = ChunkReader::new(bytes.as_slice());
    assert_eq!(reader.next(), None);
    assert_eq!(reader.cut().unwrap().reason, CutReason::Short);
    bytes[11] = 2;
    let mut reader = ChunkReader::new(bytes.as_slice());
    assert_eq!(reader.next(), None);
    let reason = CutReason::Broken(ChunkError::TooLong(2 << 24));
    assert_eq!(reader.cut().unwrap().reason, reason);
    assert!(Trace::from_bytes(b"#!/bin/sh and more text".to_vec()).is_err());
}

/// A damaged length makes the reader take in megabytes, which it must not move for each small chunk in them: hours for
/// a long trace, where a second is enough.
#[test]
fn a_damaged_length_before_many_small_chunks() {
    let (bytes, _) = small();
    let chunks = boundaries(&bytes);
    let mut all = chunks
        .windows(2)
        .map(|ends| &bytes[ends[0] as usize..ends[1] as usize]);
    let losses = |chunk: &&[u8]| ChunkKind(chunk[4].into()) == ChunkKind::LOSSES;
    let chunk = all.find(losses).unwrap();
    let begin = chunks[1] as usize;
    let mut damaged = [&bytes[..begin], chunk].concat();
    let many = (15 << 20) / chunk.len();
    let length = (many * chunk.len()) as u32;
    damaged[begin + 8..begin + 12].copy_from_slice(&length.to_le_bytes());
    let head = *damaged[begin..].first_chunk().unwrap();
    assert_eq!(ChunkHead::decode(&head).unwrap().length, length);
    for _ in 0..=many {
        damaged.extend(chunk);
    }
    let begun = std::time::Instant::now();
    let mut reader = ChunkReader::new(&damaged[..]);
    let mut found = 0;
    while reader.next().is_some() {
        found += 1;
    }
    assert_eq!((found, reader.gaps().len()), (many + 2, 1));
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}
