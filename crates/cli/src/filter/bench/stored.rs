//! Charts of a result as tables and drawings, and what they say of filters.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use perflab_compare::{SampleSelection, Selection, compare_result};
use perflab_pages::{Content, asset};
use perflab_plot::svg;
use perflab_report::plots::draw_chart;
use perflab_report::{Chart, Charts, chart_tables, find_charts};
use perflab_store::is_result;

use crate::drawn::too_large;
use crate::failure::{Code, Failure};
use crate::output;
use crate::selection::{input, open};
use crate::terminal;

/// Bytes of a drawing's name. File systems take at least 143.
const LONGEST_FILE_NAME: usize = 100;

/// The benchmarks of experiments/filters.toml of which the whole time of an event is made: `T = tK + te + tt`.
const PARTS: [(&str, &str, &str); 3] = [
    ("ready", "ready", "9"),
    ("evaluation", "text-and", "9"),
    ("event", "recorded", "0"),
];

/// Shows the charts of a result.
pub fn stored(path: &Path, plots: Option<&Path>) -> Result<Option<Code>, Failure> {
    if !is_result(path) {
        return Err(Failure::usage(format!(
            "expected a results directory, found none at {}",
            path.display()
        )));
    }
    let opened = open(path)?;
    let result = input(&opened)?;
    let selection = Selection::of(result.experiment, result.origin);
    let report = compare_result(&result, &SampleSelection::default(), &selection)?;
    let Charts {
        readable: charts,
        too_large: others,
    } = find_charts(&report);
    for sentence in &others {
        terminal::say(&too_large(sentence));
    }
    if charts.is_empty() {
        let reason = match others.is_empty() {
            true => {
                "none of its benchmarks are called alike but for a number behind a slash, as read/64 is"
            }
            false => "all are too large",
        };
        let path = path.display();
        return Err(Failure::no_data(format!(
            "{path} has no charts to show: {reason}"
        )));
    }
    let options = terminal::text_options(false);
    let tables = charts.iter().map(|chart| chart_tables(chart, &options));
    let texts: Vec<String> = tables.chain(whole(&charts)).collect();
    terminal::print(&texts.join("\n"))?;
    if let Some(directory) = plots {
        write_drawings(&charts, directory)?;
    }
    Ok(None)
}

/// `T = tK + te + tt` of each variant that has all three, or those that there are.
fn whole(charts: &[Chart<'_>]) -> Option<String> {
    let [ready, evaluation, event] = PARTS;
    let (_, chart, point) = evaluation;
    let known = charts.iter().find(|known| known.title == chart)?;
    let mut text = format!(
        "T = tK + te + tt, {point} texts, medians\n{:<24}{:>10}{:>10}{:>10}{:>22}\n",
        "", "tK (us)", "te (ns)", "tt (ns)", "a million events (ms)"
    );
    let mut is_empty = true;
    for line in &known.lines {
        let part = |(metric, chart, point)| median(charts, metric, chart, point, line.variant);
        let [ready, evaluation, event] = [ready, evaluation, event].map(part);
        if event.is_none() {
            continue;
        }
        is_empty = false;
        let all = ready.zip(evaluation).zip(event);
        // A million nanoseconds are a millisecond.
        let all = all.map(|((ready, evaluation), event)| ready / 1000.0 + evaluation + event);
        let cell = |value: Option<f64>, decimals: usize| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
        };
        text += &format!(
            "{:<24}{:>10}{:>10}{:>10}{:>22}\n",
            terminal::escape(line.variant),
            cell(ready, 0),
            cell(evaluation, 2),
            cell(event, 2),
            cell(all, 2)
        );
    }
    (!is_empty).then_some(text)
}

/// The median of a variant at a point, in the metric's unit.
fn median(
    charts: &[Chart<'_>],
    metric: &str,
    title: &str,
    point: &str,
    variant: &str,
) -> Option<f64> {
    let mut own = charts.iter();
    let chart = own.find(|chart| chart.metric.name == metric && chart.title == title)?;
    let place = chart.points.iter().position(|(_, text)| *text == point)?;
    let line = chart.lines.iter().find(|line| line.variant == variant)?;
    Some((*line.values.get(place)?)?.median)
}

/// Writes each chart as a file that needs no other.
fn write_drawings(charts: &[Chart<'_>], directory: &Path) -> Result<(), Failure> {
    fs::create_dir_all(directory)
        .map_err(|error| Failure::usage(format!("cannot make {}: {error}", directory.display())))?;
    let mut taken = HashSet::new();
    for chart in charts {
        let name = file_name(
            &format!("{} {}", chart.metric.name, chart.title),
            &mut taken,
        );
        let drawing = alone(&svg(&draw_chart(chart), "chart"));
        output::write(&directory.join(name), &drawing)?;
    }
    Ok(())
}

/// A name that no other drawing has, also where file systems do not tell upper from lower case.
fn file_name(chart: &str, taken: &mut HashSet<String>) -> String {
    let letters = chart.chars().map(|letter| match letter {
        letter if letter.is_alphanumeric() => letter,
        _ => '-',
    });
    let letters: String = letters.collect();
    let mut end = ".svg".to_owned();
    let mut number = 1;
    loop {
        let most = LONGEST_FILE_NAME.saturating_sub(end.len());
        let (start, _) = letters.split_at(letters.floor_char_boundary(most));
        let name = format!("{start}{end}");
        if taken.insert(name.to_lowercase()) {
            return name;
        }
        number += 1;
        end = format!("-{number}.svg");
    }
}

/// A drawing of a page with the looks that the page gives it.
fn alone(drawing: &str) -> String {
    let style = match asset("style.css") {
        Some(Content::Made { bytes, .. }) => String::from_utf8_lossy(&bytes).into_owned(),
        _ => String::new(),
    };
    let inside = drawing.strip_prefix("<svg").unwrap_or(drawing);
    let (attributes, content) = inside.split_once('>').unwrap_or(("", inside));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\"{attributes}><style><![CDATA[{style}]]></style>{content}\n"
    )
}
