//! What is renewed between runs: systems, builds, layouts of programs and of their libraries.

use std::collections::HashSet;
use std::fs;

use perflab_testing::needs;
use serde_json::Value;

use crate::support::{Laboratory, tool};

/// Three objects, told apart by the addresses of their functions. The design is to be put in front.
const PROGRAM: &str = r#"
[variants.a]
shell = true
[variants.a.build]
command = "echo $PERFLAB_SEED >> {experiment}/built && cc -O0 -c {experiment}/one.c {experiment}/two.c {experiment}/three.c"
directory = "{build}"
objects = ["*.o"]
link = ["cc", "-o", "{build}/program", "{objects}"]
gap = 256

[workloads.w]
driver = "command"
shell = true
command = "{build}/program && nm -n {build}/program"
"#;

/// A function of the program, and where it lies.
type Place = (String, u64);

/// Builds and runs the program under a design; its functions in the order of their addresses, for
/// each run.
fn layouts(design: &str) -> (Laboratory, Vec<Vec<Place>>) {
    for (command, package) in [("cc", "gcc"), ("nm", "binutils"), ("objcopy", "binutils")] {
        needs(command, package);
    }
    let laboratory = Laboratory::new();
    laboratory.write(
        "one.c",
        "int two(void), three(void); int one(void) { return 1; }\n\
                               int main(void) { return one() + two() + three() - 6; }\n",
    );
    laboratory.write("two.c", "int two(void) { return 2; }\n");
    laboratory.write("three.c", "int three(void) { return 3; }\n");
    laboratory
        .run(&format!("[design]\nseed = 1\n{design}\n{PROGRAM}"))
        .code(0);
    let runs = laboratory.records().len();
    laboratory.assert_complete(runs);
    let layouts = (1..=runs)
        .map(|run| {
            let symbols = laboratory.read(&format!("result/runs/{run:06}/stdout"));
            let functions = symbols.lines().filter_map(|line| {
                let fields: Vec<&str> = line.split(' ').collect();
                ["one", "two", "three"].contains(fields.last()?).then(|| {
                    (
                        fields[2].to_owned(),
                        u64::from_str_radix(fields[0], 16).unwrap(),
                    )
                })
            });
            functions.collect()
        })
        .collect();
    (laboratory, layouts)
}

fn names(layout: &[Place]) -> Vec<&str> {
    layout.iter().map(|(name, _)| name.as_str()).collect()
}

fn address(layout: &[Place], name: &str) -> u64 {
    layout.iter().find(|(known, _)| known == name).unwrap().1
}

fn column(laboratory: &Laboratory, field: &str) -> Vec<Value> {
    laboratory
        .records()
        .iter()
        .map(|record| record[field].clone())
        .collect()
}

