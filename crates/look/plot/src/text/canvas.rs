//! Places of letters, and what is drawn on them.

use super::style::Ink;
use crate::axis::Scale;
use crate::marks::Tone;

/// Lines of places, the first on top.
#[derive(Debug)]
pub(super) struct Canvas {
    pub(super) lines: Vec<Vec<Option<Ink>>>,
}

/// Which column, from 0, a value is in; nothing for one that is beyond the axis.
pub(super) fn column(scale: &Scale, value: f64, columns: usize) -> Option<usize> {
    let share = scale.share(value)?;
    (0.0..=1.0)
        .contains(&share)
        .then(|| column_at(share, columns))
}

/// The column of a share of the axis, from 0 to 1.
pub(super) fn column_at(share: f64, columns: usize) -> usize {
    ((share * columns as f64) as usize).min(columns.saturating_sub(1))
}

impl Canvas {
    pub(super) fn new(columns: usize, lines: usize) -> Self {
        Self {
            lines: vec![vec![None; columns]; lines],
        }
    }

    /// Puts a letter above what is there.
    pub(super) fn put(&mut self, column: usize, line: usize, symbol: char, tone: Tone) {
        if let Some(place) = self.place(column, line) {
            *place = Some(Ink { symbol, tone });
        }
    }

    /// Puts a series' letter; where another series is, a star.
    pub(super) fn meet(&mut self, column: usize, line: usize, symbol: char, tone: Tone) {
        let Some(place) = self.place(column, line) else {
            return;
        };
        let is_other = |ink: &Ink| matches!(ink.tone, Tone::Series(_)) && ink.tone != tone;
        *place = Some(match place {
            Some(ink) if is_other(ink) => Ink {
                symbol: '*',
                tone: ink.tone,
            },
            _ => Ink { symbol, tone },
        });
    }

    /// Puts a letter where nothing is.
    pub(super) fn fill(&mut self, column: usize, line: usize, symbol: char, tone: Tone) {
        if let Some(place) = self.place(column, line) {
            place.get_or_insert(Ink { symbol, tone });
        }
    }

    fn place(&mut self, column: usize, line: usize) -> Option<&mut Option<Ink>> {
        self.lines.get_mut(line)?.get_mut(column)
    }
}
