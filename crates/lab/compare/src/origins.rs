//! Where the values of a report are from: the run behind each.

use std::borrow::Cow;
use std::collections::HashMap;

use perflab_store::RunRecord;

use crate::comparison::Comparison;
use crate::row::Row;
use crate::sample_index::SampleIndex;

/// A value and the run that it was measured in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The value, in the metric's unit.
    pub value: f64,
    /// The run's number in the plan, from 1.
    pub run: u32,
    /// Its block, from 1.
    pub block: u32,
    /// The first and the last run of that block, whatever they measured.
    pub block_runs: (u32, u32),
}

/// All values of runs that passed, with their runs.
#[derive(Debug)]
pub struct Origins<'r> {
    records: &'r [RunRecord],
    index: Cow<'r, SampleIndex>,
    /// The last block that counts.
    until: u32,
    /// The first and the last run of each block.
    blocks: HashMap<u32, (u32, u32)>,
}

impl<'r> Origins<'r> {
    /// Of the records that a report was made from.
    pub fn new(records: &'r [RunRecord], report: &Comparison) -> Self {
        Self::at(records, Cow::Owned(SampleIndex::of(records)), report)
    }

    /// The same, where it is known where their samples are.
    pub fn with_index(
        records: &'r [RunRecord],
        index: &'r SampleIndex,
        report: &Comparison,
    ) -> Self {
        Self::at(records, Cow::Borrowed(index), report)
    }

    fn at(records: &'r [RunRecord], index: Cow<'r, SampleIndex>, report: &Comparison) -> Self {
        let until = report.design.until_decided;
        let mut blocks: HashMap<u32, (u32, u32)> = HashMap::new();
        for record in records {
            let (first, last) = blocks
                .entry(record.block)
                .or_insert((record.run, record.run));
            *first = record.run.min(*first);
            *last = record.run.max(*last);
        }
        Self {
            records,
            index,
            blocks,
            until: until.map_or(u32::MAX, |until| until.blocks),
        }
    }

    /// The values of a row's variant, in order of execution: those of [`Row::candidate`], or with the baseline's
    /// name those of [`Row::base`]. None for a pooled row or a quantile, whose values are of no single run.
    pub fn of(&self, row: &Row, variant: &str) -> Option<Vec<Measured>> {
        let own = self.index.of_row(row, variant, self.records);
        let own = own.filter(|(_, record, _)| record.block <= self.until);
        let own = own.map(|(_, record, sample)| Measured {
            value: sample.value,
            run: record.run,
            block: record.block,
            block_runs: self
                .blocks
                .get(&record.block)
                .copied()
                .unwrap_or((record.run, record.run)),
        });
        Some(own.collect()).filter(|own: &Vec<Measured>| !own.is_empty())
    }
}
