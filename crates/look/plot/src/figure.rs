//! A plot as a figure of Plotly, which a script in a page lets people hover over, zoom into and filter.
//!
//! Colours are names such as `tone:s0`, which the page's script replaces by the colours of the page.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::Plot;
use crate::axis::{Axis, Scale};
use crate::marks::{Cell, Interval, Layer, Marker, Marks, Point, Summary, Tone, Which};
use crate::shown::{brief, clean};
use crate::svg::class;
use crate::ticks::ticks;

/// From here on points are drawn by the graphics card.
const MANY: usize = 2000;

/// Marks of one kind. Points, of which there may be many, are written as they are; other marks are in the values.
#[derive(Serialize)]
struct Trace<'p> {
    #[serde(flatten)]
    values: Value,
    #[serde(flatten)]
    points: Option<Points<'p>>,
}

impl From<Value> for Trace<'_> {
    fn from(values: Value) -> Self {
        Self {
            values,
            points: None,
        }
    }
}

#[derive(Serialize)]
struct Points<'p> {
    x: Places<'p>,
    y: Places<'p>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Labels<'p>>,
    customdata: Links<'p>,
}

/// Where points are on an axis, to a millionth of it.
struct Places<'p> {
    at: &'p [Point],
    of: fn(&Point) -> f64,
    /// What is one step times this.
    fineness: f64,
}

impl Serialize for Places<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = |point: &Point| {
            let place = (self.of)(point);
            let rounded = (place * self.fineness).round() / self.fineness;
            Some(if rounded.is_finite() { rounded } else { place })
                .filter(|place| place.is_finite())
        };
        serializer.collect_seq(self.at.iter().map(place))
    }
}

struct Labels<'p>(&'p [Point]);

impl Serialize for Labels<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|point| lines(&point.label)))
    }
}

struct Links<'p>(&'p [Point]);

impl Serialize for Links<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|point| &point.link))
    }
}

/// A power of ten that makes whole numbers of what can be told apart on an axis.
fn fineness(axis: &Axis) -> f64 {
    let span = match &axis.scale {
        Scale::Numbers { low, high } => high - low,
        Scale::Names(names) => names.len() as f64,
    };
    10_f64.powf((6.0 - span.log10()).ceil())
}

/// `data` and `layout` as Plotly takes them, as JSON.
pub fn figure(plot: &Plot) -> String {
    let mut data: Vec<Trace<'_>> = Vec::new();
    let mut shapes = Vec::new();
    let mut named: Vec<&str> = Vec::new();
    for layer in &plot.layers {
        let is_first = !layer.name.is_empty() && !named.contains(&layer.name.as_str());
        if is_first {
            named.push(&layer.name);
        }
        match &layer.marks {
            Marks::Points { marker, at } => data.push(points(plot, layer, *marker, at)),
            Marks::Line(at) => data.push(Trace::from(json!({
                "type": "scatter", "mode": "lines",
                "x": at.iter().map(|[x, _]| number(*x)).collect::<Vec<_>>(),
                "y": at.iter().map(|[_, y]| number(*y)).collect::<Vec<_>>(),
                "line": {"color": tone(layer.tone)},
            }))),
            Marks::Areas(at) => {
                let back = at.iter().rev();
                let x = at.iter().chain(back.clone()).map(|area| number(area.x));
                let y = at
                    .iter()
                    .map(|area| area.high)
                    .chain(back.map(|area| area.low));
                data.push(Trace::from(json!({
                    "type": "scatter", "mode": "lines", "fill": "toself", "hoverinfo": "skip",
                    "x": x.collect::<Vec<_>>(), "y": y.map(number).collect::<Vec<_>>(),
                    "line": {"width": 0}, "fillcolor": format!("{}/0.2", tone(layer.tone)),
                })));
            }
            Marks::Intervals(at) => data.extend(intervals(plot, at).into_iter().map(Trace::from)),
            Marks::Summaries(at) => data.extend(summaries(layer, at).into_iter().map(Trace::from)),
            Marks::Cells(at) => {
                shapes.extend(at.iter().map(cell_shape));
                data.push(Trace::from(cell_texts(at)));
            }
            Marks::Rule { axis, at } => shapes.push(across(*axis, *at, *at, layer.tone)),
            Marks::Stripe { axis, low, high } => {
                shapes.push(across(*axis, *low, *high, layer.tone));
            }
        }
        if let Some(trace) = data
            .last_mut()
            .and_then(|trace| trace.values.as_object_mut())
            && !trace.contains_key("name")
        {
            trace.insert("name".to_owned(), json!(plain(&layer.name)));
            trace.insert("legendgroup".to_owned(), json!(plain(&layer.name)));
            trace.insert("showlegend".to_owned(), json!(is_first));
        }
    }
    let layout = json!({
        "xaxis": axis(&plot.x, false),
        "yaxis": axis(&plot.y, true),
        "shapes": shapes,
    });
    // Keys are texts, and nothing else can fail.
    let data = serde_json::to_string(&data).unwrap_or_else(|_| "[]".to_owned());
    format!("{{\"data\":{data},\"layout\":{layout}}}")
}

