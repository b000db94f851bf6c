//! The tests of revisions.

use std::collections::HashMap;

use perflab_history::{Builder, Built, Revision, Wanted, commands_at};

use super::work::Work;
use crate::failure::Failure;

impl Work<'_> {
    /// Executes the tests of a build as often as is wanted and was not done yet.
    pub(super) fn test(
        &self,
        revision: &Revision,
        built: &Built,
        builder: &mut Builder<'_>,
    ) -> Result<(), Failure> {
        let Some(table) = &self.file.tests else {
            return Ok(());
        };
        let done = self.session.directory.test_run_keys(table)?;
        let done = done
            .iter()
            .filter(|key| **key == built.key.to_string())
            .count();
        for _ in done..table.runs as usize {
            if let Some((test_run, worst)) = builder.test(revision, built, table)? {
                let fault = test_run.detail.as_ref().or(test_run.notes.first());
                self.session.say(&format!(
                    "tested {} in {:.1} s: {}{}",
                    revision.name(),
                    test_run.seconds,
                    worst.name(),
                    fault.map_or(String::new(), |fault| format!(", {fault}"))
                ));
            }
        }
        Ok(())
    }

    /// Executes the tests of all revisions whose tests were not executed yet: of the control, and of those that were
    /// measured before the history had tests.
    pub(super) fn test_all(&self, builder: &mut Builder<'_>) -> Result<(), Failure> {
        let Some(table) = &self.file.tests else {
            return Ok(());
        };
        let keys = self.session.directory.test_run_keys(table)?;
        let mut done: HashMap<String, usize> = HashMap::new();
        for key in keys {
            *done.entry(key).or_default() += 1;
        }
        for place in &self.timeline.selected {
            if self.is_late() {
                return Ok(());
            }
            let revision = &self.timeline.revisions[*place];
            // A build that was tested often enough need not be there.
            let quirks = commands_at(&self.timeline.quirks, *place);
            let wanted = Wanted::new(revision, quirks);
            let key = builder.key_of(&wanted)?;
            if done
                .get(&key.to_string())
                .is_some_and(|runs| *runs >= table.runs as usize)
            {
                continue;
            }
            let built = self.session.build(&wanted, builder)?;
            self.test(revision, &built, builder)?;
            self.session.make_room(&[built.key], builder)?;
        }
        Ok(())
    }
}
