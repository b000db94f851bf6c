//! A search that a person drives: what was said is kept in a file of lines, which can be read and edited.
//!
//! ```text
//! in DIRECTORY                              of the repository, if it is not the current one; relative to the file
//! start HASH HASH [flaky] [first-parent]
//! good HASH
//! bad HASH
//! skip HASH
//! ```

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use perflab_history::{Repository, Revision, SearchRange, Source};
use perflab_stats::bisection::{
    Answer, Bisection, Block, Event, Outcomes, Revision as Place, Run, Terms,
};

use super::answer::{found_text, known, line, no_change_text, size_of_failures};
use super::arguments::{LogArguments, OneArguments, Spoken};
use super::measured::certainty;
use crate::failure::{Code, Failure};
use crate::output;
use crate::terminal;
use crate::text_file;

/// Begins the line that names the repository.
const IN: &str = "in ";

/// Executes a word.
pub(super) fn said(word: &Spoken) -> Result<Option<Code>, Failure> {
    match word {
        Spoken::Start {
            good,
            bad,
            flaky,
            first_parent,
            repository,
            log,
        } => {
            let mut flags = Vec::new();
            flags.extend(flaky.then_some("flaky"));
            flags.extend(first_parent.then_some("first-parent"));
            start([good, bad], &flags, repository.as_deref(), &log.path)
        }
        Spoken::Good(one) => add("good", one),
        Spoken::Bad(one) => add("bad", one),
        Spoken::Skip(one) => add("skip", one),
        Spoken::Log(log) => print(&log.path),
        Spoken::Replay { file, log } => replay(file, &log.path),
        Spoken::Reset(log) => reset(log),
    }
}

/// A search, as its file describes it.
struct Search {
    text: String,
    repository: Repository,
    range: SearchRange,
    search: Bisection<Outcomes>,
    is_flaky: bool,
}

impl Search {
    /// Reads the file of a search, whose name is for people.
    fn read(text: String, path: &Path) -> Result<Self, Failure> {
        let wrong = |number: usize, what: String| {
            Failure::usage(format!("{}:{number}: {what}", path.display()))
        };
        let directory = text.lines().next().and_then(|line| line.strip_prefix(IN));
        let lines = text
            .lines()
            .enumerate()
            .skip(usize::from(directory.is_some()));
        let mut lines = lines.filter_map(|(at, line)| {
            let words: Vec<&str> = line.split_whitespace().collect();
            (!words.is_empty() && !line.starts_with('#')).then_some((at + 1, words))
        });
        let Some((number, first)) = lines.next() else {
            return Err(wrong(
                1,
                "expected `start GOOD BAD`, found nothing".to_owned(),
            ));
        };
        let ["start", good, bad, flags @ ..] = first.as_slice() else {
            return Err(wrong(
                number,
                format!("expected `start GOOD BAD`, found `{}`", first.join(" ")),
            ));
        };
        if let Some(unknown) = flags
            .iter()
            .find(|flag| !matches!(**flag, "flaky" | "first-parent"))
        {
            return Err(wrong(
                number,
                format!("expected `flaky` or `first-parent`, found `{unknown}`"),
            ));
        }
        let directory = directory.map(|directory| beside(path, directory));
        let repository = Repository::open(directory.as_deref().unwrap_or(Path::new(".")))?;
        let source = Source::Git(&repository);
        let range = SearchRange::new(&source, None, [good, bad], flags.contains(&"first-parent"))?;
        let is_flaky = flags.contains(&"flaky");
        // The user has tried the ends already.
        let ends = [
            (Place::Good, false),
            (Place::At(range.revisions.len() - 1), true),
        ];
        let mut events = vec![block(&ends)];
        for (number, words) in lines {
            let [word @ ("good" | "bad" | "skip"), name] = words.as_slice() else {
                let found = words.join(" ");
                return Err(wrong(
                    number,
                    format!("expected `good`, `bad` or `skip` and a revision, found `{found}`"),
                ));
            };
            let place = place(&repository, &range, name)?;
            events.push(match (*word, place) {
                ("skip", Place::At(at)) if at + 1 < range.revisions.len() => Event::Skipped(at),
                ("skip", _) => {
                    return Err(wrong(
                        number,
                        format!("{name} is an end of the search and cannot be skipped; begin one with other ends"),
                    ));
                }
                (word, place) => block(&[(place, word == "bad")]),
            });
        }
        let search = Bisection::replay(
            range.lineage.clone(),
            Terms::default(),
            Outcomes::new(certainty(is_flaky))?,
            &events,
        )?;
        Ok(Self {
            text,
            repository,
            range,
            search,
            is_flaky,
        })
    }

    fn open(path: &Path) -> Result<Self, Failure> {
        Self::read(Self::text(path)?, path)
    }