/// Text that Plotly, which knows some markup, shows as it is.
fn plain(text: &str) -> Cow<'_, str> {
    let is_harmless = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'&' | b'<' | b'>');
    let text = brief(text);
    if text.bytes().all(is_harmless) {
        return text;
    }
    let escaped = clean(&text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    Cow::Owned(escaped)
}

/// Text in a template of Plotly.
fn in_template(text: &str) -> String {
    plain(text).replace('%', "&#37;")
}

/// A label, in which line ends are kept.
fn lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + 3);
    for (index, line) in brief(text).lines().enumerate() {
        if index > 0 {
            lines.push_str("<br>");
        }
        lines.push_str(&plain(line));
    }
    lines
}

/// What is no number has no place.
fn number(value: f64) -> Value {
    json!(Some(value).filter(|value| value.is_finite()))
}

fn tone(tone: Tone) -> String {
    format!("tone:{}", class(tone))
}

fn symbol(marker: Marker) -> &'static str {
    match marker {
        Marker::Disc => "circle",
        Marker::Cross => "x-thin-open",
        Marker::Plus => "cross-thin-open",
        Marker::Triangle => "triangle-up",
        Marker::Square => "square",
        Marker::Ring => "circle-open",
    }
}

fn points<'p>(plot: &Plot, layer: &Layer, marker: Marker, at: &'p [Point]) -> Trace<'p> {
    let colour = tone(layer.tone);
    // Without a label the place has to tell.
    let has_labels = at.iter().any(|point| !point.label.is_empty());
    let mut values = json!({
        "type": if at.len() > MANY { "scattergl" } else { "scatter" },
        "mode": "markers",
        "hoverinfo": "text",
        "marker": {"symbol": symbol(marker), "color": colour, "size": 7, "line": {"color": colour, "width": 1.5}},
    });
    if !has_labels && let Some(values) = values.as_object_mut() {
        let place = |axis: &Axis, own: &str| match axis.scale {
            Scale::Numbers { .. } => format!("{} %{{{own}}}<br>", in_template(&axis.title)),
            Scale::Names(_) => String::new(),
        };
        let place = place(&plot.x, "x") + &place(&plot.y, "y");
        values.remove("hoverinfo");
        values.insert("hovertemplate".to_owned(), json!(place + "<extra></extra>"));
    }
    let points = Points {
        x: Places {
            at,
            of: |point| point.x,
            fineness: fineness(&plot.x),
        },
        y: Places {
            at,
            of: |point| point.y,
            fineness: fineness(&plot.y),
        },
        text: has_labels.then_some(Labels(at)),
        customdata: Links(at),
    };
    Trace {
        values,
        points: Some(points),
    }
}

/// One trace for each tone, as the bars of a trace have one colour.
fn intervals(plot: &Plot, at: &[Interval]) -> Vec<Value> {
    let (left, right) = match plot.x.scale {
        Scale::Numbers { low, high } => (low, high),
        Scale::Names(_) => return Vec::new(),
    };
    let mut tones: Vec<Tone> = Vec::new();
    for interval in at {
        if !tones.contains(&interval.tone) {
            tones.push(interval.tone);
        }
    }
    let of_tone = |of: Tone| {
        let own: Vec<&Interval> = at.iter().filter(|interval| interval.tone == of).collect();
        let colour = tone(of);
        let name = match of {
            Tone::Better => "better",
            Tone::Worse => "worse",
            Tone::Same => "same",
            Tone::Open => "not proven",
            Tone::Series(_) | Tone::Quiet => "",
        };
        json!({
            "type": "scatter", "mode": "markers", "hoverinfo": "text",
            "name": name, "legendgroup": name, "showlegend": !name.is_empty(),
            "x": own.iter().map(|each| number(each.middle)).collect::<Vec<_>>(),
            "y": own.iter().map(|each| number(each.y)).collect::<Vec<_>>(),
            "text": own.iter().map(|each| lines(&each.label)).collect::<Vec<_>>(),
            "customdata": own.iter().map(|each| &each.link).collect::<Vec<_>>(),
            "marker": {"symbol": "square", "color": colour, "size": 8},
            "error_x": {
                "type": "data", "symmetric": false, "color": colour, "thickness": 2, "width": 5,
                "array": own.iter().map(|each| number(each.high.unwrap_or(right) - each.middle)).collect::<Vec<_>>(),
                "arrayminus": own.iter().map(|each| number(each.middle - each.low.unwrap_or(left))).collect::<Vec<_>>(),
            },
        })
    };
    tones.into_iter().map(of_tone).collect()
}

