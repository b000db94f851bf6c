//! From the text of a history file to checked types.

use perflab_experiment::{
    Command, Fault, ParseError, Place, Source, check_command, check_template, name_from_file,
};

use perflab_formats::TestFormat;

use crate::builds::{OF_ALL, OF_REVISION};
use crate::date::last_second;
use crate::every::{Every, Word};
use crate::file::{BuildTable, HistoryFile, Quirk, Revisions, SCHEMA, SourceTable, TestsTable};

impl HistoryFile {
    /// Reads a history file. `file_name` is used in errors, and for the name of a history that has none.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place: TOML itself, unknown or missing keys, values that are not
    /// allowed, or parts that do not fit together.
    pub fn parse(text: &str, file_name: &str) -> Result<Self, ParseError> {
        let source = Source::parse(text, file_name)?;
        let mut history: Self =
            toml::from_str(text).map_err(|error| source.deserialisation(&error))?;
        check(&history, &source).map_err(|fault| source.fault(fault))?;
        if history.name.is_empty() {
            history.name = name_from_file(file_name);
        }
        Ok(history)
    }
}

fn check(history: &HistoryFile, source: &Source<'_>) -> Result<(), Fault> {
    if history.schema != SCHEMA {
        let found = history.schema;
        return Err(Fault::value(
            Place::of(&["schema"]),
            format!("the file has schema {found}, this version reads schema {SCHEMA}"),
        ));
    }
    let name = Place::of(&["name"]);
    if source.has(&name) && !perflab_experiment::is_experiment_name(&history.name) {
        return Err(Fault::value(name, format!("\"{}\" cannot be the name of a history", history.name))
            .help("a name is lower-case letters, digits, `_`, `-` and `.`, beginning with a letter or digit"));
    }
    check_source(&history.source)?;
    check_revisions(&history.revisions, &history.source)?;
    check_build(&history.build)?;
    if let Some(tests) = &history.tests {
        check_tests(tests)?;
    }
    for (index, quirk) in history.quirks.iter().enumerate() {
        check_quirk(quirk, &Place::of(&["quirks"]).index(index))?;
    }
    let measure = Place::of(&["measure"]);
    for (key, number) in [
        ("together", Some(history.measure.together)),
        ("runs", history.measure.runs),
    ] {
        if number == Some(0) {
            return Err(Fault::value(
                measure.key(key),
                format!("`{key}` must be at least 1"),
            ));
        }
    }
    Ok(())
}

fn check_source(table: &SourceTable) -> Result<(), Fault> {
    let place = Place::of(&["source"]);
    let kinds = [
        ("git", table.git.is_some()),
        ("versions", !table.versions.is_empty()),
        ("list", table.list.is_some()),
    ];
    let given: Vec<&str> = kinds
        .iter()
        .filter(|kind| kind.1)
        .map(|kind| kind.0)
        .collect();
    match given[..] {
        [_] => {}
        [] => {
            return Err(Fault::value(
                place,
                "the source has neither `git` nor `versions` nor `list`",
            )
            .help("name a repository, as in git = \".\""));
        }
        [first, second, ..] => {
            return Err(Fault::key(
                place.key(second),
                format!("`{second}` beside `{first}`: a source is one of them"),
            ));
        }
    }
    let is_git = table.git.is_some();
    let of_git = [
        ("branch", table.branch.is_some()),
        ("first_parent", table.first_parent.is_some()),
        ("submodules", table.submodules),
    ];
    if let Some((key, _)) = of_git.iter().find(|(_, given)| !is_git && *given) {
        return Err(Fault::key(place.key(key), format!("`{key}` without `git`")));
    }
    if is_git && !table.obtain.is_empty() {
        return Err(Fault::key(
            place.key("obtain"),
            "`obtain` beside `git`, which obtains revisions itself",
        )
        .help("put further commands into `steps` of [build]"));
    }
    for (name, date) in &table.versions {
        let at = place.key("versions").key(name);
        version_name(name).map_err(|message| Fault::key(at.clone(), message))?;
        date_of(date, &at)?;
    }
    let list = table
        .list
        .iter()
        .map(|command| (place.key("list"), command));
    commands(list, table.shell, &OF_ALL)?;
    let obtain = numbered(&table.obtain, place.key("obtain"));
    commands(obtain, table.shell, &OF_REVISION)
}

fn check_revisions(table: &Revisions, source: &SourceTable) -> Result<(), Fault> {
    let place = Place::of(&["revisions"]);
    let by_tags = table.every == Every::Word(Word::Tag);
    if table.tags.is_some() && !by_tags {
        return Err(Fault::key(
            place.key("tags"),
            "`tags` without `every = \"tag\"`",
        ));
    }
    if source.git.is_none() && matches!(table.every, Every::Word(Word::Tag | Word::Merge)) {
        return Err(Fault::value(
            place.key("every"),
            "only revisions of git have tags and merges",
        ));
    }
    Ok(())
}

