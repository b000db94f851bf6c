//! Whatever others wrote into a result stays text.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::Arc;

use indexmap::IndexMap;
use perflab_experiment::{Better, Metric, Status};
use perflab_pages::Site;
use perflab_store::{Imported, ImportedFile, Programs};
use serde_json::{Value, json};

use crate::html::crawl;
use crate::made::Made;

const STRINGS: [&str; 16] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "</script><script>alert(1)</script>",
    "</svg></title></desc></pre></table><iframe src=//evil.example>",
    "<!--<![CDATA[]]>-->",
    "javascript:alert(1)",
    "//evil.example/../../etc/passwd?#",
    "<a href='https://evil.example'><b>%{customdata}<br>",
    "&lt;script&gt;&#60;&amp;\\u003cscript\\u003e",
    "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m",
    "a\u{202e}b\u{2066}c\u{200f}d\u{61c}",
    "a\0b",
    "one\ntwo\r\nthree\tfour",
    "\u{2028}\u{2029};alert(1)//\u{feff}",
    "=HYPERLINK(\"https://evil.example\",\"a\")",
];

/// A result with a string in every field that is not a number.
fn with(string: &str) -> Made {
    // At the beginning, where an address has its scheme.
    let of = |field: &str| format!("{string}{field}");
    let mut made = Made::plain();
    made.experiment = made.experiment.replacen(
        "question = \"Is new faster than old?\"",
        &format!("question = {}", json!(of("-question"))),
        1,
    );
    let comment: String = string
        .chars()
        .filter(|character| !character.is_control())
        .collect();
    made.experiment.push_str(&format!("# {comment}-comment\n"));

    let parameters = |old: &IndexMap<String, String>| -> IndexMap<String, String> {
        old.iter()
            .map(|(_, value)| (of("-parameter"), of(&format!("-value-{value}"))))
            .collect()
    };
    for cell in &mut made.plan.cells {
        cell.parameters = parameters(&cell.parameters);
        cell.workload = of("-workload");
        cell.id = of(&format!("-cell-{}", cell.id));
        cell.vars = [(of("-var"), of("-var-value"))].into();
        if cell.variant == "again" {
            cell.variant = of("-variant");
        }
    }
    for record in &mut made.records {
        record.parameters = parameters(&record.parameters);
        record.workload = of("-workload");
        record.cell = of(&format!("-cell-{}", record.cell));
        record.started = of("-started");
        record.source = (record.run % 2 == 0).then(|| of("-source"));
        record.argv = vec![of("-argv"), of("-argument")];
        record.layout = Some(of("-layout"));
        record.settings = [(of("-setting"), of("-setting-value"))].into();
        record.evidence = [(of("-evidence"), 1.0)].into();
        if record.variant == "again" {
            record.variant = of("-variant");
        }
        for sample in &mut record.samples {
            let (name, unit) = (&sample.metric.name, &sample.metric.unit);
            sample.metric = Arc::new(Metric {
                name: of(&format!("-metric-{name}")),
                unit: of(&format!("-unit-{unit}")),
                better: Better::Higher,
            });
            sample.benchmark = sample
                .benchmark
                .as_ref()
                .map(|benchmark| of(&format!("-benchmark-{benchmark}")));
        }
    }
    let failed = made
        .records
        .iter_mut()
        .find(|record| record.variant == "new")
        .unwrap();
    failed.status = Status::Fail;
    failed.detail = Some(of("-detail"));

    made.origin.name = of("-name");
    made.origin.perflab = of("-version");
    made.origin.created = of("-created");
    made.origin.argv = vec![of("-command")];
    made.origin.imported = Some(Imported {
        format: of("-format"),
        independent: true,
        files: vec![ImportedFile::new(of("-file"), b"")],
        notes: vec![of("-note")],
    });
    made.environment.machine.kernel.version = Some(of("-fact-value"));
    let programs = Programs {
        versions: [(of("-asked"), of("-said"))].into(),
        ..Programs::default()
    };
    made.environment.programs.insert(of("-program"), programs);
    let name: Vec<u8> = of("-log")
        .bytes()
        .filter(|byte| !matches!(byte, 0 | b'/'))
        .take(200)
        .collect();
    for (_, own, content) in &mut made.files {
        *own = OsString::from_vec(name.clone());
        content.extend_from_slice(of("-content").as_bytes());
    }
    made
}

/// Where each of them must be seen, lest the test passes because nothing is shown at all.
const SHOWN: [&str; 26] = [
    "-question",
    "-comment",
    "-parameter",
    "-value-50",
    "-workload",
    "-cell-old",
    "-variant",
    "-source",
    "-argv",
    "-argument",
    "-layout",
    "-setting",
    "-setting-value",
    "-evidence",
    "-metric-rps",
    "-unit-1/s",
    "-benchmark-GET",
    "-detail",
    "-name",
    "-version",
    "-created",
    "-command",
    "-format",
    "-note",
    "-content",
    "-said",
];