    /// The file of a search.
    fn text(path: &Path) -> Result<String, Failure> {
        text_file::read(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Failure::usage(format!(
                "no search is under way in {}; `perflab bisect start GOOD BAD` begins one",
                path.display()
            )),
            _ => Failure::usage(format!("cannot read {}: {error}", path.display())),
        })
    }

    /// The revision to try next.
    fn next(&self) -> Option<&Revision> {
        let plan = self.search.next()?;
        Some(match plan.candidate {
            Some((at, _)) => self.range.at(Place::At(at)),
            // The end that was tried less often.
            None if plan.good > 0
                && (plan.bad == 0 || self.search.runs().good <= self.search.runs().bad) =>
            {
                &self.range.good
            }
            None => self.range.bad(),
        })
    }

    /// What is known, and what is to be done.
    fn state(&self) -> String {
        match (self.search.answer(), self.next()) {
            (Answer::Found(found), _) => found_text(&self.range, &found),
            (Answer::NoChange { probability }, _) if self.is_flaky => {
                no_change_text(&self.range, probability, &size_of_failures(&self.search))
            }
            // What is said of a revision was taken to hold, so only a contradiction leads here.
            (Answer::NoChange { .. }, _) => {
                let [good, bad] = [&self.range.good, self.range.bad()].map(Revision::name);
                format!(
                    "what was said of {good} and {bad} contradicts that the first one is good and the other one bad; begin \
                     anew, with the ends exchanged if the older one is bad, or with --flaky if a revision may look good at \
                     one time and bad at another\n"
                )
            }
            (_, Some(next)) => format!(
                "{}\ntry {}\nthen say `perflab bisect good`, `bad` or `skip`\n",
                known(&self.range, &self.search.posterior()),
                line(next)
            ),
            (_, None) => "undecided: what is left cannot be told apart\n".to_owned(),
        }
    }
}

/// What was seen of revisions, as one block.
fn block(seen: &[(Place, bool)]) -> Event<bool> {
    let runs = seen.iter().map(|(revision, value)| Run {
        revision: *revision,
        build: 0,
        value: *value,
    });
    Event::Measured(Block {
        session: 0,
        runs: runs.collect(),
    })
}

/// The place of a revision that a person names.
fn place(repository: &Repository, range: &SearchRange, name: &str) -> Result<Place, Failure> {
    let commit = range.commit(repository, name)?;
    range.place(&commit).ok_or_else(|| {
        Failure::usage(format!(
            "{name} is not between {} and {}, so it says nothing of them",
            range.good.name(),
            range.bad().name()
        ))
    })
}

fn start(
    [good, bad]: [&String; 2],
    flags: &[&str],
    directory: Option<&Path>,
    path: &Path,
) -> Result<Option<Code>, Failure> {
    let repository = Repository::open(directory.unwrap_or(Path::new(".")))?;
    let first_parent = flags.contains(&"first-parent");
    let range = SearchRange::new(&Source::Git(&repository), None, [good, bad], first_parent)?;
    let mut text = directory.map_or(Ok(String::new()), line_of)?;
    let words = ["start", &range.good.id, &range.bad().id];
    text += &words
        .into_iter()
        .chain(flags.iter().copied())
        .collect::<Vec<_>>()
        .join(" ");
    text.push('\n');
    begin(text, path)
}

/// A path that the file of a search names: relative to where that is, wherever perflab is called.
fn beside(file: &Path, directory: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(directory)
}

/// The line that names a repository, for a file anywhere.
fn line_of(directory: &Path) -> Result<String, Failure> {
    let path = std::path::absolute(directory)
        .map_err(|error| Failure::usage(format!("cannot find {}: {error}", directory.display())))?;
    match path.to_str() {
        Some(path) if !path.contains('\n') => Ok(format!("{IN}{path}\n")),
        _ => Err(Failure::usage(
            "expected a path of the repository that a line of text can hold; call this in the repository",
        )),
    }
}

/// Writes the file of a new search.
fn begin(text: String, path: &Path) -> Result<Option<Code>, Failure> {
    if path.exists() {
        return Err(Failure::usage(format!(
            "a search is under way in {}; `perflab bisect reset` ends it, --file FILE keeps a second one",
            path.display()
        )));
    }
    let search = Search::read(text, path)?;
    output::write(path, &search.text)?;
    terminal::print(&search.state())?;
    Ok(None)
}

/// Adds what is said of a revision.
fn add(word: &str, one: &OneArguments) -> Result<Option<Code>, Failure> {
    let path = &one.log.path;
    let search = Search::open(path)?;
    let id = match (&one.revision, search.next()) {
        (Some(name), _) => search.range.commit(&search.repository, name)?,
        (None, Some(next)) => next.id.clone(),
        (None, None) => {
            return Err(Failure::usage(
                "the search is at its end, so no revision was asked for; name one",
            ));
        }
    };
    let mut text = search.text;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text += &format!("{word} {id}\n");
    let search = Search::read(text, path)?;
    output::write(path, &search.text)?;
    terminal::print(&search.state())?;
    Ok(None)
}

fn print(path: &Path) -> Result<Option<Code>, Failure> {
    let search = Search::open(path)?;
    let state: String = search
        .state()
        .lines()
        .map(|line| format!("# {line}\n"))
        .collect();
    terminal::print(&format!("{}{state}", search.text))?;
    Ok(None)
}

fn replay(file: &Path, path: &Path) -> Result<Option<Code>, Failure> {
    let text = text_file::read(file)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", file.display())))?;
    // So that a mistake is told where it is.
    Search::read(text.clone(), file)?;
    // What `log` says of the state is not kept.
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.map(|line| match line.strip_prefix(IN) {
        Some(directory) => line_of(&beside(file, directory)),
        None => Ok(format!("{line}\n")),
    });
    begin(lines.collect::<Result<_, _>>()?, path)
}

fn reset(log: &LogArguments) -> Result<Option<Code>, Failure> {
    let path = &log.path;
    let search = Search::text(path)?;
    let first = search.lines().find(|line| !line.starts_with(['#', 'i']));
    if !first.is_some_and(|line| line.starts_with("start ")) {
        return Err(Failure::usage(format!(
            "{} is not the file of a search: expected `start GOOD BAD`, found `{}`; nothing was removed",
            path.display(),
            first.unwrap_or_default()
        )));
    }
    fs::remove_file(path)
        .map_err(|error| Failure::usage(format!("cannot remove {}: {error}", path.display())))?;
    terminal::say(&format!("the search has ended: removed {}", path.display()));
    Ok(None)
}
