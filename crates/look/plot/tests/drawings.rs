//! Every plot can be drawn in every way, whatever is in it, and all drawings are well formed.

use perflab_plot::{
    Area, Axis, Cell, Interval, Layer, Marker, Marks, Plot, Point, Scale, Summary, TextOptions,
    Tone, Which, svg, text,
};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use roxmltree::{Document, Node};

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -1e6..1e6f64,
        1 => any::<f64>(),
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(0.0),
    ]
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,12}",
        Just("<script>alert(1)</script>".to_owned()),
        Just("\u{202e}\u{1b}[31m\"'&\n速度".to_owned()),
        // Where a drawing says so, it is to be a number that was written by mistake.
        "\\PC{0,60}".prop_filter("no text says NaN", |text| !text.contains("NaN")),
    ]
}

/// Addresses are the program's own.
fn any_link() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[a-z]{1,8}/[0-9]{1,3}")
}

fn any_tone() -> impl Strategy<Value = Tone> {
    prop_oneof![
        any::<u8>().prop_map(Tone::Series),
        Just(Tone::Better),
        Just(Tone::Worse),
        Just(Tone::Same),
        Just(Tone::Open),
        Just(Tone::Quiet),
    ]
}

fn any_axis() -> impl Strategy<Value = Axis> {
    prop_oneof![
        (any_text(), prop::collection::vec(any_number(), 0..6))
            .prop_map(|(title, values)| Axis::around(title, values)),
        (any_text(), any_number(), any_number())
            .prop_map(|(title, low, high)| Axis::between(title, low, high)),
        (any_text(), prop::collection::vec(any_text(), 0..8))
            .prop_map(|(title, names)| Axis::names(title, names)),
    ]
}

fn any_marks() -> impl Strategy<Value = Marks> {
    let which = prop_oneof![Just(Which::X), Just(Which::Y)];
    let point = (any_number(), any_number(), any_text(), any_link())
        .prop_map(|(x, y, label, link)| Point { x, y, label, link });
    let interval = (
        any_number(),
        prop::option::of(any_number()),
        any_number(),
        any_tone(),
        any_text(),
        any_link(),
    )
        .prop_map(|(y, end, middle, tone, label, link)| Interval {
            y,
            low: end,
            middle,
            high: end.map(|end| end + 1.0),
            tone,
            label,
            link,
        });
    let summary =
        (any_number(), any_number(), any_number(), any_text()).prop_map(|(y, mean, sd, label)| {
            Summary {
                y,
                low: mean - sd,
                median: mean,
                mean,
                high: mean + sd,
                label,
            }
        });
    let place = (0usize..9, 0usize..9);
    let cell = (place, any_number(), any_tone(), any_text(), any_link()).prop_map(
        |((x, y), strength, tone, value, link)| Cell {
            x,
            y,
            strength,
            tone,
            label: value.clone(),
            value,
            link,
        },
    );
    let area =
        (any_number(), any_number(), any_number()).prop_map(|(x, low, high)| Area { x, low, high });
    let pair = (any_number(), any_number()).prop_map(|(x, y)| [x, y]);
    prop_oneof![
        prop::collection::vec(point, 0..40).prop_map(|at| Marks::Points {
            marker: Marker::of_series(at.len()),
            at
        }),
        prop::collection::vec(pair, 0..20).prop_map(Marks::Line),
        prop::collection::vec(area, 0..20).prop_map(Marks::Areas),
        prop::collection::vec(interval, 0..8).prop_map(Marks::Intervals),
        prop::collection::vec(summary, 0..8).prop_map(Marks::Summaries),
        prop::collection::vec(cell, 0..12).prop_map(Marks::Cells),
        (which.clone(), any_number()).prop_map(|(axis, at)| Marks::Rule { axis, at }),
        (which, any_number(), any_number()).prop_map(|(axis, low, high)| Marks::Stripe {
            axis,
            low,
            high
        }),
    ]
}

fn any_plot() -> impl Strategy<Value = Plot> {
    let layer = (any_text(), any_tone(), any_marks()).prop_map(|(name, tone, marks)| Layer {
        name,
        tone,
        marks,
    });
    (
        any_text(),
        any_text(),
        any_axis(),
        any_axis(),
        prop::collection::vec(layer, 0..6),
    )
        .prop_map(|(title, description, x, y, layers)| Plot {
            title,
            description,
            x,
            y,
            layers,
        })
}

/// Every address in a drawing. Points that share a path have theirs beside each other, and those that share an address
/// are in one group.
fn links_of(drawing: &Document<'_>) -> Vec<String> {
    let mut links: Vec<String> = drawing
        .descendants()
        .flat_map(|node| {
            let many = node.attribute("data-links").unwrap_or_default().split(' ');
            let points = |node: &Node<'_, '_>| {
                node.children()
                    .all(|child| child.has_tag_name("path") && child.attribute("class").is_none())
            };
            let times = if node.has_tag_name("g") && points(&node) {
                node.children().count()
            } else {
                1
            };
            std::iter::repeat_n(node.attribute("data-link"), times)
                .flatten()
                .chain(many)
        })
        .filter(|link| !link.is_empty())
        .map(str::to_owned)
        .collect();
    links.sort();
    links
}

