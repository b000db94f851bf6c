//! The plot: a stack of symbols per column, and below it bars for deviation, median and mean.

use crate::statistics::Dataset;
use std::io::{self, Write};

/// What stands for the first, second, ... dataset; the index is a set of datasets in bits,
/// so that the third symbol also marks a place which the first and the second share.
pub(crate) const SYMBOLS: [u8; 8] = *b" x+*%#@O";

/// The most datasets that have a symbol of their own.
pub const MOST_DATASETS: usize = SYMBOLS.len() - 1;

/// Why there can be no plot. The original crashes on all of these, or writes outside its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlotError {
    /// A value has no column on the axis.
    #[error(
        "cannot draw the plot: a value, mean or deviation has no column on an axis {width} columns wide \
         (is it infinite, not a number, or out of all proportion?); use -A for the statistics alone"
    )]
    OffScale {
        /// The inner width asked for.
        width: usize,
    },
    /// The axis cannot be that wide.
    #[error(
        "cannot draw the plot: {width} columns and {height} rows are more than the 2147483647 places it may have, \
         or than memory holds; use a smaller -w, or -A for the statistics alone"
    )]
    TooLarge {
        /// The inner width asked for.
        width: usize,
        /// The rows needed, of which one stays empty.
        height: usize,
    },
    /// No dataset, one without values, or more datasets than symbols.
    #[error(
        "cannot draw the plot: expected 1 to 7 datasets with at least one value each, found {found} with values"
    )]
    DatasetCount {
        /// How many datasets with values there are.
        found: usize,
    },
}

/// A plot in ministat's manner.
///
/// The axis runs from the least to the greatest of all values and of all means plus and minus one standard
/// deviation. The faults of the original are kept: the height is that of the dataset drawn last, so that one
/// with lower stacks cuts off what stands higher before it, and the mean hides the median.
#[derive(Clone, Debug)]
pub struct BoxPlot {
    width: usize,
    /// `None` where all values are equal and the axis has no length.
    content: Option<Content>,
}

#[derive(Clone, Debug)]
struct Content {
    stacks: Stacks,
    bars: Vec<Vec<u8>>,
}

impl BoxPlot {
    /// Draws 1 to 7 datasets on an axis of `width` columns, the frame not counted,
    /// with the bars in one line or in a line for each dataset.
    ///
    /// # Errors
    /// Where the original would crash; see [`PlotError`].
    pub fn new(
        datasets: &[&Dataset],
        width: usize,
        separate_bars: bool,
    ) -> Result<Self, PlotError> {
        if !(1..=MOST_DATASETS).contains(&datasets.len()) {
            return Err(PlotError::DatasetCount {
                found: datasets.len(),
            });
        }
        let axis = Axis::over(datasets, width);
        if axis.span == 0.0 {
            return Ok(Self {
                width,
                content: None,
            });
        }
        let mut stacks = Stacks {
            width,
            height: 0,
            places: Vec::new(),
        };
        let mut bars = Vec::new();
        for (bits, dataset) in (1..).zip(datasets) {
            stacks.draw(dataset, bits, &axis)?;
            if separate_bars || bars.is_empty() {
                let mut bar = Vec::new();
                resize(&mut bar, width, 1)?;
                bars.push(bar);
            }
            if let Some(bar) = bars.last_mut() {
                draw_bar(bar, dataset, &axis)?;
            }
        }
        Ok(Self {
            width,
            content: Some(Content { stacks, bars }),
        })
    }

    /// Writes the plot with its frame, or the line that says why there is none.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_to(&self, output: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let Some(Content { stacks, bars }) = &self.content else {
            return output.write_all(b"[no plot, span is zero width]\n");
        };
        let mut line = vec![b'-'; self.width + 3];
        line[0] = b'+';
        line[self.width + 1..].copy_from_slice(b"+\n");
        let frame = line.clone();
        output.write_all(&frame)?;

        line[0] = b'|';
        line[self.width + 1] = b'|';
        let mut drawn: &[u8] = &[];
        for row in (1..stacks.height).rev() {
            let places = &stacks.places[row * self.width..][..self.width];
            // Tall stacks have many rows alike.
            if places != drawn {
                for (cell, &bits) in line[1..].iter_mut().zip(places) {
                    *cell = SYMBOLS[usize::from(bits) % SYMBOLS.len()];
                }
                drawn = places;
            }
            output.write_all(&line)?;
        }
        for bar in bars {
            for (cell, &mark) in line[1..].iter_mut().zip(bar) {
                *cell = if mark == 0 { b' ' } else { mark };
            }
            output.write_all(&line)?;
        }
        output.write_all(&frame)
    }
}

struct Axis {
    width: usize,
    span: f64,
    /// The value at the left edge of the first column.
    origin: f64,
    /// How far it is from one column to the next.
    step: f64,
}

impl Axis {
    fn over(datasets: &[&Dataset], width: usize) -> Self {
        let (mut min, mut max) = (999e99, -999e99);
        for dataset in datasets {
            let (mean, deviation) = (dataset.mean(), dataset.standard_deviation());
            for value in [
                dataset.min(),
                dataset.max(),
                mean - deviation,
                mean + deviation,
            ] {
                // A NaN must not pass, in either comparison.
                if value < min {
                    min = value;
                }
                if value > max {
                    max = value;
                }
            }
        }
        let span = max - min;
        let step = span / (width as f64 - 1.0);
        Self {
            width,
            span,
            origin: min - 0.5 * step,
            step,
        }
    }

