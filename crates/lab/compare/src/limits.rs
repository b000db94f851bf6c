//! How small a difference runs in slices can show is limited by what varies within a run, and by what a whole run has
//! of its own, as its layout. This module tells how much of the variance is of the first kind.
//!
//! 1. In each round the runs of a block have one slice each, soon after each other. To first order, a slice adds to the
//!    logarithm of its run's value its relative distance from that value (delta method). So each round has a difference
//!    of the candidate to the baseline, and the mean of these is the difference of the two runs. A pooled row has the
//!    mean over its rows.
//! 2. A disturbance may slow several rounds in a row. So neighbouring rounds are averaged, in about as many batches as
//!    the square root of their number (batch means).
//! 3. Blocks of such means are two levels of repetition, see [`perflab_stats::nested`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

use perflab_experiment::Experiment;
use perflab_stats::nested::nested;
use perflab_store::{RunRecord, SliceRecord};

use crate::comparison::Comparison;
use crate::levels::unit_name;
use crate::row::{Limits, Row};
use crate::sample_index::SampleIndex;

/// Values that differ by no more than this, relatively, differ by a rounding.
const ROUNDING: f64 = 1e-9;

/// One run in so many may have slices that do not come to its value, or one in all: if more do not, the value is another
/// figure of the slices.
const MOST_UNLIKE: usize = 10;

/// A number for each batch of rounds.
type Batches = Vec<f64>;

/// The values of each slice, by benchmark and metric.
type Slices = HashMap<(Option<String>, String), BTreeMap<u32, Vec<f64>>>;

/// Adds its limits to each row, where runs took turns in slices; `slices` reads those of a run. Returns the runs whose
/// slices cannot be read, are not there while those of others are, or do not come to the run's value while those of
/// others do: they are left out.
pub fn add_limits(
    report: &mut Comparison,
    experiment: &Experiment,
    records: &[RunRecord],
    mut slices: impl FnMut(u32) -> io::Result<Vec<SliceRecord>>,
) -> Vec<(u32, io::Error)> {
    let mut unread = Vec::new();
    let took_turns = report.design.slices.is_some_and(|slices| !slices.together);
    if !took_turns {
        return unread;
    }
    let finished = report.design.until_decided.map(|until| until.blocks);
    let counts = |run: &&RunRecord| {
        run.status.passed() && finished.is_none_or(|finished| run.block <= finished)
    };
    let mut measured: HashMap<u32, Slices> = HashMap::new();
    let mut absent = Vec::new();
    for record in records.iter().filter(counts) {
        match slices(record.run) {
            Ok(own) if own.is_empty() => absent.push(record.run),
            Ok(own) => {
                measured.insert(record.run, by_metric(own, &report.rows));
            }
            Err(error) => unread.push((record.run, error)),
        }
    }
    if !measured.is_empty() {
        let not_found = |run| {
            (
                run,
                io::Error::new(io::ErrorKind::NotFound, "no slices are there"),
            )
        };
        unread.extend(absent.into_iter().map(not_found));
    }
    let index = SampleIndex::of(records);
    let mut unlike = BTreeSet::new();
    let of_rows: Vec<_> = report
        .rows
        .iter()
        .map(|row| {
            let [base, candidate] = [&report.baseline, &row.variant]
                .map(|variant| side(row, variant, records, &index, &measured, &mut unlike));
            Some(difference(&base?, &candidate?))
        })
        .collect();
    let of_pooled: Vec<_> = report
        .pooled
        .iter()
        .map(|pooled| {
            let all = report.rows.iter().zip(&of_rows);
            let own = all.filter(|(row, _)| {
                row.key.metric == pooled.key.metric && row.variant == pooled.variant
            });
            let own: Option<Vec<_>> = own.map(|(_, own)| own.as_ref()).collect();
            mean_of_rows(&own?)
        })
        .collect();
    let (unit, confidence) = (unit_name(experiment.design.refresh), report.confidence);
    let of_all = of_rows.into_iter().chain(of_pooled);
    for (row, blocks) in report.all_rows_mut().zip(of_all) {
        row.limits = blocks.and_then(|blocks| limits(&blocks, unit, confidence));
    }
    let wrong = |run| {
        let why = "its slices do not come to its value";
        (run, io::Error::new(io::ErrorKind::InvalidData, why))
    };
    unread.extend(unlike.into_iter().map(wrong));
    unread.sort_by_key(|(run, _)| *run);
    unread
}