#[test]
fn strings_of_others_are_text_and_no_more() {
    for string in STRINGS {
        let directory = tempfile::tempdir().unwrap();
        with(string).write(directory.path());
        let site = Site::read(directory.path());
        assert_eq!(site.problems(), [""; 0], "{string:?}");
        let found = crawl(&site, directory.path());
        assert!(
            found.pages.contains_key("comparison-1-1.html")
                && found.pages.contains_key("metric-2.html")
        );
        assert_eq!(found.raw.len(), 36);
        let text = found.all_text();
        for field in SHOWN {
            assert!(
                text.contains(field),
                "{field} with {string:?} is shown nowhere"
            );
        }
        tables(&found.files["data/samples.csv"], string);
        tables(
            &found.files["data/report.csv"],
            &perflab_plot::clean(string),
        );
    }
}

/// Spreadsheets take some beginnings for formulas; the fields are as they were, for programs that read them.
#[track_caller]
fn tables(content: &[u8], string: &str) {
    let mut reader = csv::ReaderBuilder::new()
        .flexible(false)
        .from_reader(content);
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert!(!rows.is_empty());
    for row in &rows {
        let variant = row
            .iter()
            .any(|field| field == "old" || field == "new" || field == format!("{string}-variant"));
        let metric = row
            .iter()
            .any(|field| field.starts_with(&format!("{string}-metric-")));
        assert!(variant && metric, "{row:?}");
    }
}

#[test]
fn names_of_20_kilobytes_are_cut() {
    let directory = tempfile::tempdir().unwrap();
    with(&"x<ü".repeat(5000)).write(directory.path());
    let found = crawl(&Site::read(directory.path()), directory.path());
    assert!(found.pages.contains_key("comparison-1-1.html"));
    assert!(found.text("run-1.html").contains("bytes in all"));
}

#[test]
fn logs_are_shown_from_both_ends_and_given_out_whole() {
    let mut made = Made::plain();
    let mut line = vec![b'<'; 10_000_000];
    line.extend_from_slice(b"the end");
    made.files = vec![
        (1, "long".into(), line),
        (1, "bytes".into(), (0..=255).cycle().take(5000).collect()),
        (
            2,
            OsString::from_vec(b"n\xffame\n\xc3".to_vec()),
            b"\xf0\x9f\x98".to_vec(),
        ),
        (2, "empty".into(), Vec::new()),
    ];
    let directory = tempfile::tempdir().unwrap();
    made.write(directory.path());
    let found = crawl(&Site::read(directory.path()), directory.path());
    let text = found.text("run-1.html");
    assert!(
        text.contains("the end")
            && text.contains("bytes are left out here")
            && text.contains("\\u{1b}")
    );
    assert!(text.contains("long, 10000007 bytes"));
    assert!(
        found
            .text("run-2.html")
            .contains("n\u{fffd}ame\\n\u{fffd}, 3 bytes")
    );
    assert_eq!(found.raw.len(), 4);
    assert!(
        found
            .raw
            .iter()
            .all(|address| address.bytes().all(|byte| byte.is_ascii_graphic()))
    );
}

#[test]
fn many_files_with_long_names_and_directories_in_directories() {
    let directory = tempfile::tempdir().unwrap();
    Made::plain().write(directory.path());
    let run = directory.path().join("runs/000001");
    let deep = (0..30).fold(run.clone(), |path, _| path.join("d"));
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(deep.join("f"), "too deep").unwrap();
    for number in 0..300 {
        let name = format!("{number:03}{}", "<b>".repeat(80));
        std::fs::write(run.join(std::ffi::OsStr::from_bytes(name.as_bytes())), "x").unwrap();
    }
    let found = crawl(&Site::read(directory.path()), directory.path());
    let of_run = found
        .raw
        .iter()
        .filter(|address| address.starts_with("raw/1/"))
        .count();
    assert_eq!(of_run, 100);
}

#[test]
fn a_list_and_a_pair_of_hostile_results_are_text() {
    use perflab_pages::{list, pair};
    for string in STRINGS {
        let directory = tempfile::tempdir().unwrap();
        let sites: Vec<Site> = ["a", "b"]
            .iter()
            .map(|name| {
                let path = directory.path().join(name);
                with(string).write(&path);
                Site::read(&path)
            })
            .collect();
        let address = |_: &str| "results/x/index.html".to_owned();
        // No path has it.
        let path = format!("{string}/path").replace('\0', "");
        let entries: Vec<_> = sites.iter().map(|site| site.entry(&path)).collect();
        let pages = [
            list(&[], &entries, string, &address),
            pair((&path, &sites[0]), (string, &sites[1]), &address),
        ];
        for page in &pages {
            crate::html::alone(page);
            assert!(page.len() < 2_000_000);
        }
        let numbers: Value = json!(pages[1].matches("<svg").count());
        assert!(
            numbers.as_u64() > Some(0),
            "{string:?}: no comparison is drawn"
        );
    }
}
