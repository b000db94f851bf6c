//! A report in a folder: nothing but the report is touched, and all of it is there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use perflab_pages::{Site, Step, WriteError, write};

use crate::html::crawl;
use crate::made::Made;

/// What a directory holds, links as what they lead to.
fn tree(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut next = vec![directory.to_owned()];
    while let Some(path) = next.pop() {
        for entry in fs::read_dir(&path).unwrap() {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            let own = path.strip_prefix(directory).unwrap().to_owned();
            if kind.is_dir() {
                found.insert(own, Vec::new());
                next.push(path);
            } else if kind.is_symlink() {
                found.insert(
                    own,
                    fs::read_link(&path)
                        .unwrap()
                        .into_os_string()
                        .into_encoded_bytes(),
                );
            } else {
                found.insert(own, fs::read(&path).unwrap());
            }
        }
    }
    found
}

struct Case {
    root: tempfile::TempDir,
    site: Site,
}

impl Case {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        Made::plain().write(&root.path().join("result"));
        let site = Site::read(&root.path().join("result"));
        Self { root, site }
    }

    fn out(&self) -> PathBuf {
        self.root.path().join("report")
    }

    fn write(&self) -> Result<PathBuf, WriteError> {
        write(&self.site, &self.out(), &mut |_, _, _| ())
    }
}

#[test]
fn everything_that_links_lead_to_is_there_and_nothing_else() {
    let case = Case::new();
    let before = tree(&case.root.path().join("result"));
    let mut steps = Vec::new();
    let mut hear = |step, done, all| steps.push((step, done, all));
    let first = write(&case.site, &case.out(), &mut hear).unwrap();
    assert_eq!(first, case.out().join("index.html"));
    // From none to all of them, one step after the other.
    let expected = [Step::Compare, Step::Write].into_iter().flat_map(|step| {
        let all = steps.iter().find(|(of, ..)| *of == step).unwrap().2;
        assert!(all > 0);
        (0..=all).map(move |done| (step, done, all))
    });
    assert_eq!(steps, expected.collect::<Vec<_>>());
    let found = crawl(&case.site, &case.root.path().join("result"));
    let mut expected: BTreeSet<PathBuf> = found.pages.keys().map(PathBuf::from).collect();
    expected.extend(found.files.keys().map(PathBuf::from));
    expected.extend(found.raw.iter().map(PathBuf::from));
    // The script asks for it.
    expected.insert("plots.js".into());
    expected.insert(".perflab-report".into());
    let written = tree(&case.out());
    let files: BTreeSet<PathBuf> = written
        .keys()
        .filter(|path| case.out().join(path).is_file())
        .cloned()
        .collect();
    assert_eq!(files, expected);
    for (address, content) in &found.pages {
        assert_eq!(written[Path::new(address)], content.as_bytes(), "{address}");
    }
    let raw = found
        .raw
        .iter()
        .find(|address| address.starts_with("raw/7/"))
        .unwrap();
    assert_eq!(written[Path::new(raw)], b"run 7\n");
    assert_eq!(tree(&case.root.path().join("result")), before);
}

#[test]
fn a_folder_of_other_things_is_left_alone() {
    let case = Case::new();
    fs::create_dir(case.out()).unwrap();
    fs::write(case.out().join("index.html"), "somebody's own").unwrap();
    fs::create_dir(case.out().join("data")).unwrap();
    fs::write(case.out().join("data/theirs"), "x").unwrap();
    let before = tree(&case.out());
    let error = case.write().unwrap_err();
    assert!(matches!(error, WriteError::Foreign(_)), "{error}");
    assert!(error.to_string().contains("choose another one"), "{error}");
    assert_eq!(tree(&case.out()), before);
    // A directory of that name says nothing.
    fs::create_dir(case.out().join(".perflab-report")).unwrap();
    assert!(matches!(case.write().unwrap_err(), WriteError::Foreign(_)));
}

#[test]
fn an_earlier_report_gives_way_and_what_is_foreign_stays() {
    let case = Case::new();
    case.write().unwrap();
    let first = tree(&case.out());
    // Before plots had a script of their own, it wrote there as well.
    fs::create_dir(case.out().join("figures")).unwrap();
    // Beside what perflab writes, where it writes.
    let foreign = ["data/theirs.ipynb", "figures/notes", "raw/7/notes"];
    for name in foreign {
        fs::write(case.out().join(name), "theirs").unwrap();
    }
    let stale = [
        "run-999.html",
        "comparison-9-9.html",
        "metric-77.html",
        "runs-3.html",
        "data/metric-77.json",
    ];
    for name in stale.iter().chain(&[
        "raw/999/1-stdout.txt",
        "figures/comparison-9-9.js",
        "plotly.js",
    ]) {
        fs::create_dir_all(case.out().join(name).parent().unwrap()).unwrap();
        fs::write(case.out().join(name), "of another result").unwrap();
    }
    fs::write(case.out().join("notes.txt"), "theirs").unwrap();
    fs::create_dir(case.out().join("own")).unwrap();
    fs::write(case.out().join("own/run-1.html"), "theirs").unwrap();
    fs::write(case.out().join("run-1.html"), "altered").unwrap();
    case.write().unwrap();
    let mut second = tree(&case.out());
    assert_eq!(second.remove(Path::new("notes.txt")).unwrap(), b"theirs");
    assert_eq!(
        second.remove(Path::new("own/run-1.html")).unwrap(),
        b"theirs"
    );
    second.remove(Path::new("own")).unwrap();
    for name in foreign {
        assert_eq!(second.remove(Path::new(name)).unwrap(), b"theirs", "{name}");
    }
    second.remove(Path::new("figures")).unwrap();
    assert_eq!(second, first);
}

