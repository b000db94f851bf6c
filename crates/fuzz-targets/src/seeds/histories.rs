//! History files, lists of versions, and what git prints.

use super::collection::Collection;

pub fn collect(all: &mut Collection<'_>) {
    all.add_file(
        "history",
        "file",
        "h",
        "crates/cli/tests/documents/history/history.toml",
    );
    let file = r#"h
[source]
versions = { "1.0" = "2026-01-01", "1.1" = "2026-02" }
obtain = ["curl {name}"]
shell = true
[revisions]
since = "1.0"
every = 3
control = "1.1"
[build]
steps = [["make", "{tree}"]]
inputs = ["src"]
programs = ["src/a"]
timeout = "10m"
env = { A = "b" }
[measure]
experiment = "e.toml"
variant = "a"
together = 4
runs = 6
refresh = "relink"
layout = "sort"
[[quirks]]
at = "2026-01-05"
what = "a"
commands = [["true"]]
before = [["false"]]
"#;
    all.add("history", "all-keys", file.as_bytes().to_vec());
    let versions = "v# of a list\n1.0 2026-01-01\n1.1\t2026-02-01T10:00:00Z\n2 2027\n";
    all.add("history", "versions", versions.as_bytes().to_vec());
    let hash = |digit: &str| digit.repeat(40);
    let log = format!(
        "l{}\0\0{}\0first\0{}\0{} {}\0{}\0merge\0",
        hash("a"),
        1_767_225_600,
        hash("b"),
        hash("a"),
        hash("c"),
        1_767_225_601
    );
    all.add("history", "log", log.into_bytes());
    all.add("history", "symbols", b"s\x7fELF\x02\x01\x01".to_vec());
}
