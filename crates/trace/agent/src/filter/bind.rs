//! Which of a filter's programs judges the events of a probe, and where they have what it imports.

use perflab_abi::{Description, FilterMode};
use perflab_bpf::{Place, Unbound, bind};

use super::Filter;

/// The program that judges the events of a probe.
#[derive(Debug)]
pub struct Fit {
    /// Which of a filter's programs.
    pub alternative: usize,
    /// Where the values of its imports are.
    pub places: Box<[Place]>,
}

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

impl Filter {
    /// The first of its programs that fits a probe.
    ///
    /// # Errors
    /// Why the first one does not, if none does.
    pub fn fit(&self, description: &Description<'_>) -> Result<Fit, Misfit> {
        let mut misfit = None;
        for (alternative, lowered) in self.alternatives.iter().enumerate() {
            match bind(lowered.imports(), description) {
                Ok(places) => {
                    let places = places.into_boxed_slice();
                    return Ok(Fit {
                        alternative,
                        places,
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
