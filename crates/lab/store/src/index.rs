//! The index: a summary of many results directories in SQLite.
//!
//! It holds nothing that is not in the directories, and a damaged one is rebuilt without a word. Where it cannot be
//! kept, as in directories of others, it is made in memory each time.

mod database;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use indexmap::{IndexMap, IndexSet};
use perflab_experiment::Metric;
use rusqlite::{Connection, params};

use crate::directories::find;
use crate::error::StoreError;
use crate::opened_result::OpenedResult;
use crate::record::RunRecord;
use crate::stamp::Stamp;
use crate::summary::ResultSummary;
use database::{FILE, Failure};

/// The index of the results directories one or two levels below a root, in `ROOT/index.sqlite`.
///
/// Its tables can be read with any SQLite:
/// - `results`: path below the root, name, creation time, runs planned, variants (JSON), and the
///   reason if the directory cannot be read;
/// - `runs`: one row for each run that ended;
/// - `samples`: one row for each metric and benchmark of a run, with the median of its samples. Good for
///   looking around; verdicts are computed from the directories.
#[derive(Debug)]
pub struct Index {
    root: PathBuf,
    connection: Connection,
    /// Why it is in memory alone.
    not_kept: Option<String>,
}

impl Index {
    /// Reads all results directories below a root into a new index.
    ///
    /// One that cannot be written is made in memory, see [`Self::not_kept`].
    ///
    /// # Errors
    /// If the root cannot be read, or if another program's database is in the index's place. Directories that
    /// cannot be read are listed with their error instead.
    pub fn rebuild(root: &Path) -> Result<Self, StoreError> {
        if let Err(Failure::Store(error @ StoreError::ForeignIndex(_))) =
            database::open(&root.join(FILE))
        {
            return Err(error);
        }
        match database::remove(root) {
            Ok(()) => Self::update_or_in_memory(root),
            Err(error) => Self::in_memory(root, &error.to_string()),
        }
    }

    /// Reads the results directories that are new or have changed since the index was last used, and
    /// forgets those that are gone. An index that is missing, damaged or of another version is rebuilt.
    ///
    /// # Errors
    /// As [`Self::rebuild`].
    pub fn refresh(root: &Path) -> Result<Self, StoreError> {
        match Self::update(root) {
            Err(Failure::Sqlite(error)) if database::calls_for_new(&error) => Self::rebuild(root),
            Err(Failure::Sqlite(error)) => {
                Self::in_memory(root, &unusable(root, error).to_string())
            }
            result => result.map_err(|error| failed(root, error)),
        }
    }

    /// Why the index is not kept in a file, so that all results are read again next time.
    pub fn not_kept(&self) -> Option<&str> {
        self.not_kept.as_deref()
    }

    /// All results, newest first, those that cannot be read last.
    ///
    /// # Errors
    /// If the index was damaged since it was opened.
    pub fn list(&self) -> Result<Vec<ResultSummary>, StoreError> {
        self.select()
            .map_err(|error| failed(&self.root, error.into()))
    }

    fn update(root: &Path) -> Result<Self, Failure> {
        let mut index = Self {
            root: root.to_owned(),
            connection: database::open(&root.join(FILE))?,
            not_kept: None,
        };
        index.update_all()?;
        Ok(index)
    }

    fn update_or_in_memory(root: &Path) -> Result<Self, StoreError> {
        match Self::update(root) {
            Err(Failure::Sqlite(error)) => {
                Self::in_memory(root, &unusable(root, error).to_string())
            }
            result => result.map_err(|error| failed(root, error)),
        }
    }

    fn in_memory(root: &Path, why: &str) -> Result<Self, StoreError> {
        let made = || {
            let mut index = Self {
                root: root.to_owned(),
                connection: database::in_memory()?,
                not_kept: Some(why.to_owned()),
            };
            index.update_all()?;
            Ok(index)
        };
        made().map_err(|error| failed(root, error))
    }

    fn update_all(&mut self) -> Result<(), Failure> {
        let found = find(&self.root)?;
        let transaction = self
            .connection
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let mut known = stamps(&transaction)?;
        for path in found {
            let directory = self.root.join(&path);
            let name = path.to_string_lossy();
            // Taken before the records are read: a run that is added meanwhile is seen next time.
            let stamp = Stamp::of(&directory);
            if known
                .remove(name.as_ref())
                .is_some_and(|known| known.is_some() && known == stamp)
            {
                continue;
            }
            transaction.execute("DELETE FROM results WHERE path = ?1", [&name])?;
            match OpenedResult::open(&directory) {
                Ok(result) => insert(&transaction, &name, stamp, &result)?,
                Err(error) => insert_error(&transaction, &name, &error)?,
            }
        }
        for gone in known.keys() {
            transaction.execute("DELETE FROM results WHERE path = ?1", [gone])?;
        }
        transaction.commit()?;
        Ok(())
    }

