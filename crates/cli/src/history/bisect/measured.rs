//! A search in which the laboratory measures.

use std::path::Path;

use perflab_experiment::counted;
use perflab_history::{
    Asked, BuildKey, Builder, Ends, HistoryFile, Purpose, Repository, Revisions, SearchRange,
    Timeline, value_of,
};
use perflab_report::operand;
use perflab_stats::bisection::{Answer, Bisection, Evidence, Measured, Outcomes, Terms};
use perflab_stats::location::Scale;
use perflab_store::RunRecord;

use super::answer::{found_text, no_change_text, size_of_failures, size_of_metric, spent};
use super::arguments::BisectArguments;
use super::command;
use super::confirm::{Question, confirm};
use super::failed::{has_failed, no_change_of_failures};
use super::steps::{Followed, Steps};
use super::subject::{check_workload, subject};
use crate::failure::{Code, Failure};
use crate::history::check::{check, check_inputs};
use crate::history::file::{Read, read};
use crate::history::run::warn_if_shallow;
use crate::history::session::{FEWEST, Session, Sides, Site};
use crate::terminal;

/// The smallest step that the search goes on for, in standard deviations of a run.
const SMALLEST: f64 = 1.0;

/// How likely it is that a test never errs, where nobody calls it flaky.
const CERTAIN: f64 = 0.99;

/// The same for one that is called flaky.
const FLAKY: f64 = 0.1;

/// How likely it is that a test never errs.
pub(super) fn certainty(is_flaky: bool) -> f64 {
    if is_flaky { FLAKY } else { CERTAIN }
}

/// Executes the command.
pub(super) fn measured(arguments: &BisectArguments) -> Result<Option<Code>, Failure> {
    let (Some(good), Some(bad)) = (&arguments.good, &arguments.bad) else {
        return Err(Failure::usage(
            "expected two revisions, GOOD and BAD: an older one without the change and a newer one with it",
        ));
    };
    let (mut read, out) = match (&arguments.history, arguments.command.is_empty()) {
        (Some(path), _) => {
            let read = read(path)?;
            let out = read.out(arguments.out.as_deref());
            (read, out)
        }
        (None, false) => {
            let here = arguments.repository.as_deref().unwrap_or(Path::new("."));
            let here = Repository::open(here)?;
            let out = arguments.out.clone();
            (
                command::read(arguments, &here)?,
                out.unwrap_or_else(|| command::out(good, bad)),
            )
        }
        (None, true) => {
            return Err(Failure::usage(
                "expected what is measured: `--history FILE`, or a command behind `--`, as in `perflab bisect v1.0 main -- \
                 ./bench`",
            ));
        }
    };
    // An observed run is slower, so it is no evidence.
    read.experiment.observe = None;
    let end = arguments.measuring.end()?;
    check_most_runs(arguments)?;
    if let Some(workload) = &arguments.workload {
        check_workload(&read, workload)?;
        read.experiment = read.experiment.with_workload_only(workload);
    }
    check(&read)?;
    let of = |repository: Option<&Repository>| revisions(&read, [good, bad], arguments, repository);
    let looked = read.look(&out, of)?;
    let site = Site::take(&read, &out, &arguments.measuring)?;
    let mut builder = site.builder(&read)?;
    if looked.is_none() {
        warn_if_shallow(builder.repository())?;
    }
    let (range, timeline) = match (looked, builder.repository()) {
        // Nothing was copied, so they are the same.
        (Some(looked), None) => looked,
        (_, repository) => of(repository)?,
    };
    let steps = Steps {
        session: Session {
            may_fail: arguments.fails,
            ..site.session(&read, arguments.quiet)
        },
        ends: Ends {
            good: range.good.id.clone(),
            bad: range.bad().id.clone(),
            measured: measured_by(&read)?,
        },
        range: &range,
        timeline: &timeline,
        end,
        again: arguments.again,
    };
    steps.say_begin(&out);
    let terms = Terms {
        most_runs: arguments.max_runs.get() as usize,
        ..Terms::default()
    };
    let outcome = match arguments.fails {
        true => {
            let evidence = Outcomes::new(certainty(arguments.flaky))?;
            let mut search = Bisection::new(range.lineage.clone(), terms, evidence)?;
            steps.say_workloads();
            let followed = steps.follow(&mut search, &mut builder, &has_failed)?;
            answer(
                &steps,
                &search,
                (followed, &size_of_failures(&search)),
                &mut builder,
                arguments,
                Question::Fails,
            )
        }
        false => of_metric(&steps, terms, &mut builder, arguments),
    };
    if !arguments.quiet {
        terminal::say(&format!("builds and runs are in {}", operand(&out)));
    }
    outcome
}

/// Refuses a number of runs that the ends alone need, so that there could never be an answer.
fn check_most_runs(arguments: &BisectArguments) -> Result<(), Failure> {
    let opening = match arguments.fails {
        true => Outcomes::new(certainty(arguments.flaky))?.opening(),
        false => Measured::new(Scale::Ratio, SMALLEST, false)?.opening(),
    };
    let least: usize = opening.into_iter().flatten().sum();
    if arguments.max_runs.get() as usize >= least {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "--max-runs: expected {least} or more, as the ends need so many, found {}",
        arguments.max_runs
    )))
}

