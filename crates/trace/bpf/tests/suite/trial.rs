//! Programs that judge events of this process.

use std::sync::Arc;

use perflab_bpf::{Trial, Value, Way};

use crate::assembler::*;

fn trial() -> Trial {
    Trial::new(Arc::new(lowered(&IMPORTS, &conjunction(), LITERALS)))
}

fn values(number: u64, text: Option<&[u8]>) -> [Value<'_>; 3] {
    let ratio = Value::Number(1.5_f64.to_bits());
    [Value::Number(number), ratio, Value::Text(text)]
}

#[test]
fn both_ways_judge_alike() {
    let trial = trial();
    assert!(trial.code().unwrap().bytes() > 0);
    assert!(trial.took().iter().all(|took| !took.is_zero()));
    for (number, text, expected) in [
        (513, Some("GET"), 10),
        (512, Some("GET"), 0),
        (513, Some("GETS"), 0),
        (513, Some("GET\0S"), 10),
        (513, None, 0),
        (u64::MAX, Some("GET"), 0),
    ] {
        let event = trial.event(&values(number, text.map(str::as_bytes)));
        let event = event.unwrap();
        for way in [Way::Native, Way::Interpreted] {
            let accepted = trial.judge(&event, 10, way);
            assert_eq!(accepted, Some(expected), "{number} {text:?} {way:?}");
        }
    }
}

#[test]
fn what_is_no_event_of_the_program() {
    let trial = trial();
    let [number, ratio, text] = values(1, None);
    assert!(trial.event(&[number, ratio]).is_none());
    assert!(trial.event(&[number, ratio, text, text]).is_none());
    assert!(trial.event(&[text, ratio, number]).is_none());
    // Of another program.
    let other = lowered(&IMPORTS[..1], &[set(0, 1), exit()], b"");
    let other = Trial::new(Arc::new(other));
    let event = other.event(&[number]).unwrap();
    for way in [Way::Native, Way::Interpreted] {
        assert_eq!(trial.judge(&event, 1, way), None);
        assert_eq!(other.judge(&event, 3, way), Some(3));
    }
}
