//! `ministat`, byte for byte: the version of 15 July 2015 that Debian carries, on amd64.
//!
//! Output, messages and exit code equal the original's, its faults included: the upper median, the one-pass
//! variance that may go negative, the mislabelled 99.5 % column of the t table, the stacks that a later dataset
//! cuts off. The exceptions:
//!
//! - Where the original crashes or draws outside its memory, there is an error and exit code 2.
//! - Where the original loses output because it cannot be written, there is an error and exit code 2;
//!   after a broken pipe only the exit code, 141, as a shell shows it for the original.
//! - `POSIXLY_CORRECT` in the environment, which makes the original take no options behind file names,
//!   is not looked at.
//!
//! [`run`] is the program. The parts of it that are of use elsewhere are [`parse`], [`Dataset`], [`Comparison`],
//! [`compare_sentence`], [`BoxPlot`], [`render_plot`], [`parse_number`] and [`c_format_g`].

mod files;
mod format;
mod input;
mod number;
mod options;
mod plot;
mod report;
mod statistics;
mod t_table;

pub use format::c_format_g;
pub use input::{ParseError, ParseOptions, parse};
pub use number::parse_number;
pub use options::terminal_width;
pub use plot::{BoxPlot, MOST_DATASETS, PlotError};
pub use report::compare_sentence;
pub use statistics::{CONFIDENCE_LEVELS, Comparison, Confidence, Dataset};

use files::{Named, ReadError};
use options::{Options, UsageError};
use std::ffi::OsString;
use std::io::{self, BufWriter, Read, Write};

/// The plot's width where neither an option nor a terminal gives one, in columns, the frame not counted.
pub const DEFAULT_WIDTH: usize = 74;

/// Runs `ministat` with the given arguments, the program's name not among them, and returns its exit code.
///
/// Opens the files named and nothing else. `terminal_columns` is the plot's width on a terminal
/// (see [`terminal_width`]), `None` if the output goes elsewhere.
pub fn run(
    arguments: &[OsString],
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
    terminal_columns: Option<usize>,
) -> u8 {
    match report(arguments, stdin, terminal_columns) {
        Ok(report) => match report.write_to(stdout) {
            Ok(()) => 0,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 141,
            Err(error) => {
                complain(
                    stderr,
                    format!("ministat: cannot write the output: {error}\n").as_bytes(),
                );
                2
            }
        },
        Err(failure) => {
            complain(stderr, &failure.message());
            failure.exit_code()
        }
    }
}

/// Draws datasets, each with its name and its values in the order measured: a legend, then the plot.
///
/// # Errors
/// Where the original would crash; see [`PlotError`].
pub fn render_plot(
    datasets: &[(&str, &[f64])],
    width: usize,
    separate_bars: bool,
) -> Result<String, PlotError> {
    let sets: Vec<Dataset> = datasets
        .iter()
        .filter_map(|(_, values)| Dataset::new(values.to_vec()))
        .collect();
    if sets.len() < datasets.len() {
        return Err(PlotError::DatasetCount { found: sets.len() });
    }
    let plot = BoxPlot::new(&sets.iter().collect::<Vec<_>>(), width, separate_bars)?;
    let legend = datasets
        .iter()
        .enumerate()
        .map(|(index, (name, _))| report::legend_line(index, name.as_bytes()));
    let mut text = legend.flatten().collect::<Vec<u8>>();
    // Writing to a vector cannot fail.
    let _ = plot.write_to(&mut text);
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// All that goes to the output, ready before the first byte of it is written.
struct Report {
    options: Options,
    datasets: Vec<Named>,
    plot: Option<BoxPlot>,
}

fn report(
    arguments: &[OsString],
    stdin: &mut dyn Read,
    terminal_columns: Option<usize>,
) -> Result<Report, Failure> {
    let options = options::parse_arguments(arguments).map_err(Failure::Usage)?;
    let datasets = files::read_all(&options.files, stdin, &options.parse).map_err(Failure::Read)?;
    let plot = if options.plot {
        let width = options.width.or(terminal_columns).unwrap_or(DEFAULT_WIDTH);
        let sets: Vec<&Dataset> = datasets.iter().map(|named| &named.dataset).collect();
        Some(BoxPlot::new(&sets, width, options.separate_bars).map_err(Failure::Plot)?)
    } else {
        None
    };
    Ok(Report {
        options,
        datasets,
        plot,
    })
}

impl Report {
    fn write_to(&self, output: &mut dyn Write) -> io::Result<()> {
        let mut output = BufWriter::with_capacity(1 << 16, output);
        for (index, named) in self.datasets.iter().enumerate() {
            output.write_all(&report::legend_line(index, &named.name))?;
        }
        if let Some(plot) = &self.plot {
            plot.write_to(&mut output)?;
        }
        output.write_all(report::TABLE_HEAD.as_bytes())?;
        for (index, named) in self.datasets.iter().enumerate() {
            output.write_all(report::table_line(index, &named.dataset).as_bytes())?;
            if index > 0 && self.options.compare {
                let confidence = self.options.confidence.unwrap_or_default();
                let comparison =
                    Comparison::of(&self.datasets[0].dataset, &named.dataset, confidence);
                output.write_all(compare_sentence(&comparison).as_bytes())?;
            }
        }
        output.flush()
    }
}

/// Why there is no report.
#[derive(Debug)]
enum Failure {
    Usage(UsageError),
    Read(ReadError),
    Plot(PlotError),
}

impl Failure {
    fn message(&self) -> Vec<u8> {
        match self {
            Self::Usage(error) => error.message(),
            Self::Read(error) => error.message(),
            Self::Plot(error) => format!("ministat: {error}\n").into_bytes(),
        }
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Plot(_) => 2,
            Self::Read(error) => error.exit_code(),
        }
    }
}

fn complain(stderr: &mut dyn Write, message: &[u8]) {
    // If even this cannot be written, the exit code has to say it all.
    let _ = stderr.write_all(message).and_then(|()| stderr.flush());
}
