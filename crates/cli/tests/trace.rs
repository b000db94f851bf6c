//! `perflab trace` as a user calls it, on a program with probes.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

/// perflab as `make install` leaves it, and a program.
struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let own = std::env::current_exe().unwrap();
        let agent = own.parent().unwrap().join("libperflab_preload.so");
        let hint =
            "is built by: cargo build -p perflab-preload, or the tests of the whole workspace";
        assert!(agent.exists(), "{} {hint}", agent.display());
        for (from, to) in [
            (PathBuf::from(env!("CARGO_BIN_EXE_perflab")), "bin/perflab"),
            (agent, "lib/perflab/libperflab_preload.so"),
        ] {
            let to = directory.path().join(to);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(from, to).unwrap();
        }
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let built = Command::new("gcc")
            .args(["-O2", "-I"])
            .arg(crates.join("probe/include"))
            .arg(crates.join("preload/tests/programs/life.c"))
            .arg("-o")
            .arg(directory.path().join("life"))
            .status();
        assert!(built.unwrap().success());
        Self { directory }
    }

    fn perflab(&self) -> Command {
        Command::new(self.directory.path().join("bin/perflab"))
    }

    fn trace(&self, words: &[&str]) -> Output {
        self.perflab().arg("trace").args(words).output().unwrap()
    }

    fn life(&self, probes: &str) -> Life {
        let mut child = self
            .perflab()
            .args(["trace", "on", probes, "--"])
            .arg(self.directory.path().join("life"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut life = Life {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        };
        life.works(0);
        life
    }
}

struct Life {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Life {
    fn pid(&self) -> String {
        self.child.id().to_string()
    }

    fn works(&mut self, times: u32) {
        writeln!(self.input, "work {times}").unwrap();
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

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_command_with_its_probes_on() {
    let place = Place::new();
    let mut life = place.life("life:*");
    life.works(7);
    let pid = life.pid();
    let list = printed(&place.trace(&["list", "--pid", &pid]));
    let expected = format!(
        "{pid} life\n  probe      sites  on  hits  arguments\n  life:work      1   1     7  x: i32\n"
    );
    assert_eq!(list, expected);
    let sites = printed(&place.trace(&["list", "--pid", &pid, "--sites"]));
    assert!(sites.contains("0x") && sites.contains("life.c:"), "{sites}");
    let json = printed(&place.trace(&["list", "life:w*", "--pid", &pid, "--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let site = &json["processes"][0]["sites"][0];
    assert_eq!(json["schema"], 1);
    assert_eq!(site["probe"], "life:work");
    assert_eq!(site["hits"], 7);
    assert_eq!(site["arguments"][0]["type"], "i32");
    assert_eq!(site["backend"], "patched");
    let top = printed(&place.trace(&["top", "--pid", &pid, "--count", "1", "--every", "0.05"]));
    assert!(
        top.contains("life:work") && top.lines().count() == 3,
        "{top}"
    );
}

#[test]
fn off_and_on_again() {
    let place = Place::new();
    let mut life = place.life("life:*");
    let pid = life.pid();
    let off = printed(&place.trace(&["off", "*", "--pid", &pid]));
    assert!(
        off.starts_with(&format!("{pid} life: 1 of 1 sites switched off in ")),
        "{off}"
    );
    life.works(7);
    let top = printed(&place.trace(&["top", "--pid", &pid, "-c", "1", "--every", "0.05"]));
    assert!(top.contains("no probe is on"), "{top}");
    let on = printed(&place.trace(&["on", "life", "--pid", &pid]));
    assert!(
        on.contains("by word, through writable pages, with membarrier"),
        "{on}"
    );
    life.works(5);
    let list = printed(&place.trace(&["list", "--pid", &pid]));
    assert!(
        list.contains("life:work      1   1     5  x: i32"),
        "{list}"
    );
    let again = printed(&place.trace(&["on", "life", "--pid", &pid]));
    assert_eq!(again, format!("{pid} life: 0 of 1 sites switched on\n"));
}

#[test]
fn what_cannot_be_done() {
    let place = Place::new();
    let life = place.life("none:*");
    let pid = life.pid();
    let own = std::process::id().to_string();
    let cases: [(&[&str], i32, &str); 7] = [
        (&["on", "life:*"], 2, "expected --pid PID or --all"),
        (
            &["on", "life:*", "--pid", "99999999999"],
            2,
            "invalid value",
        ),
        (
            &["on", "life:*", "--pid", "999999999"],
            4,
            "there is no process 999999999",
        ),
        (&["list", "--pid", &own], 5, "has no agent"),
        (
            &["on", "nothing:*", "--pid", &pid],
            4,
            "no probe is called \"nothing:*\"",
        ),
        (&["on", "li fe:*", "--pid", &pid], 5, "is no probe"),
        (
            &["on", "*", "--", "/does/not/exist"],
            5,
            "cannot be started",
        ),
    ];
    for (words, code, expected) in cases {
        let output = place.trace(words);
        let said = text(&output.stderr).to_lowercase();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        assert!(said.contains(&expected.to_lowercase()), "{words:?}: {said}");
    }
}

#[test]
fn another_user_sees_nothing() {
    let place = Place::new();
    let life = place.life("life:*");
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    if !is_root {
        return;
    }
    // The other user must be able to execute perflab.
    for path in [
        place.directory.path().to_owned(),
        place.directory.path().join("bin"),
    ] {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let other = |words: &[&str]| {
        Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
            .arg(place.directory.path().join("bin/perflab"))
            .arg("trace")
            .args(words)
            .output()
            .unwrap()
    };
    let list = printed(&other(&["list"]));
    assert!(list.starts_with("no running process"), "{list}");
    let off = other(&["off", "*", "--pid", &life.pid()]);
    assert_eq!(off.status.code(), Some(5));
    assert!(text(&off.stderr).contains("that this user may ask"));
    let list = printed(&place.trace(&["list", "--pid", &life.pid()]));
    assert!(list.contains("life:work      1   1"), "{list}");
}
