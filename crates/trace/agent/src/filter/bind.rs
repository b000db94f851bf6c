//! Which of the programs of filters judge the events of a probe, and where they have what these import.

use std::sync::Arc;

use perflab_abi::{Description, FilterMode};
use perflab_bpf::{Lowered, Place, Unbound, bind};

use super::Filter;

/// A filter that judges the events of a probe, before the next one that does.
#[derive(Debug, Clone)]
pub struct Stage {
    /// The filter.
    pub filter: Arc<Filter>,
    /// The one of its programs that fits.
    pub lowered: Arc<Lowered>,
    /// Where the values of its imports are.
    pub places: Box<[Place]>,
    /// Where the value is by which accepted events are counted, if they are.
    pub value: Option<Place>,
}

impl Stage {
    /// Whether both judge alike.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.filter, &other.filter)
            && Arc::ptr_eq(&self.lowered, &other.lowered)
            && (&self.places, self.value) == (&other.places, other.value)
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(self)
            + size_of_val(&*self.places)
            + self.filter.expression.len()
            + self.lowered.bytes()
    }
}

/// What judges the events of a probe, in order: an event that one accepts comes to no other one.
pub type Fit = Result<Box<[Stage]>, Misfit>;

/// Why no program of a filter can judge the events of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Whether a name is missing, or stands for something else.
    pub mode: FilterMode,
    /// Which, and what it is.
    pub reason: String,
}

impl From<Unbound<'_>> for Misfit {
    fn from(unbound: Unbound<'_>) -> Self {
        Self {
            mode: match unbound {
                Unbound::Missing(_) => FilterMode::Never,
                Unbound::OtherClass(..) => FilterMode::Unbound,
            },
            reason: unbound.to_string(),
        }
    }
}

/// Those of the filters that fit a probe.
///
/// # Errors
/// Why the last one does not, if none does.
pub fn fit(judges: &[Arc<Filter>], description: &Description<'_>) -> Fit {
    let mut stages = Vec::with_capacity(judges.len());
    let mut misfit = None;
    for filter in judges {
        match filter.stage(description) {
            Ok(stage) => stages.push(stage),
            Err(reason) => misfit = Some(reason),
        }
    }
    match misfit {
        Some(misfit) if stages.is_empty() => Err(misfit),
        _ => Ok(stages.into_boxed_slice()),
    }
}

/// Whether both lists have the same filters.
pub fn are_same(one: &[Arc<Filter>], other: &[Arc<Filter>]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| Arc::ptr_eq(one, other))
}

impl Filter {
    /// The first of its programs that fits a probe.
    ///
    /// # Errors
    /// Why the first one does not, if none does, or why there is no value to count by.
    fn stage(self: &Arc<Self>, description: &Description<'_>) -> Result<Stage, Misfit> {
        let value = self.counts.as_ref().map(|counts| counts.place(description));
        let value = value.transpose()?;
        let mut misfit = None;
        for lowered in &self.alternatives {
            match bind(lowered.imports(), description) {
                Ok(places) => {
                    return Ok(Stage {
                        filter: Arc::clone(self),
                        lowered: Arc::clone(lowered),
                        places: places.into_boxed_slice(),
                        value,
                    });
                }
                Err(unbound) => {
                    misfit.get_or_insert_with(|| Misfit::from(unbound));
                }
            }
        }
        Err(misfit.unwrap_or_else(|| Misfit {
            mode: FilterMode::Never,
            reason: "there is no program".to_owned(),
        }))
    }
}

/// Words that an event of a probe has.
pub fn words(description: &Description<'_>) -> usize {
    let arguments = description.arguments();
    arguments.map(|argument| argument.kind.words()).sum()
}
