//! The whole drawing: what is behind the axes, the axes, the marks, the legend.

use std::fmt::Write as _;

use super::axes::axes;
use super::frame::Frame;
use super::legend;
use super::markup::{class, escaped};
use super::shapes;
use crate::marks::{Layer, Marks};
use crate::plot::Plot;

/// The plot as an element `svg`; `id` begins the ids in it, and must be no other's on the page.
pub fn svg(plot: &Plot, id: &str) -> String {
    let frame = Frame::of(plot);
    let mut out = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
         <title id=\"{id}-t\">{title}</title><desc id=\"{id}-d\">{description}</desc>",
        width = frame.width,
        height = frame.height,
        id = escaped(id),
        title = escaped(&plot.title),
        description = escaped(&plot.description),
    );
    let behind = |layer: &&Layer| matches!(layer.marks, Marks::Stripe { .. });
    for layer in plot.layers.iter().filter(behind) {
        draw(&mut out, &frame, layer);
    }
    axes(&mut out, plot, &frame);
    for layer in plot.layers.iter().filter(|layer| !behind(layer)) {
        draw(&mut out, &frame, layer);
    }
    legend::draw(&mut out, &frame.legend);
    out.push_str("</svg>");
    out
}

/// A group with the marks of a layer, which says what kind they are, and which entry of the legend is theirs.
fn draw(out: &mut String, frame: &Frame<'_>, layer: &Layer) {
    let kind = match layer.marks {
        Marks::Points { .. } => "points",
        Marks::Line(_) => "lines",
        Marks::Areas(_) => "areas",
        Marks::Intervals(_) => "intervals",
        Marks::Summaries(_) => "summaries",
        Marks::Cells(_) => "cells",
        Marks::Rule { .. } => "rules",
        Marks::Stripe { .. } => "stripes",
    };
    let _ = write!(
        out,
        "<g class=\"{}\" data-marks=\"{kind}\"",
        class(layer.tone)
    );
    if let Some(entry) = frame.legend.iter().position(|entry| entry.names(layer)) {
        let _ = write!(out, " data-entry=\"{entry}\"");
    }
    out.push('>');
    match &layer.marks {
        Marks::Points { marker, at } => shapes::points(out, frame, *marker, at),
        Marks::Line(at) => shapes::line(out, frame, at),
        Marks::Areas(at) => shapes::areas(out, frame, at),
        Marks::Intervals(at) => shapes::intervals(out, frame, at),
        Marks::Summaries(at) => shapes::summaries(out, frame, at),
        Marks::Cells(at) => shapes::cells(out, frame, at),
        Marks::Rule { axis, at } => shapes::rule(out, frame, *axis, *at),
        Marks::Stripe { axis, low, high } => shapes::stripe(out, frame, *axis, *low, *high),
    }
    out.push_str("</g>");
}