/// Every address in a plot, of marks that have a place.
fn links_in(plot: &Plot) -> Vec<String> {
    let has_place = |scale: &Scale, value: f64| match scale {
        Scale::Numbers { low, high } => ((value - low) / (high - low)).is_finite(),
        Scale::Names(_) => value.is_finite(),
    };
    let is_drawn = |x: f64, y: f64| has_place(&plot.x.scale, x) && has_place(&plot.y.scale, y);
    let mut links = Vec::new();
    for layer in &plot.layers {
        match &layer.marks {
            Marks::Points { at, .. } => {
                let drawn = at.iter().filter(|at| is_drawn(at.x, at.y));
                links.extend(drawn.filter_map(|at| at.link.clone()));
            }
            Marks::Cells(at) => {
                let drawn = at.iter().filter(|at| is_drawn(at.x as f64, at.y as f64));
                links.extend(drawn.filter_map(|at| at.link.clone()));
            }
            Marks::Intervals(at) => {
                let drawn = at.iter().filter(|at| is_drawn(at.middle, at.y));
                links.extend(drawn.filter_map(|at| at.link.clone()));
            }
            _ => {}
        }
    }
    links.sort();
    links
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_plot_is_drawn(plot in any_plot(), width in 0usize..300, colour: bool, ascii: bool) {
        let drawing = svg(&plot, "p");
        let parsed = Document::parse(&drawing);
        let elements = parsed.map_err(|error| TestCaseError::fail(format!("{error}: {drawing}")))?;
        prop_assert!(elements.descendants().all(|node| !node.has_tag_name("script")));
        prop_assert!(!drawing.contains("NaN"), "{drawing}");
        let steers = ['\u{202e}', '\u{1b}'];
        prop_assert!(!drawing.contains(steers));
        let written = text(&plot, &TextOptions { width, colour, ascii });
        prop_assert!(written.ends_with('\n'));
        prop_assert!(!written.contains(steers[0]));
        prop_assert!(!ascii || written.is_ascii(), "{written}");
        prop_assert!(colour || !written.contains(steers[1]));
        prop_assert_eq!(links_of(&elements), links_in(&plot));
    }
}

fn runs() -> Plot {
    let points = |series: usize| Layer {
        name: ["redis", "redis-aof"][series].to_owned(),
        tone: Tone::Series(series as u8),
        marks: Marks::Points {
            marker: Marker::of_series(series),
            at: (0..20)
                .map(|run| Point {
                    x: f64::from(run * 2) + series as f64,
                    y: 60.0 - 3.0 * series as f64 + f64::from(run % 5),
                    label: String::new(),
                    link: None,
                })
                .collect(),
        },
    };
    let layers = vec![points(0), points(1)];
    Plot {
        title: "rps: every run in order".to_owned(),
        description: String::new(),
        x: Axis::around("run", [0.0, 40.0]),
        y: Axis::around("rps (1/s)", [57.0, 64.0]),
        layers,
    }
}

#[test]
fn runs_in_a_terminal() {
    let style = TextOptions {
        width: 60,
        colour: false,
        ascii: true,
    };
    let drawn = text(&runs(), &style);
    println!("{drawn}");
    assert_eq!(
        drawn.matches('x').count() + drawn.matches('o').count() + drawn.matches('*').count(),
        40 + 2 + 2
    );
    assert!(drawn.lines().all(|line| line.len() <= 60), "{drawn}");
}

#[test]
fn differences_in_a_terminal() {
    let interval = |y: f64, middle: f64, tone: Tone| Interval {
        y,
        low: Some(middle - 1.0),
        middle,
        high: Some(middle + 1.0),
        tone,
        label: String::new(),
        link: None,
    };
    let plot = Plot {
        title: "rps: redis-aof against redis".to_owned(),
        description: String::new(),
        x: Axis::between("difference (%)", -6.0, 2.0),
        y: Axis::names("", ["SET", "GET"].map(str::to_owned)),
        layers: vec![
            Layer {
                name: String::new(),
                tone: Tone::Quiet,
                marks: Marks::Rule {
                    axis: Which::X,
                    at: 0.0,
                },
            },
            Layer {
                name: String::new(),
                tone: Tone::Open,
                marks: Marks::Intervals(vec![
                    interval(0.0, -4.0, Tone::Worse),
                    interval(1.0, 0.0, Tone::Open),
                ]),
            },
        ],
    };
    let style = TextOptions {
        width: 45,
        colour: false,
        ascii: true,
    };
    let expected = "\
rps: redis-aof against redis
SET |     |----o----|              |
GET |                         |----o----|
     -----+------------------------+---------
";
    let drawn = text(&plot, &style);
    println!("{drawn}");
    assert!(drawn.starts_with(expected), "{drawn}");
}

