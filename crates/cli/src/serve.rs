//! `perflab serve`: all results and histories of a directory in a browser.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::Args;
use perflab_history::is_history;
use perflab_serve::{Limits, Options, ServeError, serve as answer};
use perflab_store::is_result;

use crate::failure::{Code, Failure};
use crate::results::{RESULTS, must_be_directory};
use crate::terminal;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  perflab serve\n  perflab serve results --port 8000")]
pub struct ServeArguments {
    /// The directory of results.
    #[arg(value_name = "DIR", default_value = RESULTS)]
    path: PathBuf,

    /// Where to listen.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: IpAddr,

    /// The port; 0 for any that is free.
    #[arg(short, long, value_name = "N", default_value_t = 7070)]
    port: u16,
}

/// Executes the command.
pub fn serve(arguments: &ServeArguments) -> Result<Option<Code>, Failure> {
    must_be_directory(&arguments.path)?;
    let found = match (is_result(&arguments.path), is_history(&arguments.path)) {
        (true, _) => Some("a result"),
        (false, true) => Some("a history"),
        (false, false) => None,
    };
    if let Some(found) = found {
        return Err(Failure::usage(format!(
            "expected a directory of results, found {found} at {}; serve {} instead",
            arguments.path.display(),
            parent(&arguments.path).display()
        )));
    }
    // Whoever measures here comes first.
    let _as_before = rustix::process::nice(19);
    let options = Options {
        root: arguments.path.clone(),
        address: SocketAddr::new(arguments.bind, arguments.port),
        limits: Limits::default(),
    };
    let said = answer(&options, |first| {
        let _nobody_reads = terminal::print(&format!("{first}\n"));
        terminal::say("Ctrl-C ends it");
    });
    match said {
        Ok(()) => Ok(None),
        Err(error @ ServeError::Listen { .. }) => Err(Failure::usage(error)),
        Err(error) => Err(Failure::environment(error)),
    }
}

/// The directory that a directory is in, by a name that can be typed.
fn parent(path: &Path) -> PathBuf {
    match (path.file_name(), path.parent()) {
        // `.` and `..` are in what only the system knows.
        (None, _) | (_, None) => path.join(".."),
        (_, Some(parent)) if parent.as_os_str().is_empty() => PathBuf::from("."),
        (_, Some(parent)) => parent.to_owned(),
    }
}
