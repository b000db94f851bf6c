//! A line of small bars: the medians of the blocks, from the first to the last.

use perflab_stats::summary::median;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const DIGITS: [char; 8] = ['1', '2', '3', '4', '5', '6', '7', '8'];

/// What several series share, so that they can be read one above the other.
#[derive(Debug)]
pub(super) struct Axis {
    blocks: Vec<u32>,
    low: f64,
    high: f64,
}

impl Axis {
    /// Nothing if no series has a finite median.
    pub(super) fn of(series: &[(&[u32], &[f64])]) -> Option<Self> {
        let mut blocks: Vec<u32> = series
            .iter()
            .flat_map(|(blocks, _)| *blocks)
            .copied()
            .collect();
        blocks.sort_unstable();
        blocks.dedup();
        let values = series.iter().flat_map(|(_, medians)| *medians).copied();
        let mut ends = values.filter(|value| value.is_finite());
        let first = ends.next()?;
        let (low, high) = ends.fold((first, first), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        Some(Self { blocks, low, high })
    }

    /// The smallest and the largest median.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// A bar for each block, or for some neighbours where the blocks are more than `columns`; a
    /// blank where the series has none. In ASCII a digit from 1 to 8 is the height.
    pub(super) fn draw(
        &self,
        blocks: &[u32],
        medians: &[f64],
        columns: usize,
        ascii: bool,
    ) -> String {
        let together = self.blocks.len().div_ceil(columns.max(1)).max(1);
        self.blocks
            .chunks(together)
            .map(|group| {
                let own = blocks
                    .iter()
                    .zip(medians)
                    .filter(|(block, _)| group.contains(block));
                let values: Vec<f64> = own.map(|(_, value)| *value).collect();
                median(&values).map_or(' ', |value| self.bar(value, ascii))
            })
            .collect()
    }

    fn bar(&self, value: f64, ascii: bool) -> char {
        let share = (value - self.low) / (self.high - self.low);
        // A series that never varies runs along the middle.
        let height = if share.is_finite() { share * 7.0 } else { 3.0 };
        let bars = if ascii { DIGITS } else { BARS };
        let place = height.round().clamp(0.0, 7.0) as usize;
        bars.get(place).copied().unwrap_or(' ')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_high_as_the_medians() {
        let (blocks, medians): (Vec<u32>, Vec<f64>) = (1..=8).map(|b| (b, f64::from(b))).unzip();
        let axis = Axis::of(&[(&blocks, &medians)]).unwrap();
        assert_eq!(axis.ends(), (1.0, 8.0));
        assert_eq!(axis.draw(&blocks, &medians, 60, false), "▁▂▃▄▅▆▇█");
        assert_eq!(axis.draw(&blocks, &medians, 60, true), "12345678");
        // Two blocks in a column: 1.5 is half a step above 1, and rounds up.
        assert_eq!(axis.draw(&blocks, &medians, 4, true), "2468");
        assert_eq!(axis.draw(&[1, 8], &[8.0, 1.0], 60, true), "8      1");
        assert_eq!(axis.draw(&blocks, &medians, 0, true), "5");
    }

    #[test]
    fn what_has_no_height() {
        assert!(Axis::of(&[]).is_none());
        assert!(Axis::of(&[(&[1], &[f64::NAN])]).is_none());
        let axis = Axis::of(&[(&[1, 2, 3], &[5.0, 5.0, f64::INFINITY])]).unwrap();
        assert_eq!(
            axis.draw(&[1, 2, 3], &[5.0, 5.0, f64::INFINITY], 9, true),
            "44 "
        );
    }
}
