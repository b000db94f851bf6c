//! Where the grid of standard deviations begins: a rough look at the runs of the two ends.

use super::super::block::{Block, Revision};
use crate::location::Scale;
use crate::summary::median;

/// Fewest runs of each end.
pub(super) const FEWEST: usize = 3;

/// A rough idea of the values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Anchor {
    /// Standard deviation of a run.
    pub(super) sd: f64,
    /// The smallest one that makes sense beside the rounding of numbers and the distance of the ends.
    pub(super) floor: f64,
    /// A level of the good end, and how far from it any other may be.
    pub(super) level: f64,
    pub(super) level_sd: f64,
}

impl Anchor {
    /// From the first blocks on in which each end has [`FEWEST`] runs together.
    pub(super) fn of(blocks: &[Block<f64>], scale: Scale, bad: usize) -> Option<Self> {
        let mut ends = [Vec::new(), Vec::new()];
        let mut differences = Vec::new();
        for block in blocks {
            for (revision, end) in [Revision::Good, Revision::At(bad)]
                .into_iter()
                .zip(&mut ends)
            {
                let own = block.runs.iter().filter(|run| run.revision == revision);
                let own: Vec<f64> = own.map(|run| scale.on_line(run.value)).collect();
                for (at, value) in own.iter().enumerate() {
                    differences.extend(own[..at].iter().map(|other| (value - other).abs()));
                }
                end.extend(own);
            }
            if ends.iter().all(|end| end.len() >= FEWEST) {
                break;
            }
        }
        if ends.iter().any(|end| end.len() < FEWEST) {
            return None;
        }
        let all = ends.concat();
        let size = all
            .iter()
            .fold(0.0, |size: f64, value| size.max(value.abs()));
        let level = median(&ends[0]).ok()?;
        let range = all
            .iter()
            .fold(0.0, |range: f64, value| range.max((value - level).abs()));
        let rounding = match scale {
            Scale::Ratio => 1.0,
            Scale::Shift => size.max(1e-60),
        };
        // Values that repeat exactly: variances of the level and of a run must both have digits left in one sum.
        let floor = (1e-9 * rounding).max(1e-5 * range);
        // Of normal values the median difference is 0.954 standard deviations.
        let typical = median(&differences).unwrap_or(0.0) / 0.954;
        let mean = differences.iter().sum::<f64>() / differences.len().max(1) as f64;
        let sd = if typical > 0.0 { typical } else { mean }.max(floor);
        Some(Self {
            sd,
            floor,
            level,
            level_sd: 10.0 * range + 100.0 * sd,
        })
    }
}
