//! What has rows in a report.

use perflab_stats::verdict::Sides;

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
        let grids = self.grids(base, candidate);
        let (base, candidate) = (&base.observations, &candidate.observations);
        let sides = Sides::of(base, candidate)?;
        Ok(Some(sides.on_grids(base, candidate, grids)))
    }
}