/// The revisions that are searched, and all of the branch.
fn revisions(
    read: &Read,
    [good, bad]: [&str; 2],
    arguments: &BisectArguments,
    repository: Option<&Repository>,
) -> Result<(SearchRange, Timeline), Failure> {
    if arguments.first_parent && repository.is_none() {
        return Err(Failure::usage(
            "--first-parent is for revisions of git; versions of a list have no parents, so leave it out",
        ));
    }
    let source = read.source(repository)?;
    let branch = read.file.source.branch.as_deref();
    let range = SearchRange::new(&source, branch, [good, bad], arguments.first_parent)?;
    let timeline = Timeline::new(&read.file, &source, &Asked::default(), None)?;
    if let Some(repository) = repository {
        check_inputs(read, repository, &[range.bad(), &timeline.control])?;
    }
    Ok((range, timeline))
}

/// A hash of how revisions are built and measured.
fn measured_by(read: &Read) -> Result<String, Failure> {
    // Which revisions are measured in the history does not matter here.
    let file = HistoryFile {
        name: String::new(),
        question: None,
        revisions: Revisions::default(),
        tests: None,
        ..read.file.clone()
    };
    let wrong = |error: toml::ser::Error| {
        Failure::usage(format!("cannot write down what is measured: {error}"))
    };
    let texts = [
        toml::to_string(&file).map_err(wrong)?,
        toml::to_string(&read.experiment).map_err(wrong)?,
    ];
    Ok(BuildKey::of(texts.iter().map(String::as_bytes)).to_string())
}

/// The search for a change of a metric.
fn of_metric(
    steps: &Steps<'_>,
    terms: Terms,
    builder: &mut Builder<'_>,
    arguments: &BisectArguments,
) -> Result<Option<Code>, Failure> {
    let vary = steps.do_builds_vary();
    let search = |scale| -> Result<_, Failure> {
        let evidence = Measured::new(scale, SMALLEST, vary)?;
        Ok(Bisection::new(
            steps.range.lineage.clone(),
            terms,
            evidence,
        )?)
    };
    // Which metrics there are is known once something was measured.
    let mut first = steps.first()?;
    if first.is_none()
        && let Some(last) = steps.campaigns(&Purpose::Bisect)?.last()
    {
        steps.go_on(last, builder)?;
        first = steps.first()?;
    }
    if first.is_none()
        && let Some(plan) = search(Scale::Ratio)?.next()
    {
        steps.measure(&plan, builder)?;
        first = steps.first()?;
    }
    let first = first.ok_or_else(|| {
        let ends = [&steps.range.good, steps.range.bad()];
        let what = "the ends cannot be compared, as in no campaign runs of both passed";
        steps.no_values(what, &ends)
    })?;
    let subject = subject(&first, arguments)?;
    let value = |record: &RunRecord| value_of(record, &subject);
    let question = Question::Differs(&subject);
    // A value that is not positive may come at any time.
    for scale in [Scale::Ratio, Scale::Shift] {
        let mut search = search(scale)?;
        let followed = steps.follow(&mut search, builder, &value)?;
        if followed != Followed::OffScale {
            let ends = [&steps.range.good, steps.range.bad()];
            let [good, bad] = ends.map(|end| steps.values_of(end, value));
            let largest = [good?, bad?].concat().into_iter().map(f64::abs);
            let largest = largest.fold(0.0, f64::max);
            let smallest = size_of_metric(&search, scale, &subject.metric.unit, largest);
            let ended = (followed, smallest.as_str());
            return answer(steps, &search, ended, builder, arguments, question);
        }
    }
    // A shift is there for all values.
    Err(Failure::no_data("values of the metric cannot be compared"))
}

/// Prints the answer, and confirms it. `size`: that of the smallest change that was looked for, in words.
fn answer<E: Evidence>(
    steps: &Steps<'_>,
    search: &Bisection<E>,
    (followed, size): (Followed, &str),
    builder: &mut Builder<'_>,
    arguments: &BisectArguments,
    question: Question<'_>,
) -> Result<Option<Code>, Failure> {
    let range = steps.range;
    match search.answer() {
        Answer::Found(found) => {
            terminal::print(&found_text(range, &found))?;
            let runs = Sides {
                asked: arguments.confirm_runs,
                least: FEWEST.max(search.confirming() as u32),
            };
            let (text, is_confirmed) = confirm(steps, &found, builder, runs, question)?;
            terminal::print(&format!("{text}{}", spent(search.runs())))?;
            Ok((!is_confirmed).then_some(Code::NoData))
        }
        Answer::NoChange { probability } => {
            let text = match question {
                Question::Fails => {
                    no_change_of_failures(steps, probability, size, arguments.flaky)?
                }
                Question::Differs(_) => no_change_text(range, probability, size),
            };
            terminal::print(&format!("{text}{}", spent(search.runs())))?;
            Ok(None)
        }
        Answer::Undecided => {
            let or = match question {
                Question::Fails => "",
                Question::Differs(_) => ", or make runs longer so that they vary less",
            };
            Err(Failure::no_data(format!(
                "undecided after {}, those of earlier calls included; raise --max-runs, which is {}{or}",
                counted(search.runs().total(), "run"),
                arguments.max_runs
            )))
        }
        Answer::Open if followed == Followed::Late => Err(Failure::new(
            Code::TimeLimit,
            "no answer within the time of --budget; the same command resumes the search",
        )),
        Answer::Open => Err(Failure::no_data(
            "no answer: all revisions that are left are skipped; make them build, or choose other ends",
        )),
    }
}
