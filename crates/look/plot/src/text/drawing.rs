//! The whole drawing: titles, marks, axis, legend.

use super::style::{Ink, TextOptions};
use super::symbols::symbol;
use super::{numbers, rows};
use crate::axis::Scale;
use crate::plot::Plot;

/// Least columns of a plot.
const LEAST: usize = 40;

/// Most columns: beyond, the eye loses the line.
const MOST: usize = 160;

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
    out += &legend(plot, style);
    out
}

fn legend(plot: &Plot, style: &TextOptions) -> String {
    let mut entries: Vec<String> = Vec::new();
    for layer in plot.layers.iter().filter(|layer| !layer.name.is_empty()) {
        let ink = Ink {
            symbol: symbol(layer, style),
            tone: layer.tone,
        };
        let entry = format!("{} {}", style.line(&[Some(ink)]), style.show(&layer.name));
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    if entries.is_empty() {
        return String::new();
    }
    entries.join("   ") + "\n"
}
