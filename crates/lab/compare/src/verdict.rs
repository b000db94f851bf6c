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
    /// They differ by less than the margin.
    Same,
    /// The runs prove none of these.
    #[default]
    NotProven,
}
