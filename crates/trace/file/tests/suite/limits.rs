//! Batches of a size, files that change, rounds.

use perflab_abi::WatermarkContent;
use perflab_trace_file::{EventBatch, EventSelection, FULL_BATCH, Trace};

use crate::made::{NO_ARGUMENTS, begun, layout, text_words};

#[test]
fn batches_stay_small_and_many_threads_come_in_order() {
    let description = "p\nn\nf\n1\ncstr text";
    let mut to = begun(1, description);
    let layout = layout(description);
    let words = text_words(Some(&[b'x'; 1000]));
    for thread in 0..4 {
        let mut batch = EventBatch::new(1, thread);
        for time in 0..500 {
            batch
                .push(1, false, time * 4 + u64::from(thread), &layout, &words)
                .unwrap();
            if batch.is_full() {
                assert!(batch.bytes() > FULL_BATCH && batch.bytes() < 64 * 1024);
                to.events(&mut batch).unwrap();
            }
        }
        to.last_events(&mut batch).unwrap();
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), to.finish().unwrap()).unwrap();
    let trace = Trace::open(file.path()).unwrap();
    let events = trace.events(&EventSelection::default());
    assert!(events.map(|event| event.time).eq(0..2000));
    // The file grows and changes: what was there when it was opened is read.
    let mut other = std::fs::read(file.path()).unwrap();
    other.truncate(other.len() / 2);
    std::fs::write(file.path(), other).unwrap();
    let mut events = trace.events(&EventSelection::default());
    assert!((900..1100).contains(&events.by_ref().count()));
    assert!(events.cut().is_some());
    assert!(Trace::open(std::path::Path::new("/")).is_err());
}

#[test]
fn both_ends_of_a_filter_belong_to_it() {
    let mut to = begun(1, NO_ARGUMENTS);
    let mut batch = EventBatch::new(1, 1);
    for time in 0..100 {
        batch
            .push(1, false, time, &layout(NO_ARGUMENTS), &[])
            .unwrap();
    }
    to.last_events(&mut batch).unwrap();
    let trace = Trace::from_bytes(to.finish().unwrap()).unwrap();
    let selection = EventSelection {
        from: 20,
        to: 30,
        ..EventSelection::default()
    };
    let times = trace.events(&selection).map(|event| event.time);
    assert!(times.eq(20..=30));
}

#[test]
fn rounds_are_held_to_their_word() {
    let mut to = begun(1, NO_ARGUMENTS);
    let mut batch = EventBatch::new(1, 1);
    for time in [99, 100] {
        to.watermark(&WatermarkContent {
            process: 1,
            time: 100,
        })
        .unwrap();
        batch.push(1, false, time, &[], &[]).unwrap();
        to.events(&mut batch).unwrap();
    }
    let trace = Trace::from_bytes(to.finish().unwrap()).unwrap();
    assert_eq!((trace.problem_count(), trace.totals().events), (1, 2));
}
