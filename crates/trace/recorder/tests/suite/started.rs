//! Processes that are started with the environment of a recording.

use std::ffi::OsString;
use std::fs::File;
use std::io::BufWriter;
use std::process::Command;

use perflab_control::variable::{RECORD_RING, WHEN};
use perflab_control::{Actions, Alternative, EncodedFilter, FilterImport, RecordWish};
use perflab_recorder::{LiveRecording, Problem, Refusal, StartOptions};
use perflab_trace_file::TraceWriter;

fn recording(directory: &tempfile::TempDir) -> LiveRecording {
    recording_when(directory, None)
}

fn recording_when(directory: &tempfile::TempDir, when: Option<EncodedFilter>) -> LiveRecording {
    let file = File::create(directory.path().join("trace")).unwrap();
    let options = StartOptions {
        probes: "shop:*".to_owned(),
        memory: RecordWish {
            keep: true,
            ring: 64,
            all: 0,
        },
        when,
        preload: OsString::new(),
    };
    LiveRecording::of_started(TraceWriter::new(BufWriter::new(file)), options)
}

#[test]
fn the_first_that_cannot_be_recorded_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let recording = recording(&directory);
    let script = "for i in 1 2 3 4 5 6 7 8 9 9; do printf \"$i\\tshop\\tno room\\n\"; done \
                  >\"${PERFLAB_RECORD_REFUSED% *}\"";
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", script]).envs(recording.environment());
    assert!(shell.status().unwrap().success());
    let mut problems = Vec::new();
    let summary = recording.finish(&[], &mut |problem| problems.push(problem));
    let summary = summary.unwrap();
    let unrecorded = (summary.refused, summary.agentless, summary.hidden);
    assert_eq!((summary.processes, unrecorded), (0, (9, 0, 0)));
    let last = problems.pop().unwrap();
    assert!(matches!(last, Problem::Unnamed(1)), "{last:?}");
    let named = problems.iter().map(|problem| match problem {
        Problem::Refused(Refusal { process, .. }) => *process,
        _ => panic!("{problem:?}"),
    });
    assert_eq!(named.collect::<Vec<u32>>(), (1..=8).collect::<Vec<u32>>());
}

#[test]
fn recordings_of_one_process_have_marks_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let [one, other] = [recording(&directory), recording(&directory)].map(|recording| {
        let variables = recording.environment();
        assert!(variables.contains(&(RECORD_RING.into(), "64".into())));
        variables
    });
    let same = one.iter().filter(|variable| other.contains(variable));
    // All but the mark and the pipe.
    assert_eq!(same.count(), one.len() - 2);
}

#[test]
fn programs_have_the_filter_in_their_environment() {
    let directory = tempfile::tempdir().unwrap();
    let has = |recording: &LiveRecording| {
        let variables = recording.environment();
        let mut filters = variables.into_iter().filter(|(name, _)| name == WHEN);
        filters.next().map(|(_, digits)| digits)
    };
    // None, instead of one that they would inherit.
    assert_eq!(has(&recording(&directory)), Some(OsString::new()));
    let import = FilterImport {
        class: 0,
        name: "x",
    };
    let program = Alternative {
        imports: [import].into_iter(),
        code: &[0x95, 0, 0, 0, 0, 0, 0, 0],
        literals: &[],
    };
    let programs = [program].into_iter();
    let filter = EncodedFilter::new("", Actions::default(), "x > 1", programs).unwrap();
    let digits = OsString::from(filter.hexadecimal());
    assert_eq!(has(&recording_when(&directory, Some(filter))), Some(digits));
}
