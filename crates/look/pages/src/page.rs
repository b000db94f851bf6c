//! A page of a result that is being made: its plots are numbered, and files are made with it.

use maud::Markup;
use perflab_plot::Plot;

use crate::address::Address;
use crate::figure::figure;

/// A page that is being made.
#[derive(Debug, Default)]
pub(crate) struct Page {
    plots: usize,
    /// Files that are made with the page, as they need the same values.
    pub(crate) files: Vec<(Address, String)>,
}

impl Page {
    /// The next plot.
    pub(crate) fn plot(&mut self, plot: &Plot) -> Markup {
        self.plots += 1;
        figure(plot, &format!("plot-{}", self.plots))
    }

    /// Keeps a file that is made with the page.
    pub(crate) fn keep(&mut self, address: Address, content: String) {
        self.files.push((address, content));
    }
}
