//! Rules of workloads of which one process takes the turns of all variants.
//!
//! What it is started with can be but one for all of them.

use super::slices::told_slice;
use crate::driver::Driver;
use crate::error::{Fault, Place};
use crate::extract::Extract;
use crate::file::Experiment;
use crate::parameters::Value;
use crate::template::Template;
use crate::workload::Workload;

pub(super) fn check(experiment: &Experiment) -> Result<(), Fault> {
    for (name, workload) in &experiment.workloads {
        if workload.takes_turns {
            check_workload(experiment, name, workload)?;
            of_variants(experiment)?;
        }
    }
    Ok(())
}

fn check_workload(experiment: &Experiment, name: &str, workload: &Workload) -> Result<(), Fault> {
    let place = Place::of(&["workloads", name]);
    let key = place.key("takes_turns");
    if workload.driver != Driver::Generic {
        let message = format!("the driver `{}` takes no `takes_turns`", workload.driver);
        return Err(Fault::key(key, message).help("use the driver `generic`, or leave it out"));
    }
    if experiment.design.slices.is_none() {
        let message = "the program that takes turns must know how many slices there are";
        return Err(
            Fault::key(key, message).help(match experiment.design.slice {
                Some(_) => "replace `slice` in [design] by `slices`",
                None => "add `slices` to [design]",
            }),
        );
    }
    if experiment.design.together {
        let message = "one process takes turns, and executes nothing at the same time";
        return Err(Fault::key(key, message).help("leave out one of `takes_turns` and `together`"));
    }
    let Some(command) = &workload.command else {
        return Ok(());
    };
    let at = place.key("command");
    if command.shell {
        let message =
            "the program that takes turns is started with the order of turns, and not by a shell";
        return Err(Fault::key(at, message).help("give a list: the program and its arguments"));
    }
    if told_slice(experiment, name).contains(&true) {
        let message = "with `takes_turns` the command is made once for all slices";
        return Err(Fault::key(at, message).help("give the work of one slice as it is"));
    }
    let program = command.argv.iter().take(1).map(|text| (at.index(0), text));
    let words = workload.within.iter().enumerate();
    let words = words.map(|(number, text)| (place.key("within").index(number), text));
    let directory = workload.directory.iter();
    let directory = directory.map(|text| (place.key("directory"), text));
    let variables = workload.env.iter();
    let variables = variables.map(|(name, text)| (place.key("env").key(name), text));
    let mut all = program.chain(words).chain(directory).chain(variables);
    if let Some((at, text)) = all.find(|(_, text)| !is_one(experiment, text)) {
        let message = format!(
            "`{text}` differs between variants, and with `takes_turns` one process serves all of them"
        );
        return Err(Fault::value(at, message)
            .help("put what differs into the arguments of `command`, or leave `takes_turns` out"));
    }
    let metrics = workload.metrics.iter().enumerate();
    let metrics = metrics.map(|(index, rule)| ("metrics", index, &rule.metric.name, &rule.extract));
    let evidence = workload.evidence.iter().enumerate();
    let evidence = evidence.map(|(index, rule)| ("evidence", index, &rule.name, &rule.extract));
    for (key, index, name, extract) in metrics.chain(evidence) {
        if !matches!(extract, Extract::Json(_)) {
            let message = format!("`{name}` is read from the line of each slice, which is JSON");
            return Err(Fault::key(place.key(key).index(index), message)
                .help("say where it stands there: `json = \"/NAME\"`"));
        }
    }
    Ok(())
}

/// Variables of variants without a system would be those of the one process.
fn of_variants(experiment: &Experiment) -> Result<(), Fault> {
    let mut without = experiment.variants.iter();
    let lone = without.find(|(_, variant)| !variant.has_systems() && !variant.env.is_empty());
    let Some((name, _)) = lone else { return Ok(()) };
    let message =
        "with `takes_turns` one process serves all variants, and cannot have variables of one";
    Err(Fault::key(Place::of(&["variants", name, "env"]), message)
        .help("put what differs into the arguments of `command`"))
}

/// Whether a text is the same for all variants of a block.
fn is_one(experiment: &Experiment, text: &str) -> bool {
    let all = |text: &str, same: &dyn Fn(&str) -> bool| {
        Template::parse(text).is_ok_and(|text| text.placeholders().all(|used| same(&used.name)))
    };
    let is_home = |name: &str| name == "experiment";
    let is_fixed = |value: &Value| all(&value.to_string(), &is_home);
    all(text, &|name| {
        let values = experiment.parameters.get(name);
        is_home(name) || values.is_some_and(|values| values.iter().all(is_fixed))
    })
}