#[test]
fn links_in_the_folder_lead_nowhere() {
    for name in [
        "data",
        "figures",
        "raw",
        "index.html",
        "style.css",
        "run-1.html",
        ".perflab-report",
        "raw/1",
    ] {
        for is_directory in [false, true] {
            let case = Case::new();
            case.write().unwrap();
            let expected = tree(&case.out());
            let outside = case.root.path().join("outside");
            fs::create_dir(&outside).unwrap();
            fs::write(outside.join("report.json"), "theirs").unwrap();
            let target = if is_directory {
                outside.clone()
            } else {
                outside.join("report.json")
            };
            let path = case.out().join(name);
            if path.is_dir() {
                fs::remove_dir_all(&path).unwrap();
            } else if path.exists() {
                fs::remove_file(&path).unwrap();
            }
            symlink(target, &path).unwrap();
            let before = tree(&outside);
            let written = case.write();
            assert_eq!(tree(&outside), before, "{name}: {written:?}");
            if written.is_ok() {
                assert_eq!(tree(&case.out()), expected, "{name}");
            }
        }
    }
}

#[test]
fn a_link_to_a_file_that_is_not_there_makes_none() {
    let case = Case::new();
    case.write().unwrap();
    let target = case.root.path().join("new");
    for name in [".perflab-report", "index.html", "data/report.json"] {
        fs::remove_file(case.out().join(name)).unwrap();
        symlink(&target, case.out().join(name)).unwrap();
    }
    let _written_or_refused = case.write();
    assert!(!target.exists());
}

/// A link may come after the earlier report was cleared away.
#[test]
fn a_link_that_comes_while_pages_are_written_is_not_followed() {
    let case = Case::new();
    let target = case.root.path().join("theirs");
    fs::write(&target, "theirs").unwrap();
    let written = write(&case.site, &case.out(), &mut |step, done, _| {
        if (step, done) == (Step::Write, 0) {
            symlink(&target, case.out().join("method.html")).unwrap();
        }
    });
    assert!(
        matches!(&written, Err(WriteError::Io { path, .. }) if path.ends_with("method.html")),
        "{written:?}"
    );
    assert_eq!(fs::read(&target).unwrap(), b"theirs");
}

#[test]
fn a_link_to_the_folder_itself_is_followed() {
    let case = Case::new();
    let real = case.root.path().join("real");
    fs::create_dir(&real).unwrap();
    symlink(&real, case.out()).unwrap();
    case.write().unwrap();
    assert!(real.join("index.html").is_file());
}

#[test]
fn raw_files_that_became_something_else_are_left_out() {
    let case = Case::new();
    let secret = case.root.path().join("secret");
    fs::write(&secret, "do not tell").unwrap();
    let stdout = |run: u32| {
        case.root
            .path()
            .join(format!("result/runs/{run:06}/stdout"))
    };
    fs::remove_file(stdout(1)).unwrap();
    symlink(&secret, stdout(1)).unwrap();
    fs::remove_file(stdout(2)).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        stdout(2),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    case.write().unwrap();
    for (path, content) in tree(&case.out()) {
        assert!(
            !String::from_utf8_lossy(&content).contains("do not tell"),
            "{}",
            path.display()
        );
    }
    assert!(!case.out().join("raw/2").exists());
}

#[test]
fn what_the_system_refuses_is_said() {
    let case = Case::new();
    fs::write(case.out(), "a file").unwrap();
    let error = case.write().unwrap_err();
    assert!(matches!(&error, WriteError::Foreign(_)), "{error}");
    assert_eq!(fs::read(case.out()).unwrap(), b"a file");
    fs::remove_file(case.out()).unwrap();

    // A directory in the place of a page cannot be written, whoever one is.
    case.write().unwrap();
    fs::remove_file(case.out().join("method.html")).unwrap();
    fs::create_dir_all(case.out().join("method.html/x")).unwrap();
    let error = case.write().unwrap_err();
    assert!(
        matches!(&error, WriteError::Io { path, .. } if path.ends_with("method.html")),
        "{error}"
    );

    let full = Path::new("/proc/self/no-such-directory");
    let error = write(&case.site, full, &mut |_, _, _| ()).unwrap_err();
    assert!(
        matches!(&error, WriteError::Uncreatable { path, .. } if path == full),
        "{error}"
    );
}

#[test]
fn rights_of_raw_files_are_not_copied() {
    let case = Case::new();
    let stdout = case.root.path().join("result/runs/000001/stdout");
    fs::set_permissions(stdout, fs::Permissions::from_mode(0o4777)).unwrap();
    case.write().unwrap();
    let copy = case.out().join("raw/1/1-stdout.txt");
    assert_eq!(fs::metadata(copy).unwrap().permissions().mode() & 0o7111, 0);
}
