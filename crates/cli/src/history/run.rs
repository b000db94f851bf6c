//! `perflab history run`: the command.

use std::fs;
use std::path::Path;

use perflab_experiment::counted;
use perflab_history::{
    Asked, Every, HistoryDir, Outline, Pattern, Purpose, Repository, Timeline, View, Word,
};
use perflab_report::operand;

use super::arguments::{CampaignArguments, RunArguments, WatchArguments};
use super::check::{check, check_patch};
use super::confirm::sides;
use super::dry_run::{SoFar, dry_run, dry_run_of_patch};
use super::file::{Read, read};
use super::known::{failing, settled, unbuilt};
use super::session::Site;
use super::work::{Manner, Patch, Work};
use crate::failure::{Code, Failure};
use crate::terminal;

/// What a call does.
enum Goal {
    /// Campaigns until all revisions are measured that were asked for.
    All,
    /// A campaign with a patch.
    Patch(Patch),
    /// A campaign with both sides of a change.
    Confirm,
    /// Campaigns that tell most.
    Watch,
}

/// Executes the command.
pub fn run(arguments: &RunArguments) -> Result<Option<Code>, Failure> {
    let asked = asked(arguments)?;
    let patch = patch(arguments)?;
    if arguments.dry_run {
        return print_plan(arguments, &asked, patch.as_ref());
    }
    let goal = match (patch, &arguments.confirm) {
        (Some(patch), _) => Goal::Patch(patch),
        (None, Some(_)) => Goal::Confirm,
        (None, None) => Goal::All,
    };
    let purpose = match arguments.fill {
        Some(_) => Purpose::Fill,
        None => Purpose::Plan,
    };
    let manner = Manner {
        again: arguments.again,
        most: arguments.campaigns.campaigns,
        purpose,
    };
    execute(&arguments.file, &asked, &goal, manner, &arguments.campaigns)
}

/// Executes `perflab history watch`.
pub fn watch(arguments: &WatchArguments) -> Result<Option<Code>, Failure> {
    let manner = Manner {
        again: false,
        most: arguments.campaigns.campaigns,
        purpose: Purpose::Plan,
    };
    execute(
        &arguments.file,
        &Asked::default(),
        &Goal::Watch,
        manner,
        &arguments.campaigns,
    )
}

/// Prints what would be measured.
fn print_plan(
    arguments: &RunArguments,
    asked: &Asked,
    patch: Option<&Patch>,
) -> Result<Option<Code>, Failure> {
    let again = arguments.again;
    let read = read(&arguments.file)?;
    arguments.campaigns.measuring.end()?;
    check(&read)?;
    if patch.is_some() {
        check_patch(&read)?;
    }
    let out = read.out(arguments.campaigns.out.as_deref());
    let directory = HistoryDir::open(&out).ok();
    let copy = directory.as_ref().and_then(HistoryDir::mirror);
    let repository = read.repository(copy.as_deref())?;
    warn_if_shallow(repository.as_ref())?;
    let former = match &directory {
        Some(directory) => directory.control()?,
        None => None,
    };
    let timeline = read.timeline(repository.as_ref(), asked, former.as_ref())?;
    if let Some(patch) = patch {
        terminal::print(&dry_run_of_patch(&read, &timeline, &patch.name))?;
        return Ok(None);
    }
    note_tags(&read, asked, repository.as_ref(), &timeline)?;
    let mut so_far = SoFar::default();
    if let Some(directory) = &directory {
        so_far.settled = settled(directory, &timeline, again)?;
        let view = View::read(directory, &read.file.name)?;
        let failing = failing(&view, &timeline.revisions).into_iter();
        so_far.failing = failing.map(|revision| revision.id.clone()).collect();
        so_far.unbuilt = unbuilt(directory, &view)?;
        if again {
            // Only the control is built again in any case.
            so_far.unbuilt.retain(|id| *id == timeline.control.id);
        }
    }
    let limits = limits(&arguments.campaigns);
    let text = dry_run(&read.file, &read.experiment, &timeline, &so_far, &limits);
    terminal::print(&text)?;
    Ok(None)
}

/// What ends a call before all is measured, in words.
fn limits(campaigns: &CampaignArguments) -> Vec<String> {
    let most = campaigns.campaigns.map(|most| {
        let most = counted(most.get() as usize, "campaign");
        format!("at most {most} in a call")
    });
    let budget = campaigns.measuring.budget.as_ref();
    let budget = budget.map(|budget| format!("no campaign begins after {budget}"));
    most.into_iter().chain(budget).collect()
}

