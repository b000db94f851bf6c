//! The whole drawing: titles, marks, axis, legend.

use unicode_width::UnicodeWidthStr;

use super::style::{Ink, TextOptions};
use super::symbols::symbol;
use super::{numbers, rows};
use crate::axis::Scale;
use crate::plot::Plot;

/// Least columns of a plot.
const LEAST: usize = 40;

/// Most columns: beyond, the eye loses the line.
const MOST: usize = 160;

/// What is between two names of the legend.
const BETWEEN: &str = "   ";

/// The plot as text, each line with its end.
pub fn text(plot: &Plot, style: &TextOptions) -> String {
    let width = style.width.clamp(LEAST, MOST);
    let mut out = style.show(&plot.title);
    out.push('\n');
    if !plot.y.title.is_empty() {
        out += &style.show(&plot.y.title);
        out.push('\n');
    }
    out += &match &plot.y.scale {
        Scale::Names(names) => rows::rows(plot, names, style, width),
        Scale::Numbers { .. } => numbers::numbers(plot, style, width),
    };
    out += &legend(plot, style, width);
    out
}

/// In as many lines as it takes.
fn legend(plot: &Plot, style: &TextOptions, width: usize) -> String {
    let mut entries: Vec<String> = Vec::new();
    let (mut out, mut column) = (String::new(), 0);
    for layer in plot.layers.iter().filter(|layer| !layer.name.is_empty()) {
        let ink = Ink {
            symbol: symbol(layer, style),
            tone: layer.tone,
        };
        let name = style.show(&layer.name);
        let entry = format!("{} {name}", style.line(&[Some(ink)]));
        if entries.contains(&entry) {
            continue;
        }
        let taken = 2 + name.width();
        if column > 0 && column + BETWEEN.len() + taken > width {
            (out, column) = (out + "\n", 0);
        } else if column > 0 {
            (out, column) = (out + BETWEEN, column + BETWEEN.len());
        }
        (out, column) = (out + &entry, column + taken);
        entries.push(entry);
    }
    if column > 0 { out + "\n" } else { out }
}
