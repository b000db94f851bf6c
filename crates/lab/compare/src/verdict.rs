//! What is proven about one question.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is proven about one question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The candidate is better.
    Better,
    /// The candidate is worse.
    Worse,
    /// They differ, and neither way is better.
    Differs,
    /// They differ by less than the margin.
    Same,
    /// The runs prove none of these.
    #[default]
    NotProven,
}

impl Verdict {
    /// Whether a difference is proven.
    pub fn is_difference(self) -> bool {
        matches!(self, Self::Better | Self::Worse | Self::Differs)
    }
}
