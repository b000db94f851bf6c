//! Whether the control runs exactly what the baseline does.

use crate::cell::Cell;
use crate::file::Experiment;
use crate::resolve::ResolveError;
use crate::variant::Variant;
use crate::workload::Workload;

impl Experiment {
    /// The ids of the control's cells that do not run exactly what the baseline's do, though both are defined in the same
    /// way: a placeholder has another value there, as `{variant}` always has.
    pub fn unequal_controls(&self) -> Vec<String> {
        let Some(control) = &self.design.control else {
            return Vec::new();
        };
        let (controls, others): (Vec<Cell>, Vec<Cell>) = self
            .cells()
            .into_iter()
            .partition(|cell| cell.variant == *control);
        let is_unequal = |cell: &Cell| {
            let same = others.iter().find(|other| {
                other.variant == self.baseline()
                    && (&other.workload, &other.parameters) == (&cell.workload, &cell.parameters)
            });
            same.is_some_and(|same| self.filled(same).ok() != self.filled(cell).ok())
        };
        let unequal = controls.into_iter().filter(is_unequal);
        unequal.map(|cell| cell.id).collect()
    }

    /// What is done for a cell.
    fn filled(&self, cell: &Cell) -> Result<(Variant, Workload), ResolveError> {
        let mut variant = self.variant(cell)?;
        // A variable that nothing uses does nothing.
        variant.vars.clear();
        let mut workload = self.workload(cell)?;
        // It is asked before the first run.
        workload.possible = None;
        Ok((variant, workload))
    }
}
