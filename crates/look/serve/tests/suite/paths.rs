//! Addresses lead to pages of results below the root, and nowhere else.

use std::fs;
use std::os::unix::fs::symlink;

use crate::made::Made;
use crate::support::{Served, tree};

#[test]
fn pages_and_files_of_a_result() {
    let served = Served::one();
    let before = tree(served.root.path());
    served
        .get("/")
        .is(200)
        .says(&["href=\"/results/first/index.html\""]);
    for page in [
        "",
        "index.html",
        "runs.html",
        "run-1.html",
        "method.html",
        "metric-1.html",
        "comparison-1-1.html",
    ] {
        let answer = served
            .get(&format!("/results/first/{page}"))
            .is(200)
            .says(&["Made by perflab"]);
        assert_eq!(
            answer.headers["content-type"], "text/html; charset=utf-8",
            "{page}"
        );
    }
    for (file, kind) in [
        ("data/report.json", "application/json"),
        ("data/samples.csv", "text/csv; charset=utf-8"),
        ("style.css", "text/css; charset=utf-8"),
        ("script.js", "text/javascript; charset=utf-8"),
        ("plots.js", "text/javascript; charset=utf-8"),
        ("raw/1/1-stdout.txt", "text/plain; charset=utf-8"),
    ] {
        let answer = served.get(&format!("/results/first/{file}")).is(200);
        assert_eq!(answer.headers["content-type"], kind, "{file}");
    }
    let raw = served.get("/results/first/raw/2/1-stdout.txt").is(200);
    assert_eq!(raw.text(), "run 2\n");
    served
        .get("/pair?a=first&b=first")
        .is(200)
        .says(&["both are the same result"]);
    assert_eq!(tree(served.root.path()), before);
}

#[test]
fn no_address_leads_to_a_path() {
    let root = tempfile::tempdir().unwrap();
    Made::plain().write(&root.path().join("top/first"));
    fs::write(root.path().join("secret"), "do not tell").unwrap();
    fs::write(root.path().join("top/secret"), "do not tell").unwrap();
    Made::plain().write(&root.path().join("outside"));
    let inner = tempfile::TempDir::with_prefix_in("in-", root.path()).unwrap();
    fs::rename(root.path().join("top"), inner.path().join("top")).unwrap();
    let before = tree(root.path());
    let served = Served::of(inner);
    served.get("/results/top/first/index.html").is(200);
    let long = "a/".repeat(10_000);
    let longer = "%2e%2e/".repeat(5_000);
    let tricks = [
        "/results/../../etc/passwd",
        "/results/../secret",
        "/results/top/first/../../../secret",
        "/results/top/first/../secret",
        "/results/top/secret",
        "/results/../outside/index.html",
        "/results/%2e%2e/outside/index.html",
        "/results/%2e%2e%2foutside%2findex.html",
        "/results/..%2f..%2f..%2f..%2fetc/passwd",
        "/results/top/first/%2e%2e%2f%2e%2e%2fsecret",
        "/results/top/first/..%2findex.html",
        "/results/top/./first/index.html",
        "/results/top//first/index.html",
        "/results//top/first/index.html",
        "/results/top/first//index.html",
        "/results/top/first/./index.html",
        "/results/top/firstXindex.html",
        "/results/top/firs/index.html",
        "/results/top%5cfirst%5cindex.html",
        "/results/top\\first\\index.html",
        "/results/top/first/..\\..\\secret",
        "//etc/passwd",
        "/etc/passwd",
        "/%2fetc%2fpasswd",
        "/results//etc/passwd",
        "/results/%2fetc%2fpasswd",
        "/results/top/first/%00",
        "/results/top/first/index.html%00",
        "/results/top/first%00/index.html",
        "/results/top/first/index.html/",
        "/results/top/first/meta.json",
        "/results/top/first/runs.jsonl",
        "/results/top/first/experiment.toml",
        "/results/top/first/lock",
        "/results/top/first/runs/000001/stdout",
        "/results/top/first/raw/1/0-x.txt",
        "/results/top/first/raw/1/2-stdout.txt",
        "/results/top/first/raw/99/1-stdout.txt",
        "/results/top/first/raw/1/1-../../../../secret",
        "/results/top/first/raw/../1/1-stdout.txt",
        "/results/top/first/raw/-1/1-stdout.txt",
        "/results/top/first/raw/1/4294967296-stdout.txt",
        "/results/top/first/figures/..%2f..%2fmeta.js",
        "/results/top/first/figures/style.js",
        "/results/top/first/run-0.html",
        "/results/top/first/run-4294967295.html",
        "/results/top/first/comparison-4294967295-4294967295.html",
        "/results/top/first/metric-99.html",
        "/results/top/first/%ff%fe.html",
        "/results/top",
        "/results/",
        "/results",
        "/pair?a=../outside&b=top/first",
        "/pair?a=top/first&b=%2fetc",
        "/index.html",
        "/meta.json",
        "/favicon.ico",
        &format!("/results/{long}"),
        &format!("/results/{longer}etc/passwd"),
    ];
    for trick in tricks {
        let answer = served.get(trick);
        assert_eq!(answer.status, 404, "{trick:.200}: {:.500}", answer.text());
        assert!(
            !answer.text().contains("do not tell") && !answer.text().contains("root:"),
            "{trick:.200}"
        );
        // Where the results lie is nobody's business.
        assert!(
            !answer.text().contains(root.path().to_str().unwrap()),
            "{trick:.200}"
        );
    }
    assert_eq!(tree(root.path()), before);
}

