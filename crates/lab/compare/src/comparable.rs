//! What has rows in a report.

use perflab_stats::verdict::Sides;

use crate::error::AnalysisError;
use crate::pool::{Pool, pool};
use crate::subject::{Group, Subject};

/// What has rows: a subject, or several as one.
pub(crate) trait Comparable: Sync {
    /// As a subject.
    fn subject(&self) -> &Subject;

    /// The runs of two groups of it; nothing where they cannot be compared.
    fn sides(&self, base: &Group, candidate: &Group)
    -> Result<Option<Sides>, perflab_stats::Error>;
}

impl Comparable for Subject {
    fn subject(&self) -> &Subject {
        self
    }

    fn sides(
        &self,
        base: &Group,
        candidate: &Group,
    ) -> Result<Option<Sides>, perflab_stats::Error> {
        let has_runs = |group: &Group| !group.observations.is_empty();
        if !has_runs(base) || !has_runs(candidate) {
            return Ok(None);
        }
        let (base, candidate) = (&base.observations, &candidate.observations);
        let sides = Sides::of(base, candidate)?;
        Ok(Some(sides.on_grid(base, candidate, self.grid)))
    }
}

impl Comparable for Pool<'_> {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn sides(
        &self,
        base: &Group,
        candidate: &Group,
    ) -> Result<Option<Sides>, perflab_stats::Error> {
        self.sides(&base.variant, &candidate.variant)
    }
}

/// The pools of subjects.
pub(crate) fn pools(subjects: &[Subject]) -> Result<Vec<Pool<'_>>, AnalysisError> {
    pool(subjects).map_err(|source| AnalysisError::Statistics {
        what: "all subjects together".to_owned(),
        source,
    })
}