    /// The column of a value, normally one of `0..width`.
    ///
    /// It is none of them where the mean lies outside of the values because it was rounded, where the values
    /// are so close that the origin was, and where the value is not finite.
    ///
    /// # Errors
    /// The column does not fit into 32 bits.
    fn column(&self, value: f64) -> Result<i64, PlotError> {
        let column = (value - self.origin) / self.step;
        if (f64::from(i32::MIN)..f64::from(i32::MAX) + 1.0).contains(&column) {
            Ok(column as i64)
        } else {
            Err(self.off_scale())
        }
    }

    fn off_scale(&self) -> PlotError {
        PlotError::OffScale { width: self.width }
    }

    /// Where a mark goes in a block of `length` places that lie row after row.
    ///
    /// A mark beside the first or last column thus lands in the row below or above.
    /// One just behind the block is lost where the C library had rounded up the block's size:
    /// a block and the 8 bytes before it take a multiple of 16 bytes, at least 32.
    ///
    /// # Errors
    /// The mark would lie in memory that is not the block's.
    fn place(&self, offset: i64, length: usize) -> Result<Option<usize>, PlotError> {
        let rounded_up = (length + 8).next_multiple_of(16).max(32) - 8;
        match usize::try_from(offset) {
            Ok(offset) if offset < length => Ok(Some(offset)),
            Ok(offset) if offset < rounded_up => Ok(None),
            _ => Err(self.off_scale()),
        }
    }
}

/// Rows of places, the lowest first, of which that one stays empty and is not shown.
/// Each place holds the bitwise or of the numbers of the datasets that have a value there.
#[derive(Clone, Debug)]
struct Stacks {
    width: usize,
    height: usize,
    places: Vec<u8>,
}

impl Stacks {
    fn draw(&mut self, dataset: &Dataset, bits: u8, axis: &Axis) -> Result<(), PlotError> {
        let runs = runs(dataset.sorted(), axis)?;
        let tallest = runs.iter().map(|&(_, length)| length).max().unwrap_or(0);
        self.set_height(tallest + 1, axis)?;
        for (column, length) in runs {
            match usize::try_from(column) {
                Ok(column) if column < self.width => {
                    let stack = self.places[self.width + column..]
                        .iter_mut()
                        .step_by(self.width);
                    stack.take(length).for_each(|place| *place |= bits);
                }
                _ => {
                    for row in 1..=length {
                        let offset = (row * self.width) as i64 + column;
                        if let Some(place) = axis.place(offset, self.places.len())? {
                            self.places[place] |= bits;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// If there are to be more rows, clears those above the height so far, and with them what a dataset
    /// before the last had drawn there.
    fn set_height(&mut self, height: usize, axis: &Axis) -> Result<(), PlotError> {
        if height > self.height {
            if self.width == 0 && self.height > 0 {
                // C's realloc frees a block that is to have no size.
                return Err(axis.off_scale());
            }
            self.places.truncate(self.width * self.height);
            resize(&mut self.places, self.width, height)?;
        }
        self.height = height;
        Ok(())
    }
}

/// The columns of the values in order, with how many values in succession share each.
fn runs(values: &[f64], axis: &Axis) -> Result<Vec<(i64, usize)>, PlotError> {
    let mut runs: Vec<(i64, usize)> = Vec::new();
    for &value in values {
        let column = axis.column(value)?;
        match runs.last_mut() {
            Some((last, length)) if *last == column => *length += 1,
            _ => runs.push((column, 1)),
        }
    }
    Ok(runs)
}

/// Draws `|____M__A____|`: mean plus and minus the deviation, median, mean.
fn draw_bar(bar: &mut [u8], dataset: &Dataset, axis: &Axis) -> Result<(), PlotError> {
    let (mean, deviation) = (dataset.mean(), dataset.standard_deviation());
    let mut mark = |column: i64, symbol: u8, only_if_empty: bool| {
        if let Some(place) = axis.place(column, bar.len())?
            && (!only_if_empty || bar[place] == 0)
        {
            bar[place] = symbol;
        }
        Ok(())
    };
    if !deviation.is_nan() {
        let (left, right) = (
            axis.column(mean - deviation)?,
            axis.column(mean + deviation)?,
        );
        mark(right, b'|', false)?;
        mark(left, b'|', false)?;
        for column in left + 1..right {
            mark(column, b'_', true)?;
        }
    }
    mark(axis.column(dataset.median())?, b'M', false)?;
    mark(axis.column(mean)?, b'A', false)
}

/// Fills up with empty places to `height` rows.
fn resize(places: &mut Vec<u8>, width: usize, height: usize) -> Result<(), PlotError> {
    let too_large = PlotError::TooLarge { width, height };
    let length = width
        .checked_mul(height)
        .filter(|&length| i32::try_from(length).is_ok())
        .ok_or(too_large)?;
    places
        .try_reserve_exact(length.saturating_sub(places.len()))
        .map_err(|_| too_large)?;
    places.resize(length, 0);
    Ok(())
}
