//! The project's documents on the methods, so that a report explains itself without a network.

macro_rules! documents {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../../../docs/statistics/", $name, ".md")))),*]
    };
}

/// Names and texts, in the order in which a report raises their questions.
const DOCUMENTS: [(&str, &str); 24] = documents![
    "README" "typical-run" "robustness" "mean" "slow-runs" "deciles" "same" "many-tests" "pooled" "detectable"
    "planning" "quantiles" "iterations" "nested" "steady" "stopping-early" "bisection" "drift" "noise" "steps"
    "changes" "flaky" "order" "ministat"
];

/// The name of a document as it is here, if there is such a one.
pub(crate) fn known(name: &str) -> Option<&'static str> {
    DOCUMENTS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(known, _)| *known)
}

/// All names.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    DOCUMENTS.iter().map(|(name, _)| *name)
}

/// Names and texts of all.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    DOCUMENTS.into_iter()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_page_on_statistics_is_here() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/statistics");
        let files = std::fs::read_dir(directory).unwrap();
        let files: BTreeSet<String> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        let known: BTreeSet<String> = names().map(|name| format!("{name}.md")).collect();
        assert_eq!(files, known);
    }
}
