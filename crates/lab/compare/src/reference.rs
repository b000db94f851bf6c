//! What two results have in common that surely did not change but with the machine.

use indexmap::IndexMap;
use serde_json::Value;

use crate::apart::Half;

/// Why no change can be divided out of two results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoReference {
    /// The result of this name was measured until it was decided.
    UntilDecided(String),
    /// They share no baseline and no control.
    NoneShared,
    /// The variant of this name is perhaps not the same in both.
    Changed {
        /// The variant.
        variant: String,
        /// What differs, or is not known.
        difference: ReferenceDifference,
    },
}

/// Why a variant of one name is perhaps not the same in two results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceDifference {
    /// It was not measured on the same machine.
    Machine,
    /// It is not started in the same way.
    Start,
    /// The experiment builds it, from sources that may have changed.
    Built,
    /// The workloads differ.
    Workloads,
    /// Its programs differ.
    Programs,
    /// Which programs it ran is not known.
    UnknownPrograms,
}

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
fn difference(a: &Half<'_>, b: &Half<'_>, variant: &str) -> Option<ReferenceDifference> {
    let known = |half: &Half<'_>, pointer: &str| {
        half.fingerprint
            .and_then(|known| known.pointer(pointer))
            .cloned()
    };
    let [machine_a, machine_b] = [a, b].map(|half| known(half, "/machine/machine_id"));
    if machine_a.is_none() || machine_a != machine_b {
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
    let programs = |half: &Half<'_>| -> Option<IndexMap<String, Value>> {
        let all = known(half, "/programs")?;
        let own = all.as_object()?.iter();
        let own = own.filter(|(name, _)| {
            *name == &format!("variants/{variant}") || name.starts_with("workloads/")
        });
        Some(
            own.map(|(name, programs)| (name.clone(), hashes(programs)))
                .collect(),
        )
    };
    match (programs(a), programs(b)) {
        (Some(a), Some(b)) if a == b && !a.is_empty() => None,
        (Some(_), Some(_)) => Some(ReferenceDifference::Programs),
        _ => Some(ReferenceDifference::UnknownPrograms),
    }
}

/// What tells programs apart, wherever they lie: hashes of their files, and what they say of their versions.
fn hashes(programs: &Value) -> Value {
    let mut kept = programs.clone();
    let files = kept.get_mut("files").and_then(Value::as_object_mut);
    for (_, file) in files.into_iter().flatten() {
        *file = file.get("sha256").cloned().unwrap_or_default();
    }
    kept
}
