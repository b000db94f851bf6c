//! Metrics that samples share: a result has millions of samples, and few metrics.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use perflab_experiment::Metric;

use crate::record::RunRecord;

/// The metrics of the records that were read.
#[derive(Debug, Default)]
pub(crate) struct Metrics(Mutex<HashSet<Arc<Metric>>>);

impl Metrics {
    /// Lets the samples of a record share metrics with those of other records. `before` has those of the record
    /// before, as most runs tell the same metrics in the same order.
    pub(crate) fn share(&self, record: &mut RunRecord, before: &mut Vec<Arc<Metric>>) {
        for (index, sample) in record.samples.iter_mut().enumerate() {
            match before.get_mut(index) {
                Some(known) if *known == sample.metric => {}
                Some(known) => *known = self.shared(&sample.metric),
                None => before.push(self.shared(&sample.metric)),
            }
            if let Some(known) = before.get(index) {
                sample.metric = Arc::clone(known);
            }
        }
    }

    fn shared(&self, metric: &Arc<Metric>) -> Arc<Metric> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(metric) {
            return Arc::clone(known);
        }
        all.insert(Arc::clone(metric));
        Arc::clone(metric)
    }
}
