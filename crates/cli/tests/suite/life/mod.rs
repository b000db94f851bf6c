//! A program with probes, and perflab as it is installed.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use rustix::process::Signal;

use crate::support::{signal, wait_until};

/// perflab as `make install` leaves it, and a program.
pub struct Place {
    /// Where they are.
    pub directory: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let own = std::env::current_exe().unwrap();
        let agent = own.parent().unwrap().join("libperflab_preload.so");
        let hint = "is built by: cargo build -p perflab-agent-preload, or the tests of the whole workspace";
        assert!(agent.exists(), "{} {hint}", agent.display());
        for (from, to) in [
            (PathBuf::from(env!("CARGO_BIN_EXE_perflab")), "bin/perflab"),
            (agent, "lib/perflab/libperflab_preload.so"),
        ] {
            let to = directory.path().join(to);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(from, to).unwrap();
        }
        let place = Self { directory };
        place.compile("life");
        place
    }

    /// Compiles another program, into the same directory. Returns its path.
    pub fn compile(&self, name: &str) -> String {
        self.compile_with(name, name, &[])
    }

    /// The same with more words for the compiler, under another name.
    pub fn compile_with(&self, name: &str, program: &str, words: &[&str]) -> String {
        let wing = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../trace"));
        let program = self.directory.path().join(program);
        perflab_testing::needs("gcc", "gcc");
        let built = Command::new("gcc")
            .args(["-O2", "-pthread"])
            .args(words)
            .arg("-I")
            .arg(wing.join("probe/include"))
            .arg(wing.join(format!("agent-preload/tests/programs/{name}.c")))
            .arg("-o")
            .arg(&program)
            .status();
        assert!(built.unwrap().success());
        program.to_str().unwrap().to_owned()
    }

    /// Writes a program in C, and compiles it. Returns its path.
    pub fn compile_text(&self, name: &str, text: &str) -> String {
        let (source, program) = (self.file(&format!("{name}.c")), self.file(name));
        fs::write(&source, text).unwrap();
        perflab_testing::needs("gcc", "gcc");
        let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/probe/include");
        let mut gcc = Command::new("gcc");
        gcc.args(["-O2", "-I", include, "-o", &program, &source]);
        printed(&gcc.output().unwrap());
        program
    }

    pub fn perflab(&self) -> Command {
        Command::new(self.directory.path().join("bin/perflab"))
    }

    pub fn trace(&self, words: &[&str]) -> Output {
        self.perflab().arg("trace").args(words).output().unwrap()
    }

    pub fn filter(&self, words: &[&str]) -> Output {
        self.perflab().arg("filter").args(words).output().unwrap()
    }

    pub fn life(&self, probes: &str) -> Life {
        self.started(&["trace", "on", probes])
    }

    /// The program, started by these words of perflab.
    pub fn started(&self, words: &[&str]) -> Life {
        let program = self.directory.path().join("life");
        self.starts(&[words, &["--", program.to_str().unwrap()]].concat())
    }

    /// What these words of perflab start, which is or becomes the program.
    pub fn starts(&self, words: &[&str]) -> Life {
        self.lives(self.perflab().args(words))
    }

    /// What a command starts, as above.
    pub fn lives(&self, command: &mut Command) -> Life {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut life = Life {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        };
        life.works(0);
        life
    }

    pub fn file(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A recording that goes on.
    pub fn recording(&self, words: &[&str]) -> Child {
        let mut command = self.perflab();
        command.args(["trace", "record"]).args(words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// A recorder of a process that has come, and the trace that it writes.
    pub fn recorder(&self, pid: &str, words: &[&str]) -> (Child, String) {
        let trace = self.file("trace");
        let recorder = self.recording(&[&["--pid", pid, "-o", &trace], words].concat());
        wait_until("the recorder to have come", || {
            let summary = self.trace(&["view", &trace, "--summary"]);
            text(&summary.stdout)
                .split(|of: char| !of.is_ascii_digit())
                .any(|number| number == pid)
        });
        (recorder, trace)
    }

    /// The program, a recorder of it that was given these words too, and the trace that it writes.
    pub fn recorded(&self, words: &[&str]) -> (Life, Child, String) {
        let (life, trace) = (self.life("none"), self.file("trace"));
        let recording = self.recording(&[&["--pid", &life.pid(), "-o", &trace], words].concat());
        wait_for_recorder(self, &life);
        (life, recording, trace)
    }

    /// The events of a trace, without their times.
    pub fn events(&self, words: &[&str]) -> Vec<String> {
        let shown = printed(&self.trace(&[&["view"], words].concat()));
        let lines = shown.lines().skip(1);
        lines
            .map(|line| line[line.find("life:").unwrap()..].to_owned())
            .collect()
    }
}

/// The directory of a process that records.
pub fn directory(recording: &str) -> PathBuf {
    let user = rustix::process::geteuid().as_raw();
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(|path| Path::new(&path).join("perflab"));
    let memory = PathBuf::from(format!("/dev/shm/perflab-{user}"));
    let places = [runtime, Some(memory)].into_iter().flatten();
    let mut paths = places.map(|place| place.join(format!("{recording}.rings")));
    paths.find(|path| path.exists()).unwrap()
}

/// The probes of a program.
pub fn list(place: &Place, life: &Life) -> String {
    printed(&place.trace(&["list", "--pid", &life.pid()]))
}

/// Waits until the probes of a program are on.
pub fn wait_for_recorder(place: &Place, life: &Life) {
    wait_until("the probes to be on", || {
        list(place, life).contains("life:work      1   1")
    });
}

/// The events of the program with these numbers.
pub fn works(numbers: impl IntoIterator<Item = u32>) -> Vec<String> {
    let events = numbers.into_iter();
    events.map(|x| format!("life:work x={x}")).collect()
}

pub struct Life {
    /// The process.
    pub child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Life {
    pub fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// What its recording is called, which a former process with its number has not left.
    pub fn recording(&self) -> String {
        let pid = self.pid();
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let (_, after) = stat.rsplit_once(')').unwrap();
        format!("{pid}-{}", after.split_whitespace().nth(19).unwrap())
    }

    pub fn send(&self, sent: Signal) {
        signal(self.child.id(), sent);
    }

    /// Ends well.
    pub fn ends(&mut self) {
        self.input = None;
        assert!(self.child.wait().unwrap().success());
    }

    /// Ends the program, and waits for what started it. Returns its exit code, and all that it printed.
    pub fn ending(&mut self) -> (Option<i32>, String) {
        self.input = None;
        let mut said = String::new();
        self.output.read_to_string(&mut said).unwrap();
        if let Some(mut errors) = self.child.stderr.take() {
            errors.read_to_string(&mut said).unwrap();
        }
        (self.child.wait().unwrap().code(), said)
    }

    /// Becomes the same program again, as the process of this number.
    pub fn execs(&mut self, pid: &str) {
        writeln!(self.input.as_mut().unwrap(), "exec").unwrap();
        // What is told before that goes to the old one.
        let name = format!("/proc/{pid}/comm");
        while fs::read_to_string(&name).unwrap() != "exe\n" {
            std::thread::yield_now();
        }
    }

    pub fn works(&mut self, times: u32) {
        self.begins(times);
        self.is_done();
    }

    /// Begins to work.
    pub fn begins(&mut self, times: u32) {
        writeln!(self.input.as_mut().unwrap(), "work {times}").unwrap();
    }

    /// Has the process do what a line says, and waits until it is done.
    pub fn does(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
        self.is_done();
    }

    /// Waits until it has worked.
    pub fn is_done(&mut self) {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert_eq!(line, "done\n");
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}