fn dots(name: &str, tone: Tone, count: usize) -> Layer {
    let dot = Point {
        x: 1.0,
        y: 0.0,
        label: String::new(),
        link: None,
    };
    Layer {
        name: name.to_owned(),
        tone,
        marks: Marks::Points {
            marker: Marker::Disc,
            at: vec![dot; count],
        },
    }
}

/// However many runs are in one place, the slow ones among them are seen.
#[test]
fn no_tone_of_a_stack_vanishes() {
    let style = TextOptions {
        width: 60,
        colour: true,
        ascii: true,
    };
    for (usual, other, slow) in [(9, 0, 1), (5, 0, 1), (1, 99, 1), (9, 9, 9), (6, 6, 1)] {
        let series = [Tone::Series(0), Tone::Series(1), Tone::Worse];
        let layers = series.iter().zip([usual, other, slow]);
        let plot = Plot {
            title: "rps".to_owned(),
            description: String::new(),
            x: Axis::between("", 0.0, 2.0),
            y: Axis::names("", ["redis".to_owned()]),
            layers: layers.map(|(tone, count)| dots("", *tone, count)).collect(),
        };
        let drawn = text(&plot, &style);
        for (colour, count) in ["36", "35", "31"].into_iter().zip([usual, other, slow]) {
            let is_seen = drawn.contains(&format!("\u{1b}[{colour}mo"));
            assert_eq!(is_seen, count > 0, "{usual} {other} {slow}:\n{drawn}");
        }
        assert!(drawn.contains("a mark stands for up to"), "{drawn}");
    }
}

/// Two variants with long names and slow runs fill more than a line.
#[test]
fn a_long_legend_is_within_the_drawing() {
    let names = ["a", "b"].map(|letter| letter.repeat(20));
    let mut plot = runs();
    plot.layers.clear();
    for (series, name) in (0..).zip(&names) {
        plot.layers.push(dots(name, Tone::Series(series), 3));
        let slow = format!("{name}, slow runs");
        plot.layers.push(dots(&slow, Tone::Worse, 1));
    }
    let drawing = svg(&plot, "p");
    let elements = Document::parse(&drawing).unwrap();
    let number =
        |node: Node<'_, '_>, name: &str| -> f64 { node.attribute(name).unwrap().parse().unwrap() };
    let class = |node: &Node<'_, '_>| node.attribute("class").unwrap_or("").to_owned();
    let title = elements
        .descendants()
        .find(|node| class(node) == "axis" && node.text() == Some("rps (1/s)"))
        .unwrap();
    let mut places = Vec::new();
    let in_legend = |node: &Node<'_, '_>| class(node).starts_with("legend");
    for entry in elements.descendants().filter(in_legend) {
        let name = entry.descendants().find(|node| node.has_tag_name("text"));
        let name = name.unwrap();
        let (x, y) = (number(name, "x"), number(name, "y"));
        let width = 6.6 * name.text().unwrap().len() as f64;
        assert!(x + width <= 720.0, "{drawing}");
        assert!(y < number(title, "y") - 10.0, "{drawing}");
        places.push((x, y));
    }
    assert_eq!(places.len(), 4);
    assert!(places.is_sorted_by(|a, b| a.1 < b.1 || (a.1 == b.1 && a.0 < b.0)));
}

/// Labels on the left end before the axis and begin within the drawing, as wide as DejaVu Sans draws them at 12 px; and
/// so does half of a long number at the right end of the axis below.
#[test]
fn no_label_is_cropped() {
    let mut plot = runs();
    plot.y = Axis::names("", ["command", "mmmmmm", "WWWW"].map(str::to_owned));
    plot.x = Axis::between("rps", 0.0, 1_000_000.0);
    let drawing = svg(&plot, "p");
    let elements = Document::parse(&drawing).unwrap();
    for (text, drawn, anchor) in [
        ("command", 59.9, "end"),
        ("mmmmmm", 70.1, "end"),
        ("WWWW", 47.5, "end"),
        ("1000000", 53.4, "middle"),
    ] {
        let mut all = elements.descendants();
        let label = all.find(|node| node.has_tag_name("text") && node.text() == Some(text));
        let label = label.unwrap_or_else(|| panic!("{text} is not in {drawing}"));
        assert_eq!(label.attribute("text-anchor"), Some(anchor));
        let x: f64 = label.attribute("x").unwrap().parse().unwrap();
        let (low, high) = match anchor {
            "end" => (x - drawn, x),
            _ => (x - drawn / 2.0, x + drawn / 2.0),
        };
        assert!(low >= 0.0 && high <= 720.0, "{text}: {low} to {high}");
    }
}