/// The mean with its deviation, and the median.
fn summaries(layer: &Layer, at: &[Summary]) -> Vec<Value> {
    let colour = tone(layer.tone);
    // Below the points of the same name.
    let y: Vec<Value> = at.iter().map(|each| number(each.y + 0.42)).collect();
    let text: Vec<String> = at.iter().map(|each| lines(&each.label)).collect();
    let mark = |x: Vec<Value>, symbol: &str, bars: Option<Value>| {
        let mut trace = json!({
            "type": "scatter", "mode": "markers", "hoverinfo": "text", "x": x, "y": y, "text": text,
            "name": "", "showlegend": false,
            "marker": {"symbol": symbol, "color": colour, "size": 9, "line": {"color": colour, "width": 2}},
        });
        if let (Some(bars), Some(trace)) = (bars, trace.as_object_mut()) {
            trace.insert("error_x".to_owned(), bars);
        }
        trace
    };
    let bars = json!({
        "type": "data", "symmetric": false, "color": colour, "thickness": 2, "width": 4,
        "array": at.iter().map(|each| number(each.high - each.mean)).collect::<Vec<_>>(),
        "arrayminus": at.iter().map(|each| number(each.mean - each.low)).collect::<Vec<_>>(),
    });
    vec![
        mark(
            at.iter().map(|each| number(each.mean)).collect(),
            "diamond",
            Some(bars),
        ),
        mark(
            at.iter().map(|each| number(each.median)).collect(),
            "line-ns",
            None,
        ),
    ]
}

fn cell_shape(cell: &Cell) -> Value {
    let (x, y) = (cell.x as f64, cell.y as f64);
    json!({
        "type": "rect", "layer": "below", "line": {"width": 0},
        "x0": x - 0.48, "x1": x + 0.48, "y0": y - 0.46, "y1": y + 0.46,
        "fillcolor": format!("{}/{:.2}", tone(cell.tone), cell.opacity()),
    })
}

fn cell_texts(at: &[Cell]) -> Value {
    json!({
        "type": "scatter", "mode": "text", "hoverinfo": "text", "name": "", "showlegend": false,
        "x": at.iter().map(|cell| cell.x).collect::<Vec<_>>(),
        "y": at.iter().map(|cell| cell.y).collect::<Vec<_>>(),
        "text": at.iter().map(|cell| plain(&cell.value)).collect::<Vec<_>>(),
        "hovertext": at.iter().map(|cell| lines(&cell.label)).collect::<Vec<_>>(),
        "customdata": at.iter().map(|cell| &cell.link).collect::<Vec<_>>(),
    })
}

/// A range of an axis, or a place on it, from edge to edge of the plot.
fn across(axis: Which, low: f64, high: f64, of: Tone) -> Value {
    let is_line = low == high;
    let mut shape = Map::new();
    let mut set = |key: &str, value: Value| shape.insert(key.to_owned(), value);
    set("type", json!(if is_line { "line" } else { "rect" }));
    set("layer", json!("below"));
    let (own, other) = match axis {
        Which::X => ("x", "y"),
        Which::Y => ("y", "x"),
    };
    set(&format!("{own}0"), number(low));
    set(&format!("{own}1"), number(high));
    set(&format!("{other}0"), json!(0));
    set(&format!("{other}1"), json!(1));
    set(&format!("{other}ref"), json!(format!("{other} domain")));
    if is_line {
        set(
            "line",
            json!({"color": tone(of), "width": 1, "dash": "dot"}),
        );
    } else {
        set("line", json!({"width": 0}));
        set("fillcolor", json!(format!("{}/0.12", tone(of))));
    }
    Value::Object(shape)
}

fn axis(axis: &Axis, is_vertical: bool) -> Value {
    let title = json!({"text": plain(&axis.title)});
    match &axis.scale {
        Scale::Numbers { low, high } => json!({
            "title": title, "range": [low, high], "zeroline": false, "automargin": true,
        }),
        Scale::Names(names) => {
            let (first, last) = (-0.5, names.len() as f64 - 0.5);
            json!({
                "title": title,
                "range": if is_vertical { [last, first] } else { [first, last] },
                "tickvals": (0..names.len()).collect::<Vec<_>>(),
                "ticktext": ticks(&axis.scale, names.len()).iter().map(|tick| plain(&tick.label)).collect::<Vec<_>>(),
                "zeroline": false, "automargin": true, "showgrid": false,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(plain("<a href='x'>&\u{7}"), "&lt;a href='x'&gt;&amp;\\u{7}");
        assert_eq!(lines("a<\nb"), "a&lt;<br>b");
    }

    #[test]
    fn what_is_no_number_has_no_place() {
        assert_eq!(number(f64::NAN), Value::Null);
        assert_eq!(number(1.5), json!(1.5));
    }
}
