//! A report, whose rows are found by their metrics.

use std::collections::HashMap;
use std::ops::Deref;

use perflab_compare::{Comparison, Row, SampleIndex};

/// Values that get deciles, which are a bootstrap each.
pub(crate) const MOST_DECILED: usize = 50_000;

#[derive(Debug)]
pub(crate) struct IndexedComparison {
    report: Comparison,
    /// Of each metric the places of its rows, then of its pooled rows.
    of_metric: HashMap<usize, Vec<usize>>,
    /// Of each row, then of each pooled row, its metric and its place among those of the metric.
    addresses: Vec<Option<(usize, usize)>>,
    /// The first rows, as many as have few values together.
    deciled: usize,
}

impl Deref for IndexedComparison {
    type Target = Comparison;

    fn deref(&self) -> &Comparison {
        &self.report
    }
}

impl IndexedComparison {
    /// Metrics are numbered as samples are.
    pub(crate) fn new(report: Comparison, samples: &SampleIndex) -> Self {
        let mut of_metric: HashMap<usize, Vec<usize>> = HashMap::new();
        let all = report.all_rows().enumerate();
        let addresses = all
            .map(|(place, row)| {
                let metric = samples.number_of(&row.key.metric.name)?;
                let own = of_metric.entry(metric).or_default();
                own.push(place);
                Some((metric, own.len() - 1))
            })
            .collect();
        let sizes = report.rows.iter().scan(0, |sum, row| {
            *sum += row.base.values.len() + row.candidate.values.len();
            Some(*sum)
        });
        Self {
            deciled: sizes.take_while(|sum| *sum <= MOST_DECILED).count(),
            of_metric,
            addresses,
            report,
        }
    }

    /// Whether it compares a metric.
    pub(crate) fn has(&self, metric: usize) -> bool {
        self.of_metric.contains_key(&metric)
    }

    /// The rows of a metric, then its pooled rows.
    pub(crate) fn rows_of(&self, metric: usize) -> Vec<&Row> {
        let places = self.of_metric.get(&metric).into_iter().flatten();
        let (rows, pooled) = (&self.report.rows, &self.report.pooled);
        let row = |place: usize| match place.checked_sub(rows.len()) {
            None => rows.get(place),
            Some(place) => pooled.get(place),
        };
        places.filter_map(|place| row(*place)).collect()
    }

    /// Where a row of this report is: its metric, and its place among those of the metric.
    pub(crate) fn address_of(&self, row: &Row) -> Option<(usize, usize)> {
        let rows = place_in(&self.report.rows, row);
        let pooled = || Some(self.report.rows.len() + place_in(&self.report.pooled, row)?);
        *self.addresses.get(rows.or_else(pooled)?)?
    }

    /// Whether a row is among the first, which get deciles however many values there are.
    pub(crate) fn is_deciled(&self, row: &Row) -> bool {
        place_in(&self.report.rows, row).is_some_and(|place| place < self.deciled)
    }
}

/// Which of the rows it is, by where it lies.
fn place_in(rows: &[Row], row: &Row) -> Option<usize> {
    let from = rows.as_ptr().addr();
    let place = std::ptr::from_ref(row).addr().checked_sub(from)? / size_of::<Row>();
    rows.get(place)
        .filter(|own| std::ptr::eq(*own, row))
        .map(|_| place)
}