/// Measures what is asked for, or what tells most.
fn execute(
    file: &Path,
    asked: &Asked,
    goal: &Goal,
    manner: Manner,
    campaigns: &CampaignArguments,
) -> Result<Option<Code>, Failure> {
    let read = read(file)?;
    let end = campaigns.measuring.end()?;
    check(&read)?;
    if matches!(goal, Goal::Patch(_)) {
        check_patch(&read)?;
    }
    let out = read.out(campaigns.out.as_deref());
    let looked = read.look(&out, |repository| {
        let timeline = read.timeline(repository, asked, None)?;
        if matches!(goal, Goal::Confirm) {
            sides(&timeline)?;
        }
        Ok(timeline)
    })?;
    let site = Site::take(&read, &out, &campaigns.measuring)?;
    if !campaigns.quiet {
        terminal::say(&format!(
            "{}: results go to {}",
            read.file.name,
            operand(&out)
        ));
    }
    let mut builder = site.builder(&read)?;
    if looked.is_none() {
        warn_if_shallow(builder.repository())?;
    }
    let former = site.directory.control()?;
    let timeline = match (looked, builder.repository()) {
        // Nothing was copied, so it is the same.
        (Some(timeline), None) => timeline,
        (_, repository) => read.timeline(repository, asked, former.as_ref())?,
    };
    if !campaigns.quiet && matches!(goal, Goal::All | Goal::Watch) {
        note_tags(&read, asked, builder.repository(), &timeline)?;
    }
    let directory = &site.directory;
    directory.note_outline(&site.held, &Outline::of(&read.file.name, &timeline))?;
    directory.keep_summaries(&site.held, &directory.campaigns()?)?;
    let mut work = Work {
        session: site.session(&read, campaigns.quiet),
        file: &read.file,
        timeline: &timeline,
        manner,
        end,
        begun: 0,
        in_vain: None,
    };
    match goal {
        Goal::All => work.all(&mut builder)?,
        Goal::Patch(patch) => work.patch(patch, &mut builder)?,
        Goal::Confirm => work.confirm(&mut builder)?,
        Goal::Watch => work.watch(&mut builder)?,
    }
    if let Some(failure) = work.in_vain {
        return Err(failure);
    }
    if !campaigns.quiet {
        let next = match goal {
            Goal::Confirm | Goal::Watch => "changes",
            Goal::All | Goal::Patch(_) => "show",
        };
        terminal::say(&format!("now: perflab history {next} {}", operand(&out)));
    }
    Ok(None)
}

/// The revisions that the command line asks for.
fn asked(arguments: &RunArguments) -> Result<Asked, Failure> {
    let range = [
        ("--fill", &arguments.fill),
        ("--confirm", &arguments.confirm),
    ];
    let range = range
        .into_iter()
        .find_map(|(flag, text)| Some((flag, text.as_ref()?)));
    let Some((flag, text)) = range else {
        return Ok(Asked {
            since: arguments.since.clone().map(|text| ("--since", text)),
            until: arguments.until.clone().map(|text| ("--until", text)),
            every: arguments.every,
        });
    };
    match text.split_once("..") {
        Some((from, to)) if !from.is_empty() && !to.is_empty() && !to.starts_with('.') => {
            Ok(Asked {
                since: Some((flag, from.to_owned())),
                until: Some((flag, to.to_owned())),
                every: Some(Every::default()),
            })
        }
        _ => Err(Failure::usage(format!(
            "{flag}: expected two revisions as A..B, found {text}"
        ))),
    }
}

/// The patch that is tried, if one is.
fn patch(arguments: &RunArguments) -> Result<Option<Patch>, Failure> {
    let Some(path) = &arguments.patch else {
        return Ok(None);
    };
    let content = fs::read(path).map_err(|error| {
        Failure::usage(format!("cannot read the patch {}: {error}", path.display()))
    })?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if !perflab_experiment::is_name(&stem) {
        return Err(Failure::usage(format!(
            "the patch {} gives its name to a variant, so it must be letters, digits, `_`, `-` and `.`; rename it",
            path.display()
        )));
    }
    Ok(Some(Patch {
        name: stem.into_owned(),
        content,
    }))
}

/// Says that a history was cut off when it was cloned.
pub(super) fn warn_if_shallow(repository: Option<&Repository>) -> Result<(), Failure> {
    let Some(repository) = repository else {
        return Ok(());
    };
    if repository.is_shallow()? {
        terminal::say(
            "note: the repository is a shallow clone, so older revisions are missing; `git fetch --unshallow` fetches them",
        );
    }
    Ok(())
}

/// Says that most of the tags whose revisions are wanted are not in the history of the branch.
fn note_tags(
    read: &Read,
    asked: &Asked,
    repository: Option<&Repository>,
    timeline: &Timeline,
) -> Result<(), Failure> {
    let table = &read.file.revisions;
    let Some(repository) = repository else {
        return Ok(());
    };
    if asked.every.unwrap_or(table.every) != Every::Word(Word::Tag) {
        return Ok(());
    }
    let pattern = table.tags.as_deref().map(Pattern::new);
    let fits = |tag: &&String| pattern.as_ref().is_none_or(|pattern| pattern.fits(tag));
    let all = repository.tags()?;
    let all = all.values().flatten().filter(fits).count();
    let revisions = timeline.revisions.iter();
    let here = revisions.flat_map(|revision| &revision.tags);
    let elsewhere = all.saturating_sub(here.filter(fits).count());
    if 2 * elsewhere > all {
        terminal::say(&format!(
            "note: {elsewhere} of {} are not in the history of the branch, so their revisions are not measured; name their \
             branch as `branch` in [source], or write `first_parent = false` if it was merged",
            counted(all, "tag")
        ));
    }
    Ok(())
}
