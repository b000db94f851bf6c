//! How to compare, and which claims are made.

/// Which claims a report makes. Each takes its share of the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claims {
    /// About the typical run.
    pub typical: bool,
    /// About the mean.
    pub mean: bool,
}

impl Default for Claims {
    fn default() -> Self {
        Self {
            typical: true,
            mean: true,
        }
    }
}

/// How to compare.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The variant that the others are compared with; the first where absent.
    pub baseline: Option<String>,
    /// A variant that is the baseline once more.
    pub control: Option<String>,
    /// Largest relative difference that does not matter.
    pub margin: Option<f64>,
    /// Confidence level.
    pub confidence: f64,
    /// Which claims are made.
    pub claims: Claims,
    /// Whether the runs may have been stopped by their own results. Then only what holds whenever
    /// one stops is claimed, and nothing about the mean.
    pub anytime: bool,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            baseline: None,
            control: None,
            margin: None,
            confidence: 0.95,
            claims: Claims::default(),
            anytime: false,
        }
    }
}
