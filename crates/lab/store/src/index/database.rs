//! The index's file and tables.

use std::ffi::c_int;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use rusqlite::ffi::{SQLITE_CANTOPEN, SQLITE_CORRUPT, SQLITE_SCHEMA};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::error::StoreError;

/// The file's name.
pub(super) const FILE: &str = "index.sqlite";

/// Says that a database is this index: "perf", in SQLite's application id.
const APPLICATION: i32 = 0x7065_7266;

/// Version of the tables, in SQLite's user version.
const VERSION: i32 = 2;

/// How long to wait for another process that brings the index up to date.
const PATIENCE: Duration = Duration::from_secs(30);

const TABLES: &str = "
CREATE TABLE results (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL DEFAULT '',
    created TEXT NOT NULL DEFAULT '',
    runs_planned INTEGER NOT NULL DEFAULT 0,
    variants TEXT NOT NULL DEFAULT '[]',
    error TEXT,
    runs_bytes INTEGER,
    runs_modified_ns INTEGER
);
CREATE TABLE runs (
    result INTEGER NOT NULL REFERENCES results (id) ON DELETE CASCADE,
    run INTEGER NOT NULL,
    block INTEGER NOT NULL,
    unit INTEGER NOT NULL,
    cell TEXT NOT NULL,
    variant TEXT NOT NULL,
    workload TEXT NOT NULL,
    started TEXT NOT NULL,
    status TEXT NOT NULL,
    wall_s REAL,
    PRIMARY KEY (result, run)
) WITHOUT ROWID;
CREATE TABLE samples (
    result INTEGER NOT NULL,
    run INTEGER NOT NULL,
    metric TEXT NOT NULL,
    unit TEXT NOT NULL,
    benchmark TEXT,
    samples INTEGER NOT NULL,
    value REAL NOT NULL,
    FOREIGN KEY (result, run) REFERENCES runs (result, run) ON DELETE CASCADE
);
CREATE INDEX samples_of_run ON samples (result, run);
";

/// Counts what is not in [`TABLES`]: a damaged number in the header does not make an index foreign.
const OTHER_TABLES: &str = "
SELECT count(*) FROM sqlite_schema
WHERE name NOT IN ('results', 'runs', 'samples', 'samples_of_run') AND name NOT LIKE 'sqlite_%'";

/// Why the index could not be brought up to date: SQLite's reasons may call for a new one.
pub(super) enum Failure {
    Sqlite(rusqlite::Error),
    Store(StoreError),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Opens the index, or makes an empty one.
pub(super) fn open(path: &Path) -> Result<Connection, Failure> {
    // A link in the directory of another user may lead anywhere, and a read from a pipe may never end.
    if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
        let reason = "it is no regular file".to_owned();
        return Err(unfit(SQLITE_CANTOPEN, reason));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // Nothing is lost with the index, so the disk is not waited for.
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON;")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = |query: &str| transaction.query_row(query, [], |row| row.get::<_, i32>(0));
    let version = number("PRAGMA user_version")?;
    if number("SELECT count(*) FROM sqlite_schema")? == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    } else if number("PRAGMA application_id")? != APPLICATION && number(OTHER_TABLES)? > 0 {
        return Err(StoreError::ForeignIndex(path.to_owned()).into());
    } else if version != VERSION {
        return Err(unfit(
            SQLITE_SCHEMA,
            format!("expected tables of version {VERSION}, found {version}"),
        ));
    }
    transaction.commit()?;
    let health: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if health == "ok" {
        Ok(connection)
    } else {
        Err(unfit(SQLITE_CORRUPT, health))
    }
}

/// An empty index that no file is kept of.
pub(super) fn in_memory() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch("PRAGMA foreign_keys = ON;")?;
    connection.execute_batch(TABLES)?;
    Ok(connection)
}

fn unfit(code: c_int, reason: String) -> Failure {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), Some(reason)).into()
}

/// Whether an error says that the file is damaged or of another version, rather than that it cannot
/// be used now.
pub(super) fn calls_for_new(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => matches!(
            failure.code,
            // A missing table counts as an unknown error, a row that should not be there as a violated
            // constraint.
            ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::ConstraintViolation
                | ErrorCode::SchemaChanged
                | ErrorCode::TypeMismatch
                | ErrorCode::Unknown
        ),
        rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::SqlInputError { .. }
        | rusqlite::Error::Utf8Error(..) => true,
        _ => false,
    }
}

/// Removes the index with what SQLite keeps beside it.
pub(super) fn remove(root: &Path) -> Result<(), StoreError> {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        let path = root.join(format!("{FILE}{suffix}"));
        match fs::remove_file(&path) {
            Err(source) if source.kind() != ErrorKind::NotFound => {
                return Err(StoreError::io("remove", &path, source));
            }
            _ => {}
        }
    }
    Ok(())
}