    fn select(&self) -> rusqlite::Result<Vec<ResultSummary>> {
        let mut query = self.connection.prepare(
            "SELECT path, name, created, runs_planned, count(run),
                    count(run) FILTER (WHERE status <> 'PASS'), variants, error
             FROM results LEFT JOIN runs ON result = id
             GROUP BY id ORDER BY error IS NOT NULL, created DESC, path",
        )?;
        let rows = query.query_map([], |row| {
            let path: String = row.get(0)?;
            let variants: String = row.get(6)?;
            Ok(ResultSummary {
                path: self.root.join(path),
                name: row.get(1)?,
                created: row.get(2)?,
                runs_planned: row.get(3)?,
                runs_done: row.get(4)?,
                runs_failed: row.get(5)?,
                variants: serde_json::from_str(&variants).unwrap_or_default(),
                error: row.get(7)?,
            })
        })?;
        rows.collect()
    }
}

fn failed(root: &Path, failure: Failure) -> StoreError {
    match failure {
        Failure::Store(error) => error,
        Failure::Sqlite(source) => unusable(root, source),
    }
}

fn unusable(root: &Path, source: rusqlite::Error) -> StoreError {
    StoreError::Index {
        path: root.join(FILE),
        source: Box::new(source),
    }
}

/// The stamps of all results in the index; `None` for those that could not be read and are tried
/// again every time.
fn stamps(connection: &Connection) -> rusqlite::Result<HashMap<String, Option<Stamp>>> {
    let mut query = connection.prepare("SELECT path, runs_bytes, runs_modified_ns FROM results")?;
    let rows = query.query_map([], |row| {
        let stamp = match (row.get(1)?, row.get(2)?) {
            (Some(bytes), Some(modified_ns)) => Some(Stamp { bytes, modified_ns }),
            _ => None,
        };
        Ok((row.get(0)?, stamp))
    })?;
    rows.collect()
}

fn insert(
    connection: &Connection,
    path: &str,
    stamp: Option<Stamp>,
    result: &OpenedResult,
) -> rusqlite::Result<()> {
    let (origin, plan) = (&result.meta.origin, &result.plan);
    let variants: IndexSet<&str> = plan
        .cells
        .iter()
        .map(|cell| cell.variant.as_str())
        .collect();
    let variants = serde_json::json!(variants).to_string();
    connection.execute(
        "INSERT INTO results (path, name, created, runs_planned, variants, runs_bytes, runs_modified_ns)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            path,
            origin.name,
            origin.created,
            plan.runs.len() as u32,
            variants,
            stamp.map(|stamp| stamp.bytes),
            stamp.map(|stamp| stamp.modified_ns)
        ],
    )?;
    let id = connection.last_insert_rowid();
    let mut run = connection.prepare_cached(
        "INSERT INTO runs (result, run, block, unit, cell, variant, workload, started, status, wall_s)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    let mut sample = connection.prepare_cached(
        "INSERT INTO samples (result, run, metric, unit, benchmark, samples, value) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for record in &result.records {
        run.execute(params![
            id,
            record.run,
            record.block,
            record.unit,
            record.cell,
            record.variant,
            record.workload,
            record.started,
            record.status.name(),
            record.usage.map(|usage| usage.wall_s)
        ])?;
        for (metric, benchmark, mut values) in by_metric(record) {
            let (count, median) = (values.len() as i64, median(&mut values));
            sample.execute(params![
                id,
                record.run,
                metric.name,
                metric.unit,
                benchmark,
                count,
                median
            ])?;
        }
    }
    Ok(())
}

fn insert_error(connection: &Connection, path: &str, error: &StoreError) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO results (path, error) VALUES (?1, ?2)",
        params![path, error.to_string()],
    )?;
    Ok(())
}

/// The values of a run by metric and benchmark, in the order of their first samples.
fn by_metric(record: &RunRecord) -> Vec<(&Metric, Option<&str>, Vec<f64>)> {
    let mut groups: IndexMap<(&Metric, Option<&str>), Vec<f64>> = IndexMap::new();
    for sample in &record.samples {
        groups
            .entry((&sample.metric, sample.benchmark.as_deref()))
            .or_default()
            .push(sample.value);
    }
    groups
        .into_iter()
        .map(|((metric, benchmark), values)| (metric, benchmark, values))
        .collect()
}

/// The median of at least one value.
fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    let high = *values.get(middle)?;
    if values.len() % 2 == 1 {
        return Some(high);
    }
    // Halved first, so that the sum of two huge values stays finite.
    Some(values.get(middle.checked_sub(1)?)? / 2.0 + high / 2.0)
}
