//! The direction of a metric.

/// Which way a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Less is better: times, latencies, sizes.
    Lower,
    /// More is better: throughputs.
    Higher,
}