#[test]
fn links_below_the_root_are_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    Made::plain().write(&outside.path().join("elsewhere"));
    fs::write(outside.path().join("secret"), "do not tell").unwrap();
    let served = Served::one();
    symlink(outside.path().join("elsewhere"), served.path("link")).unwrap();
    symlink("/etc", served.path("etc")).unwrap();
    symlink(outside.path(), served.path("group")).unwrap();
    let run = |number: u32| served.path("first").join(format!("runs/{number:06}"));
    fs::remove_file(run(1).join("stdout")).unwrap();
    symlink(outside.path().join("secret"), run(1).join("stdout")).unwrap();
    fs::remove_dir_all(run(2)).unwrap();
    symlink(outside.path(), run(2)).unwrap();
    let before = tree(served.root.path());

    let list = served.get("/").is(200).text();
    assert!(
        !list.contains("results/link") && !list.contains("elsewhere"),
        "{list}"
    );
    for target in [
        "/results/link/index.html",
        "/results/etc/passwd",
        "/results/group/elsewhere/index.html",
        "/results/first/raw/1/1-stdout.txt",
        "/results/first/raw/2/1-secret.txt",
    ] {
        let answer = served.get(target).is(404);
        assert!(!answer.text().contains("do not tell"), "{target}");
    }
    for run in ["1", "2"] {
        let page = served
            .get(&format!("/results/first/run-{run}.html"))
            .is(200)
            .text();
        assert!(
            page.contains("Its raw output is not there.") && !page.contains("do not tell"),
            "{page}"
        );
    }
    assert_eq!(tree(served.root.path()), before);
}

#[test]
fn names_of_directories_are_text() {
    let root = tempfile::tempdir().unwrap();
    let name = "a <b>&\"'%2e ?#ü\u{202e}\n";
    Made::plain().write(&root.path().join(name).join("x"));
    Made::plain().write(&root.path().join("javascript:alert(1)"));
    let served = Served::of(root);
    let list = served.get("/").is(200).text();
    assert!(
        !list.contains("<b>") && !list.contains("href=\"javascript:"),
        "{list}"
    );
    let links: Vec<&str> = list
        .split("href=\"/results/")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert_eq!(links.len(), 2);
    for link in links {
        served
            .get(&format!("/results/{link}"))
            .is(200)
            .says(&["Is new faster than old?"]);
    }
}

/// Each file of a result, moved away with a link to it in its place: nothing of it is shown, and what is missing is said.
#[test]
fn links_in_place_of_files_are_not_followed() {
    for file in [
        "experiment.toml",
        "plan.json",
        "fingerprint.json",
        "meta.json",
        "runs.jsonl",
    ] {
        let outside = tempfile::tempdir().unwrap();
        let served = Served::one();
        let path = served.path("first").join(file);
        fs::rename(&path, outside.path().join("secret")).unwrap();
        symlink(outside.path().join("secret"), &path).unwrap();
        let page = served.get("/results/first/index.html").is(200).text();
        assert!(
            page.contains(file) && page.contains("it is a symbolic link"),
            "{file}: {page}"
        );
        let method = served.get("/results/first/method.html").is(200).text();
        assert!(
            file != "experiment.toml" || !method.contains("[variants"),
            "{file}: {method}"
        );
        let run = served.get("/results/first/run-1.html");
        assert_eq!(run.status == 404, file == "runs.jsonl", "{file}");
    }
}
