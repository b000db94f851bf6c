//! How much the sides differ at each decile: among fast runs, typical runs and slow runs.

use perflab_compare::Row;
use perflab_plot::{Area, Axis, Layer, Marker, Marks, Plot, Point, Tone, Which};

use super::axis_unit::{differences_in_unit, titled};
use crate::difference::Estimate;
use crate::number;

/// The shift function of a row that has deciles; none for one that has not.
pub fn shift(row: &Row, baseline: &str) -> Option<Plot> {
    if row.deciles.is_empty() {
        return None;
    }
    let values = row
        .deciles
        .iter()
        .flat_map(|decile| [decile.low, decile.difference, decile.high]);
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.push(0.0);
    let (factor, unit) = differences_in_unit(row, &values);
    let points = row.deciles.iter().map(|decile| {
        let ends = [decile.low, decile.high].map(Some);
        let estimate = Estimate::new(decile.difference, ends[0], ends[1]);
        Point {
            x: decile.quantile * 100.0,
            y: decile.difference * factor,
            label: format!(
                "{} of the runs: {}, {} of 9",
                number::share(decile.quantile),
                estimate.text(row),
                number::probability(decile.p_adjusted)
            ),
            link: None,
        }
    });
    let areas = row.deciles.iter().map(|decile| Area {
        x: decile.quantile * 100.0,
        low: decile.low * factor,
        high: decile.high * factor,
    });
    let points: Vec<Point> = points.collect();
    let line = points.iter().map(|point| [point.x, point.y]).collect();
    Some(Plot {
        title: format!(
            "{}: difference at each decile, {} against {baseline}",
            row.key.metric.name, row.variant
        ),
        description: "The difference of the two sides at nine deciles, from the lowest values to the highest, \
                      with the interval of each."
            .to_owned(),
        x: Axis::between("decile of the values (%)", 5.0, 95.0),
        y: Axis::around(titled("difference", &unit), values.iter().map(|value| value * factor)),
        layers: vec![
            Layer::unnamed(Tone::Series(1), Marks::Areas(areas.collect())),
            Layer::unnamed(
                Tone::Quiet,
                Marks::Rule {
                    axis: Which::Y,
                    at: 0.0,
                },
            ),
            Layer::unnamed(Tone::Series(1), Marks::Line(line)),
            Layer::unnamed(
                Tone::Series(1),
                Marks::Points {
                    marker: Marker::Disc,
                    at: points,
                },
            ),
        ],
    })
}
