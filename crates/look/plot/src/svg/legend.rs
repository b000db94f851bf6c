//! What the legend calls the layers, from left to right in as many lines as it takes.

use std::fmt::Write as _;

use super::letters::{cut, text_width};
use super::markup::{class, escaped, short};
use super::outline;
use crate::marks::Layer;

/// Height of a line.
pub(super) const LINE: f64 = 18.0;

/// Room that a name may take.
const MOST_OF_A_NAME: f64 = 300.0;

/// Width of a sample with the room behind it, and of the room behind a name.
const SAMPLE: f64 = 16.0;

/// A layer in the legend.
#[derive(Debug)]
pub(super) struct Entry<'p> {
    pub(super) layer: &'p Layer,
    pub(super) name: String,
    /// Where its sample begins.
    pub(super) x: f64,
    /// Where its name begins.
    pub(super) name_x: f64,
    /// Its line, from 0.
    pub(super) line: usize,
}

impl Entry<'_> {
    /// Whether it is what the legend calls a layer.
    pub(super) fn names(&self, layer: &Layer) -> bool {
        (&self.layer.name, self.layer.tone) == (&layer.name, layer.tone)
    }
}

/// All layers that have a name, those of one name and tone once, between two places across.
pub(super) fn entries(layers: &[Layer], left: f64, right: f64) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let (mut x, mut line) = (left, 0);
    for layer in layers.iter().filter(|layer| !layer.name.is_empty()) {
        if entries.iter().any(|entry| entry.names(layer)) {
            continue;
        }
        let name = cut(&layer.name, MOST_OF_A_NAME);
        let width = SAMPLE + text_width(&name);
        if x > left && x + width > right {
            (x, line) = (left, line + 1);
        }
        entries.push(Entry {
            layer,
            name,
            x,
            name_x: x + SAMPLE,
            line,
        });
        x += width + SAMPLE;
    }
    entries
}

pub(super) fn draw(out: &mut String, entries: &[Entry<'_>]) {
    for entry in entries {
        let y = 14.0 + LINE * entry.line as f64;
        let _ = write!(out, "<g class=\"legend {}\">", class(entry.layer.tone));
        outline::sample(out, &entry.layer.marks, entry.x + 6.0, y - 4.0);
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\">{}</text></g>",
            short(entry.name_x),
            short(y),
            escaped(&entry.name)
        );
    }
}
