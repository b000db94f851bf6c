//! The tests of a history as text: a line for each, with a letter for each revision.

use std::fmt::Write;

use perflab_experiment::{Outcome, Status, counted};
use perflab_history::{TestCell, TestSeries, TestState, View};
use perflab_plot::clean;

use crate::aligned::aligned;

/// Revisions that a line shows, the last ones.
const SHOWN: usize = 60;

/// The tests: those that fail, failed or are flaky, or all of them.
pub fn tests_text(view: &View, all: bool) -> String {
    let (shown, quiet): (Vec<&TestSeries>, Vec<&TestSeries>) =
        view.tests.iter().partition(|test| all || !is_quiet(test));
    let newest = newest(view);
    let is_current = |test: &&TestSeries| !test.is_group() && last_place(test) == newest;
    let current: Vec<&TestSeries> = view.tests.iter().filter(is_current).collect();
    let mut text = format!("{}: {}", view.name, counted(current.len(), "test"));
    let mut by_outcome: Vec<(Outcome, usize)> = Vec::new();
    for test in &current {
        match by_outcome
            .last_mut()
            .filter(|(outcome, _)| *outcome == test.last())
        {
            Some((_, count)) => *count += 1,
            None => by_outcome.push((test.last(), 1)),
        }
    }
    for (outcome, count) in &by_outcome {
        let _ = write!(text, ", {count} {}", outcome.name());
    }
    text.push_str(" at the newest revision that was tested\n");
    if !shown.is_empty() {
        text.push('\n');
        let first = view.revisions.len().saturating_sub(SHOWN);
        let rows = shown.iter().map(|test| row(view, test, first, newest));
        text += &aligned(&rows.collect::<Vec<_>>(), 5);
        let _ = writeln!(text, "\n{}", legend(&shown, first));
    }
    let newest = newest.and_then(|place| view.revisions.get(place));
    for fault in newest.iter().flat_map(|seen| &seen.test_faults) {
        let _ = writeln!(text, "{}", clean(fault));
    }
    if !quiet.is_empty() {
        let _ = writeln!(
            text,
            "{} never failed; --all shows them",
            counted(quiet.len(), "test")
        );
    }
    text
}

/// The newest revision that was tested.
fn newest(view: &View) -> Option<usize> {
    view.tests.iter().filter_map(last_place).max()
}

fn last_place(test: &TestSeries) -> Option<usize> {
    test.cells.last().map(|cell| cell.place)
}

/// Whether there is nothing to say of a test.
fn is_quiet(test: &TestSeries) -> bool {
    let is_well = |cell: &TestCell| cell.worst().is_as_expected() != Some(false);
    test.state != TestState::Flaky && test.cells.iter().all(is_well)
}

fn row(view: &View, test: &TestSeries, first: usize, newest: Option<usize>) -> [String; 5] {
    let strip = (first..view.revisions.len()).map(|place| {
        let cell = test.cells.iter().find(|cell| cell.place == place);
        cell.map_or(' ', letter)
    });
    let since = test.since.and_then(|place| view.revisions.get(place));
    let since = since.map_or(String::new(), |seen| {
        format!("since {} of {}", seen.revision.name(), seen.revision.date())
    });
    [
        match last_place(test) == newest {
            true => test.last().name().to_owned(),
            false => "gone".to_owned(),
        },
        strip.collect(),
        test.state.word().to_owned(),
        since,
        clean(&test.full_name()),
    ]
}

/// One character for what a test did at a revision.
pub fn letter(cell: &TestCell) -> char {
    match cell.worst() {
        _ if cell.is_mixed() => '~',
        Outcome::PASS => '.',
        Outcome::XFAIL => 'x',
        Outcome::SKIP => '-',
        Outcome::XPASS => '+',
        Outcome::NOLOG => 'L',
        Outcome::NOCLEAN => 'C',
        Outcome::NOEXIST => '?',
        Outcome::Run(Status::NoRun) => 'R',
        Outcome::Run(Status::NotReady) => 'Y',
        Outcome::Run(Status::NoBuild) => 'B',
        Outcome::Run(Status::NoStop) => 'O',
        // The first letters of the others differ.
        outcome => outcome.name().chars().next().unwrap_or('?'),
    }
}

/// What the characters that were used mean.
fn legend(shown: &[&TestSeries], first: usize) -> String {
    let mut used: Vec<(char, &str)> = Vec::new();
    let cells = shown.iter().flat_map(|test| &test.cells);
    let mut cells: Vec<&TestCell> = cells.filter(|cell| cell.place >= first).collect();
    cells.sort_by_key(|cell| cell.worst());
    for cell in cells {
        let entry = match cell.is_mixed() {
            true => ('~', "passed and failed"),
            false => (letter(cell), cell.worst().name()),
        };
        if !used.contains(&entry) {
            used.push(entry);
        }
    }
    let used: Vec<String> = used
        .iter()
        .map(|(letter, word)| format!("{letter} {word}"))
        .collect();
    format!("from the oldest to the last revision: {}", used.join(", "))
}