/// The values of slices in the metrics that the rows compare.
fn by_metric(slices: Vec<SliceRecord>, rows: &[Row]) -> Slices {
    let mut found = Slices::new();
    for slice in slices {
        for sample in slice.samples {
            if rows.iter().any(|row| row.key.metric == *sample.metric) {
                let key = (sample.benchmark, sample.metric.name.clone());
                let own = found.entry(key).or_default();
                own.entry(slice.slice).or_default().push(sample.value);
            }
        }
    }
    found
}

/// The logarithms of a variant's values, batch by batch, by block; nothing where the value of a run is neither a mean nor
/// a sum of its slices, or where a slice has no logarithm. Adds the few runs whose value alone is none to `unlike`.
fn side(
    row: &Row,
    variant: &str,
    records: &[RunRecord],
    index: &SampleIndex,
    measured: &HashMap<u32, Slices>,
    unlike: &mut BTreeSet<u32>,
) -> Option<BTreeMap<u32, Batches>> {
    let key = (row.key.benchmark.clone(), row.key.metric.name.clone());
    let mut blocks: BTreeMap<u32, Vec<Batches>> = BTreeMap::new();
    let (mut like, mut others) = (0, Vec::new());
    for (_, record, sample) in index.of_row(row, variant, records) {
        let Some(slices) = measured.get(&record.run).and_then(|own| own.get(&key)) else {
            continue;
        };
        let is_positive = |value: &f64| *value > 0.0 && value.is_finite();
        if !slices.values().flatten().all(is_positive) {
            return None;
        }
        match logarithms(sample.value, slices) {
            Some(rounds) => {
                like += 1;
                blocks
                    .entry(record.block)
                    .or_default()
                    .push(batches(&rounds));
            }
            None => others.push(record.run),
        }
    }
    // A median of slices is their mean by chance.
    if like == 0 || others.len() > (like / MOST_UNLIKE).max(1) {
        return None;
    }
    unlike.extend(others);
    let mean = |(block, runs): (u32, Vec<Batches>)| {
        let runs: Vec<&Batches> = runs.iter().collect();
        Some((block, mean_of(&runs)?))
    };
    blocks.into_iter().map(mean).collect()
}

/// The logarithm of the run's value from each slice, all above 0, whose mean is that of the run; nothing where the value
/// is no harmonic or arithmetic mean of the slices, and no sum.
fn logarithms(run: f64, slices: &BTreeMap<u32, Vec<f64>>) -> Option<Vec<f64>> {
    let values: Vec<f64> = slices.values().flatten().copied().collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let harmonic = count / values.iter().map(|value| value.recip()).sum::<f64>();
    let is_run = |value: f64| (run / value - 1.0).abs() <= ROUNDING;
    let is_rate = is_run(harmonic);
    if !is_rate && !is_run(mean) && !is_run(mean * count) {
        return None;
    }
    let part = |value: &f64| match is_rate {
        true => 1.0 - harmonic / value,
        false => value / mean - 1.0,
    };
    let of_slice =
        |values: &Vec<f64>| run.ln() + values.iter().map(part).sum::<f64>() / values.len() as f64;
    Some(slices.values().map(of_slice).collect())
}

/// The means of neighbouring rounds, in as many batches as the root of the number of rounds, at least two. Batches
/// differ by one round at most.
fn batches(rounds: &[f64]) -> Batches {
    let count = rounds.len().isqrt().max(2);
    (0..count)
        .map(|batch| [batch, batch + 1].map(|end| end * rounds.len() / count))
        .filter_map(|[from, to]| rounds.get(from..to))
        .map(|own| own.iter().sum::<f64>() / own.len() as f64)
        .collect()
}

