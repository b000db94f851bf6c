//! One revision of a history as text.

use std::path::Path;

use perflab_experiment::counted;
use perflab_history::{BuildFacts, Details, Seen, SymbolChange, SymbolChanges, View, subject_name};
use perflab_plot::clean;
use perflab_store::finished_output;

use crate::aligned::aligned;
use crate::difference::{Differences, Estimate};
use crate::history::{OFF_BRANCH, no_interval, unmeasured, why_of_control};
use crate::number::value_with_unit;

/// Lines of a list, unless all are asked for.
const LISTED: usize = 20;

/// What is known of a revision: its values, its build, and what changed since the one before. With `all` no list is cut
/// short.
pub fn revision_text(view: &View, details: &Details, all: bool) -> String {
    let Some(seen) = view.revisions.get(details.place) else {
        return String::new();
    };
    let revision = &seen.revision;
    let most = if all { usize::MAX } else { LISTED };
    let mut text = format!("{} of {}\n", revision.id, revision.timestamp());
    if !revision.tags.is_empty() {
        text += &format!("tags: {}\n", clean(&revision.tags.join(", ")));
    }
    if !revision.subject.is_empty() {
        text += &format!("{}\n", clean(&revision.subject));
    }
    if let Some(build) = &seen.build {
        text += &built(build);
    }
    if seen.off_branch {
        text += &format!("{OFF_BRANCH}\n");
    }
    if !seen.campaigns.is_empty() {
        let campaigns = campaigns(&seen.campaigns);
        text += &match view.why_unmeasured(seen) {
            None => format!("measured in {campaigns}\n"),
            Some(why) => format!("not measured, as {}: {campaigns}\n", unmeasured(why)),
        };
    }
    if !seen.other_campaigns.is_empty() {
        text += &format!(
            "measured for confirmations and bisections in {}\n",
            campaigns(&seen.other_campaigns)
        );
    }
    for found in &view.control_failures {
        if found.revisions.contains(&revision.id) {
            text += &format!("no value, {}\n", why_of_control(view, &found.failure));
        }
    }
    if let Some(failure) = &seen.failure {
        let campaign = format!("campaigns/{:06}", failure.campaign);
        let output = finished_output(Path::new(&campaign), failure.run);
        text += &format!(
            "runs failed: {}; see {}\n",
            clean(&failure.to_string()),
            output.display()
        );
    }
    for fault in &seen.test_faults {
        text += &format!("tests: {}\n", clean(fault));
    }
    text += &values(view, details.place);
    if let Some(before) = details.before.and_then(|before| view.revisions.get(before)) {
        text += &since(before, details, most);
    }
    text
}

/// The directories of campaigns.
fn campaigns(numbers: &[u32]) -> String {
    let directories = numbers
        .iter()
        .map(|number| format!("campaigns/{number:06}"));
    directories.collect::<Vec<_>>().join(", ")
}

/// What changed since the revision before. Of versions that do not come from git neither commits nor files are known.
fn since(before: &Seen, details: &Details, most: usize) -> String {
    let is_of_git = !details.commits.is_empty() || !details.files.is_empty();
    if !is_of_git && details.programs.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\nsince {} of {}:\n",
        before.revision.name(),
        before.revision.date()
    );
    if is_of_git {
        let commits = details.commits.iter();
        let commits = commits.map(|commit| [commit.date(), commit.name(), clean(&commit.subject)]);
        let commits = aligned(&commits.collect::<Vec<_>>(), 3);
        text += &list("commit", commits.lines(), most);
        let files: Vec<String> = details.files.iter().map(|file| clean(file)).collect();
        text += &list("file", files.iter().map(String::as_str), most);
    }
    for (program, changes) in &details.programs {
        text += &functions(program, changes, most);
    }
    text
}

fn built(build: &BuildFacts) -> String {
    let mut text = format!("build {:06}: {}", build.build, build.status.name());
    if let Some(detail) = &build.detail {
        text += &format!(", {}", clean(detail));
    }
    if build.build_seconds() > 0.0 {
        text += &format!(", {}", value_with_unit(build.build_seconds(), "s"));
    }
    for program in &build.programs {
        let code = program
            .code_bytes
            .map(|bytes| format!(", code {bytes} bytes"));
        text += &format!(
            "\n{}: {} bytes{}",
            clean(&program.path),
            program.bytes,
            code.unwrap_or_default()
        );
    }
    text + "\n"
}

/// A line for each metric: the difference from the control.
fn values(view: &View, place: usize) -> String {
    let own = view.series.iter().filter_map(|series| {
        let value = series.values.iter().find(|value| value.place == place)?;
        Some((series, value))
    });
    let note = no_interval(own.clone());
    let rows = own.map(|(series, value)| {
        let estimate = Estimate::new(value.difference, value.low, value.high);
        let unit = &series.subject.metric.unit;
        let style = Differences::of([estimate].into_iter(), series.relative, unit);
        [
            clean(&subject_name(&series.subject)),
            style.answer(estimate),
        ]
    });
    let rows: Vec<[String; 2]> = rows.collect();
    match (rows.is_empty(), &view.control) {
        (true, _) | (_, None) => String::new(),
        (false, Some(control)) => format!(
            "\nagainst the control {} of {}:\n{}{note}",
            control.name(),
            control.date(),
            aligned(&rows, 2)
        ),
    }
}

/// A heading with the number, and the first lines.
fn list<'l>(what: &str, lines: impl Iterator<Item = &'l str>, most: usize) -> String {
    let lines: Vec<&str> = lines.collect();
    let mut text = format!("{}\n", counted(lines.len(), what));
    for line in lines.iter().take(most) {
        text += &format!("  {line}\n");
    }
    text + &left_out(lines.len(), most)
}

/// How many lines a list leaves out; empty where it has all.
fn left_out(lines: usize, most: usize) -> String {
    match lines.saturating_sub(most) {
        0 => String::new(),
        left => format!("  ... {} (--all lists all)\n", counted(left, "more line")),
    }
}

/// How the functions of a program differ.
fn functions(program: &str, changes: &SymbolChanges, most: usize) -> String {
    let mut text = format!(
        "functions of {}: {} came, {} went, {} of another size, {} only moved, {} of the same size and place\n",
        clean(program),
        changes.came.len(),
        changes.went.len(),
        changes.resized.len(),
        changes.moved,
        changes.unchanged
    );
    let row = |word: &'static str| {
        move |change: &SymbolChange| {
            let difference = i128::from(change.after) - i128::from(change.before);
            [
                format!("  {word}"),
                format!("{difference:+} bytes"),
                clean(&change.name),
            ]
        }
    };
    let came = changes.came.iter().map(row("came"));
    let went = changes.went.iter().map(row("went"));
    let resized = changes.resized.iter().map(row("size"));
    let rows: Vec<[String; 3]> = resized.chain(came).chain(went).collect();
    text += &aligned(&rows[..rows.len().min(most)], 3);
    text + &left_out(rows.len(), most)
}
