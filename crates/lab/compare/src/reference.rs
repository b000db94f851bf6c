//! What two results have in common that surely did not change but with the machine.

use indexmap::IndexMap;

use crate::input::Half;
use crate::warning::{NoReference, ReferenceDifference};

/// The variant whose change can be divided out; else why there is none.
pub(crate) fn reference<'r>(a: &Half<'r>, b: &Half<'r>) -> Result<&'r str, NoReference> {
    if let Some(half) = [a, b].into_iter().find(|half| half.until_decided) {
        return Err(NoReference::UntilDecided(half.name.to_owned()));
    }
    let [of_a, of_b] = [a, b].map(|half| {
        let experiment = half.experiment;
        [
            Some(experiment.baseline()),
            experiment.design.control.as_deref(),
        ]
    });
    let shared = of_a
        .into_iter()
        .flatten()
        .find(|name| of_b.contains(&Some(name)));
    let Some(shared) = shared else {
        return Err(NoReference::NoneShared);
    };
    match difference(a, b, shared) {
        Some(difference) => Err(NoReference::Changed {
            variant: shared.to_owned(),
            difference,
        }),
        None => Ok(shared),
    }
}

/// Why a variant of one name is perhaps not the same in both.
fn difference<'r>(a: &Half<'r>, b: &Half<'r>, variant: &str) -> Option<ReferenceDifference> {
    let environments = a.environment.zip(b.environment);
    if !environments.is_some_and(|(a, b)| a.is_of_same_machine(b)) {
        return Some(ReferenceDifference::Machine);
    }
    if a.experiment.variants.get(variant) != b.experiment.variants.get(variant) {
        return Some(ReferenceDifference::Start);
    }
    let own = a.experiment.variants.get(variant);
    if own.is_some_and(|own| own.build.is_some()) {
        return Some(ReferenceDifference::Built);
    }
    let workloads = &a.experiment.workloads;
    let is_other = |(name, own)| {
        b.experiment
            .workloads
            .get(name)
            .is_some_and(|other| other != own)
    };
    if workloads.iter().any(is_other) {
        return Some(ReferenceDifference::Workloads);
    }
    match (hashes(a, variant), hashes(b, variant)) {
        (a, b) if a.is_empty() || b.is_empty() => Some(ReferenceDifference::UnknownPrograms),
        (a, b) => (a != b).then_some(ReferenceDifference::Programs),
    }
}

/// Files by name with their hashes, and what programs say of their versions.
type Hashes<'r> = (IndexMap<&'r str, &'r str>, &'r IndexMap<String, String>);

/// What tells the programs of a variant and of the workloads apart, wherever they lie.
fn hashes<'r>(half: &Half<'r>, variant: &str) -> IndexMap<&'r str, Hashes<'r>> {
    let all = half.environment.map(|environment| &environment.programs);
    let own = all.into_iter().flatten().filter(|(name, _)| {
        **name == format!("variants/{variant}") || name.starts_with("workloads/")
    });
    own.map(|(name, programs)| {
        let files = programs.files.iter();
        let files = files.map(|(name, file)| (name.as_str(), file.sha256.as_str()));
        (name.as_str(), (files.collect(), &programs.versions))
    })
    .collect()
}
