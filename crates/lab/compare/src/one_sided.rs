//! Subjects that only one of two variants was measured on.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::configuration::Configuration;
use crate::subject::{Subject, SubjectKey};
use crate::warning::Warning;

/// What the baseline was measured on and another variant was not, or the other way round, although both have runs beside
/// it, of the same workload with the same parameters: a benchmark that was dropped, or whose unit is another one.
pub(crate) fn one_sided(subjects: &[Subject], baseline: &str, variants: &[String]) -> Vec<Warning> {
    let has = |subject: &Subject, variant: &str| {
        let mut groups = subject.groups.iter();
        groups.any(|group| group.variant == variant && !group.observations.is_empty())
    };
    fn configuration(subject: &Subject) -> Configuration<'_> {
        Configuration(Cow::Borrowed(&subject.key.parameters))
    }
    let mut beside: HashSet<(&str, &str, Configuration<'_>)> = HashSet::new();
    for subject in subjects {
        for group in &subject.groups {
            beside.insert((
                &group.variant,
                &subject.key.workload,
                configuration(subject),
            ));
        }
    }
    let mut warnings = Vec::new();
    for variant in variants.iter().filter(|variant| *variant != baseline) {
        for (measured, missing) in [(baseline, variant.as_str()), (variant, baseline)] {
            let own = subjects.iter().filter(|subject| {
                let cell = (
                    missing,
                    subject.key.workload.as_str(),
                    configuration(subject),
                );
                has(subject, measured) && !has(subject, missing) && beside.contains(&cell)
            });
            let subjects: Vec<SubjectKey> = own.map(|subject| subject.key.clone()).collect();
            if !subjects.is_empty() {
                warnings.push(Warning::OneSided {
                    measured: measured.to_owned(),
                    missing: missing.to_owned(),
                    subjects,
                });
            }
        }
    }
    warnings
}
