//! The machine that the laboratory runs on.

mod at_once;
mod atomics;
mod brand;
mod cpu_time;
mod elsewhere;
mod foreground;
mod identities;
mod interrupt;
mod job_control;
mod listener;
pub(crate) mod locate;
mod moved;
mod process;
mod reaper;
mod redirect;
mod relatives;
mod restorer;
mod spawn;
mod sys;
mod table;
mod turn;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use perflab_machine::{Executable, Load};
use rustix::thread::CpuSet;

use crate::cpus::{CpuError, cpu_set, usable_cpus};
use crate::environment::Environment;
use crate::host::{Ended, Endpoint, Host, Launch, LaunchError, Process};
use crate::libraries::Libraries;
use crate::standstill::Moment;

pub use brand::REAPER_ARGUMENT;
pub use elsewhere::Elsewhere;
pub use interrupt::{Interrupt, survive_file_limit};
pub use job_control::job_control;
pub use reaper::{Reaper, reap};
pub use restorer::{RESTORER_ARGUMENT, Restorer, restore_settings};

use identities::Identities;
use process::LocalProcess;

/// The machine that the laboratory runs on.
#[derive(Debug)]
pub struct ThisMachine {
    /// Ends what was started should the laboratory die.
    pub reaper: Reaper,
    /// Says when the user asks to stop.
    pub interrupt: Interrupt,
    identities: Identities,
}

impl ThisMachine {
    /// With these two.
    pub fn new(reaper: Reaper, interrupt: Interrupt) -> Self {
        Self {
            reaper,
            interrupt,
            identities: Identities::default(),
        }
    }

    /// Without anybody who ends what is started, should this process die, and without Ctrl-C: for tests and short work.
    ///
    /// # Errors
    /// When no socket pair can be had.
    pub fn alone() -> io::Result<Self> {
        Ok(Self::new(Reaper::none(), Interrupt::never()?))
    }

    /// The laboratory's own variables, as people expect of a command line that they typed.
    pub fn inherited_environment(&self) -> Environment {
        Environment::inherited(self.reaper.mark())
    }
}

impl Host for ThisMachine {
    fn name(&self) -> Option<&str> {
        None
    }

    fn start(&self, launch: &Launch<'_>) -> Result<Box<dyn Process + '_>, LaunchError> {
        let process = LocalProcess::start(launch, &self.reaper, &self.interrupt)?;
        Ok(Box::new(process))
    }

    fn execute_all(
        &self,
        launches: &[(Launch<'_>, Duration)],
        ended: &mut dyn FnMut(usize),
    ) -> Vec<Result<io::Result<Ended>, LaunchError>> {
        at_once::execute_all(self, launches, ended)
    }

    fn environment(&self, inherit: &[String]) -> Environment {
        Environment::clean(inherit, self.reaper.mark())
    }

    fn locate(&self, program: &OsStr, directory: &Path, path: &OsStr) -> Result<PathBuf, String> {
        locate::locate(program, directory, path)
    }

    fn identity(&self, program: &OsStr, directory: &Path, path: &OsStr) -> Option<Executable> {
        self.identities
            .of(&locate::locate(program, directory, path).ok()?)
    }

    fn libraries(&self, program: &OsStr, directory: &Path, path: &OsStr) -> Option<Libraries> {
        Libraries::of(&perflab_machine::resolve_in_path(program, directory, path)?)
    }

    fn cpus(&self, numbers: &[u32]) -> Result<Option<CpuSet>, CpuError> {
        cpu_set(numbers)
    }

    fn cores(&self) -> Result<Vec<Vec<u32>>, CpuError> {
        Ok(perflab_machine::cores(Path::new("/"), &usable_cpus()?))
    }

    fn load(&self) -> Load {
        Load::take(Path::new("/"))
    }

    fn now(&self) -> Instant {
        Instant::now()
    }

    fn timestamp(&self) -> Timestamp {
        Timestamp::now()
    }

    fn moment(&self) -> Moment {
        Moment::now()
    }

    fn sleep(&self, time: Duration) {
        self.interrupt.sleep(time);
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.asked()
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn remove(&self, path: &Path) {
        let _ = match path.is_dir() {
            true => fs::remove_dir_all(path),
            false => fs::remove_file(path),
        };
    }

    fn length(&self, file: &Path) -> io::Result<u64> {
        Ok(open_own(file)?.metadata()?.len())
    }

    fn read(&self, file: &Path, from: u64, most: u64) -> io::Result<Vec<u8>> {
        let mut file = open_own(file)?;
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn write(&self, file: &Path, content: &[u8]) -> io::Result<()> {
        // A process may have put a pipe there, which would be waited for, or a link, which leads elsewhere.
        if file.symlink_metadata().is_ok_and(|own| !own.is_file()) {
            self.remove(file);
        }
        fs::write(file, content)
    }

    fn append(&self, file: &Path, to: &Path) -> io::Result<()> {
        let mut from = open_own(file)?;
        if to.symlink_metadata().is_ok_and(|own| !own.is_file()) {
            return Err(replaced());
        }
        let mut to = File::options().append(true).create(true).open(to)?;
        io::copy(&mut from, &mut to)?;
        Ok(())
    }

    fn matching(&self, pattern: &Path) -> Result<Vec<PathBuf>, String> {
        let pattern = pattern.to_string_lossy();
        let paths = glob::glob(&pattern)
            .map_err(|error| format!("`{pattern}` is no pattern for files: {error}"))?;
        paths
            .map(|path| path.map_err(|error| format!("cannot look for objects: {error}")))
            .collect()
    }

    fn room(&self, directory: &Path) -> Option<u64> {
        let disk = rustix::fs::statvfs(directory).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    fn is_free(&self, port: u16) -> bool {
        TcpListener::bind(("127.0.0.1", port)).is_ok()
    }

    fn connect(&self, to: Endpoint<'_>, patience: Duration) -> io::Result<()> {
        match to {
            Endpoint::Tcp(address) => TcpStream::connect_timeout(&address, patience).map(drop),
            Endpoint::Unix(path) => UnixStream::connect(path).map(drop),
        }
    }
}

/// Opens a file that a process was to write, unless something else is in its place.
fn open_own(path: &Path) -> io::Result<File> {
    match path.symlink_metadata()?.is_file() {
        true => File::open(path),
        false => Err(replaced()),
    }
}

fn replaced() -> io::Error {
    io::Error::new(ErrorKind::NotFound, "something else is in its place")
}