/// The difference of two sides, of the blocks that both have.
fn difference(
    base: &BTreeMap<u32, Batches>,
    candidate: &BTreeMap<u32, Batches>,
) -> BTreeMap<u32, Batches> {
    let of_block = |(block, candidate): (&u32, &Batches)| {
        let base = base.get(block)?;
        let differences = candidate.iter().zip(base).map(|(own, base)| own - base);
        (base.len() == candidate.len()).then(|| (*block, differences.collect()))
    };
    candidate.iter().filter_map(of_block).collect()
}

/// The mean of several rows, of the blocks that all have.
fn mean_of_rows(rows: &[&BTreeMap<u32, Batches>]) -> Option<BTreeMap<u32, Batches>> {
    let first = rows.first()?;
    let of_block = |block: &u32| {
        let own: Option<Vec<&Batches>> = rows.iter().map(|row| row.get(block)).collect();
        Some((*block, mean_of(&own?)?))
    };
    Some(first.keys().filter_map(of_block).collect())
}

/// The mean of each batch over several; nothing where these have different numbers of batches.
fn mean_of(all: &[&Batches]) -> Option<Batches> {
    let count = all.first()?.len();
    let is_even = all.iter().all(|own| own.len() == count);
    let mean = |batch: usize| {
        let own = all.iter().filter_map(|own| own.get(batch));
        own.sum::<f64>() / all.len() as f64
    };
    is_even.then(|| (0..count).map(mean).collect())
}

/// The limits from the differences of blocks; nothing where fewer than two blocks have as many batches as the first, or
/// where the blocks differ by roundings only.
fn limits(blocks: &BTreeMap<u32, Batches>, unit: &str, confidence: f64) -> Option<Limits> {
    let batches = blocks.values().next()?.len();
    let own = blocks.values().filter(|own| own.len() == batches);
    let values: Vec<f64> = own.flatten().copied().collect();
    let blocks = values.len() / batches.max(1);
    let found = nested(&values, &[blocks, batches]).ok()?;
    // Slices may vary though runs do not, as shares of a total that is always the same.
    if found.levels.first()?.variance.sqrt() <= ROUNDING {
        return None;
    }
    let within = found.share_from_below(confidence).ok()?;
    Some(Limits {
        blocks,
        within: within.share,
        low: within.low,
        high: within.high,
        unit: unit.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(values: &[f64]) -> BTreeMap<u32, Vec<f64>> {
        (1..).zip(values.iter().map(|value| vec![*value])).collect()
    }

    #[test]
    fn what_slices_say_comes_to_the_value_of_the_run() {
        let values = [90.0, 100.0, 115.0, 96.0];
        let harmonic = 4.0 / values.iter().map(|value| 1.0 / value).sum::<f64>();
        let mean = values.iter().sum::<f64>() / 4.0;
        for run in [harmonic, mean, 4.0 * mean] {
            let own = logarithms(run, &slices(&values)).unwrap();
            assert!((own.iter().sum::<f64>() / 4.0 - run.ln()).abs() < 1e-12);
            // A slice that was faster says so.
            assert!(own[2] > own[1] && own[1] > own[0]);
        }
        // The middle one and the largest are no means.
        for run in [98.0, 115.0] {
            assert_eq!(logarithms(run, &slices(&values)), None);
        }
        assert_eq!(logarithms(1.0, &BTreeMap::new()), None);
    }

    #[test]
    fn rounds_are_divided_among_batches() {
        let rounds: Vec<f64> = (0..25).map(f64::from).collect();
        assert_eq!(batches(&rounds), [2.0, 7.0, 12.0, 17.0, 22.0]);
        assert_eq!(batches(&rounds[..2]), [0.0, 1.0]);
        assert_eq!(batches(&rounds[..11]), [1.0, 4.5, 8.5]);
    }
}