fn builds(laboratory: &Laboratory) -> Vec<String> {
    laboratory
        .read("built")
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn reorder_links_in_another_order_and_says_which() {
    let (laboratory, layouts) = layouts("runs = 8\nblock = 4\nrefresh = 'relink'");
    for (layout, record) in layouts.iter().zip(laboratory.records()) {
        let objects = names(layout).join(".o ");
        assert_eq!(record["layout"], format!("objects shuffled: {objects}.o"));
    }
    let orders: HashSet<_> = layouts.iter().map(|layout| names(layout)).collect();
    assert!(orders.len() > 1, "never another order: {orders:?}");
    assert_eq!(
        builds(&laboratory).len(),
        1,
        "what was compiled once is only relinked"
    );
    assert_eq!(
        column(&laboratory, "unit"),
        (1..=8).map(Value::from).collect::<Vec<_>>()
    );
}

#[test]
fn sort_is_always_the_same() {
    let (laboratory, layouts) = layouts("runs = 3\nrefresh = 'relink'\nlayout = 'sort'");
    for layout in &layouts {
        assert_eq!(layout, &layouts[0]);
        assert_eq!(names(layout), ["one", "three", "two"]);
    }
    assert_eq!(column(&laboratory, "layout"), ["objects sorted"; 3]);
}

#[test]
fn gap_lies_between_the_objects() {
    let (_, sorted) = layouts("runs = 1\nblock = 1\nrefresh = 'relink'\nlayout = 'sort'");
    let (laboratory, spaced) = layouts("runs = 1\nblock = 1\nrefresh = 'relink'\nlayout = 'gap'");
    let distance = |layout: &[Place], from, to| address(layout, to) - address(layout, from);
    for (from, to) in [("one", "three"), ("three", "two")] {
        let more = distance(&spaced[0], from, to) - distance(&sorted[0], from, to);
        // The linker may round up to the alignment of code.
        assert!(
            (256..288).contains(&more),
            "{more} bytes from {from} to {to}"
        );
    }
    assert_eq!(
        column(&laboratory, "layout"),
        ["objects sorted, gaps of 256 B"]
    );
}

#[test]
fn align_gives_each_object_a_page() {
    let (laboratory, layouts) =
        layouts("runs = 1\nblock = 1\nrefresh = 'relink'\nlayout = 'align'");
    for (name, address) in &layouts[0] {
        assert_eq!(address % 4096, 0, "{name} at {address:x}");
    }
    assert_eq!(
        column(&laboratory, "layout"),
        ["objects sorted, each aligned to 4096 B"]
    );
}

#[test]
fn relink_for_each_block_shares_a_layout_within_it() {
    let (laboratory, layouts) =
        layouts("runs = 12\nblock = 3\nrefresh = 'relink'\nrefresh_every = 'block'");
    for block in layouts.chunks(3) {
        assert!(block.iter().all(|layout| layout == &block[0]));
    }
    let orders: HashSet<_> = layouts.iter().map(|layout| names(layout)).collect();
    assert!(orders.len() > 1, "never another order: {orders:?}");
    assert_eq!(
        column(&laboratory, "unit"),
        [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
    );
}

#[test]
fn rebuild_builds_for_each_block_unless_told_otherwise() {
    let (laboratory, _) = layouts("runs = 4\nblock = 2\nrefresh = 'rebuild'");
    assert_eq!(column(&laboratory, "unit"), [1, 1, 2, 2]);
    let seeds = builds(&laboratory);
    assert_eq!(seeds.len(), 2);
    assert_ne!(seeds[0], seeds[1], "builds must be able to differ");
    assert_eq!(
        column(&laboratory, "layout"),
        [Value::Null, Value::Null, Value::Null, Value::Null]
    );

    let (laboratory, _) =
        layouts("runs = 4\nblock = 2\nrefresh = 'rebuild'\nrefresh_every = 'run'");
    assert_eq!(column(&laboratory, "unit"), [1, 2, 3, 4]);
    assert_eq!(builds(&laboratory).iter().collect::<HashSet<_>>().len(), 4);
}

#[test]
fn restart_and_keep_build_once() {
    for (refresh, units) in [("restart", [1, 2, 3, 4]), ("keep", [1, 1, 1, 1])] {
        let (laboratory, layouts) = layouts(&format!("runs = 4\nblock = 2\nrefresh = '{refresh}'"));
        assert_eq!(builds(&laboratory).len(), 1);
        assert!(layouts.iter().all(|layout| layout == &layouts[0]));
        assert_eq!(column(&laboratory, "unit"), units);
    }
}

#[test]
fn restart_starts_a_system_for_each_run_and_keep_only_one() {
    for (refresh, starts, warmups) in [("restart", 4, 8), ("keep", 1, 2)] {
        let laboratory = Laboratory::new();
        laboratory
            .run(&format!(
                "[design]\nruns = 4\nblock = 2\nrefresh = '{refresh}'\nwarmup = 2\n\
                 [variants.a]\nshell = true\nready = {{ line = 'up' }}\n\
                 start = 'echo x >> {{experiment}}/starts; echo up; exec sleep 3600'\n\
                 [workloads.w]\ndriver = 'command'\nshell = true\ncommand = 'echo x >> {{experiment}}/loads'\n"
            ))
            .code(0);
        laboratory.assert_complete(4);
        assert_eq!(
            laboratory.read("starts").lines().count(),
            starts,
            "{refresh}"
        );
        assert_eq!(
            laboratory.read("loads").lines().count(),
            4 + warmups,
            "{refresh}"
        );
        laboratory.assert_nothing_runs();
    }
}

#[test]
fn builds_that_fail_say_why() {
    for (build, status) in [
        ("command = 'echo missing header >&2; exit 1'", "NOBUILD"),
        (
            "command = 'true'\nlink = ['{experiment}/no-such-linker-here', '{objects}']\nobjects = ['exp.toml']",
            "NOBUILD",
        ),
        (
            "objects = ['*.none']\nlink = ['cc', '{objects}']",
            "NOBUILD",
        ),
    ] {
        let laboratory = Laboratory::new();
        laboratory
            .run(&format!(
                "[design]\nruns = 1\nblock = 1\n[variants.a]\nshell = true\n[variants.a.build]\n{build}\n\
                 [workloads.w]\ndriver = 'command'\ncommand = ['touch', '{{experiment}}/ran']\n"
            ))
            .code(4);
        let record = laboratory.record();
        assert_eq!(record["status"], status);
        let detail = record["detail"].as_str().unwrap();
        let known = [
            "missing header",
            "no-such-linker-here",
            "no object file matches",
        ];
        assert!(known.iter().any(|words| detail.contains(words)), "{detail}");
        assert!(!laboratory.path("ran").exists());
    }
}

/// The libraries of a program with two of its own, in the order of `/proc/self/maps`.
fn libraries(maps: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in maps.lines() {
        let name = line.rsplit('/').next().unwrap();
        let known = ["libleft.so", "libright.so", "libc.so.6"].contains(&name);
        if known && !found.iter().any(|library| library == name) {
            found.push(name.to_owned());
        }
    }
    found
}

#[test]
fn relink_without_a_build_maps_libraries_in_another_order() {
    let laboratory = Laboratory::new();
    let directory = laboratory.path("");
    for name in ["left", "right"] {
        laboratory.write("library.c", format!("int {name}(void) {{ return 0; }}\n"));
        let output = format!("lib{name}.so");
        needs("cc", "gcc");
        tool(
            &["cc", "-shared", "-fPIC", "-o", &output, "library.c"],
            &directory,
        );
    }
    laboratory.write(
        "program.c",
        "#include <stdio.h>\nint left(void), right(void);\n\
         int main(void) {\n\
             int c;\n\
             FILE *maps = fopen(\"/proc/self/maps\", \"r\");\n\
             while ((c = getc(maps)) != EOF) putchar(c);\n\
             return left() + right();\n\
         }\n",
    );
    let link = "-Wl,-rpath,$ORIGIN";
    tool(
        &[
            "cc",
            "-o",
            "program",
            "program.c",
            "-L.",
            link,
            "-lleft",
            "-lright",
        ],
        &directory,
    );

    // A relative path begins in the working directory of the workload.
    fs::create_dir(laboratory.path("inner")).unwrap();
    for name in ["program", "libleft.so", "libright.so"] {
        let inner = laboratory.path("inner").join(name);
        fs::rename(laboratory.path(name), inner).unwrap();
    }
    laboratory
        .run(
            "[design]\nruns = 9\nseed = 1\nrefresh = 'relink'\n[variants.a]\n\
             [workloads.w]\ndriver = 'command'\ndirectory = '{experiment}/inner'\ncommand = ['./program']\n",
        )
        .code(0);
    laboratory.assert_complete(9);
    let mut orders = HashSet::new();
    for record in laboratory.records() {
        let run = record["run"].as_u64().unwrap();
        let mut order = libraries(
            &fs::read_to_string(laboratory.path(&format!("result/runs/{run:06}/stdout"))).unwrap(),
        );
        // The loader maps from high addresses to low ones.
        order.reverse();
        assert_eq!(
            record["layout"],
            format!("libraries mapped as {}", order.join(" "))
        );
        orders.insert(order);
    }
    assert!(orders.len() > 1, "never another order: {orders:?}");
}