fn check_build(table: &BuildTable) -> Result<(), Fault> {
    let place = Place::of(&["build"]);
    let steps = numbered(&table.steps, place.key("steps"));
    commands(steps, table.shell, &OF_REVISION)?;
    let versions = numbered(&table.version, place.key("version"));
    commands(versions, table.shell, &OF_ALL)?;
    if table.timeout.is_zero() {
        return Err(Fault::value(
            place.key("timeout"),
            "a time limit must be longer than 0s",
        ));
    }
    let directory = table
        .directory
        .iter()
        .map(|path| (place.key("directory"), path));
    let inputs = numbered(&table.inputs, place.key("inputs"));
    let programs = numbered(&table.programs, place.key("programs"));
    for (at, path) in directory.chain(inputs).chain(programs) {
        inside(path, at)?;
    }
    Ok(())
}

/// A path that does not leave the directory of the revision.
fn inside(path: &str, at: Place) -> Result<(), Fault> {
    let leaves = path.split('/').any(|part| part == "..");
    if path.starts_with('/') || leaves || path.is_empty() || path.contains('\0') {
        return Err(
            Fault::value(at, format!("{path:?} is not a path inside of the revision"))
                .help("name it relative to the directory of the revision, as in \"src/server\""),
        );
    }
    Ok(())
}

fn check_tests(table: &TestsTable) -> Result<(), Fault> {
    let place = Place::of(&["tests"]);
    if table.commands.is_empty() {
        return Err(Fault::value(place.key("commands"), "there is no command")
            .help("name one that executes the tests, as in [[\"make\", \"check\"]]"));
    }
    let all = numbered(&table.commands, place.key("commands"));
    commands(all, table.shell, &OF_REVISION)?;
    if let Some(name) = &table.format
        && TestFormat::by_name(name).is_none()
    {
        let known: Vec<&str> = TestFormat::ALL.into_iter().map(TestFormat::name).collect();
        return Err(Fault::value(
            place.key("format"),
            format!("\"{name}\" is no format of test reports"),
        )
        .help(format!("choose one of {}", known.join(", "))));
    }
    if let Some(path) = &table.report {
        inside(path, place.key("report"))?;
    }
    if table.runs == 0 {
        return Err(Fault::value(place.key("runs"), "`runs` must be at least 1"));
    }
    if table.timeout.is_zero() {
        return Err(Fault::value(
            place.key("timeout"),
            "a time limit must be longer than 0s",
        ));
    }
    Ok(())
}

fn check_quirk(quirk: &Quirk, place: &Place) -> Result<(), Fault> {
    if quirk.what.trim().is_empty() || quirk.what.contains('\n') {
        return Err(Fault::value(
            place.key("what"),
            "`what` must be a line that says what changed",
        ));
    }
    let from = numbered(&quirk.commands, place.key("commands"));
    let before = numbered(&quirk.before, place.key("before"));
    commands(from.chain(before), quirk.shell, &OF_REVISION)
}

/// The elements of a list, each with its place.
fn numbered<T>(list: &[T], place: Place) -> impl Iterator<Item = (Place, &T)> {
    let list = list.iter().enumerate();
    list.map(move |(index, element)| (place.index(index), element))
}

/// Refuses commands that cannot be executed, and placeholders without a value.
fn commands<'c>(
    commands: impl IntoIterator<Item = (Place, &'c Command)>,
    shell: bool,
    known: &[&str],
) -> Result<(), Fault> {
    for (place, command) in commands {
        check_command(command, shell, &place)?;
        for (index, text) in command.argv.iter().enumerate() {
            let own = || place.index(index);
            let place = if command.shell { place.clone() } else { own() };
            check_template(text, known, &place)?;
        }
    }
    Ok(())
}

/// What a version may be called: its name becomes that of a variant.
pub(crate) fn version_name(name: &str) -> Result<(), String> {
    match perflab_experiment::is_name(name) {
        true => Ok(()),
        false => Err(format!(
            "\"{name}\" cannot be the name of a version: a name is letters, digits, `_`, `-` and `.`, beginning with a \
             letter or digit"
        )),
    }
}

fn date_of(text: &str, place: &Place) -> Result<i64, Fault> {
    last_second(text).ok_or_else(|| {
        Fault::value(place.clone(), format!("\"{text}\" is no date"))
            .help("write it as 2026-11-21, or with a time as 2026-11-21T10:00:00Z")
    })
}
