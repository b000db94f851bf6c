//! What perflab says of filters that fit some places of a probe only, and of those that are no programs.

use std::fs;
use std::process::Command;

use crate::life::{Place, printed, text};

/// A program with a probe that has three places, of which one has a text where the others have numbers.
fn places(place: &Place) -> String {
    let content = "#include <perflab/probe.h>\n\
        int main(void) {\n\
            PERFLAB_PROBE(mx, e, (i64, v, 200));\n\
            PERFLAB_PROBE(mx, e, (f64, v, 200.5));\n\
            PERFLAB_PROBE(mx, e, (cstr, v, \"text\"));\n\
            PERFLAB_PROBE(mx, same, (i64, v, 1));\n\
            PERFLAB_PROBE(mx, same, (i64, v, 2), (i64, w, 2));\n\
            return 0;\n\
        }\n";
    place.compile_text("places", content)
}

#[test]
fn places_with_other_arguments_are_told_apart() {
    let place = Place::new();
    let program = places(&place);
    let source = format!("{program}.c");
    let found = printed(&place.filter(&["check", "v > 100", "*", &program]));
    let space = " ".repeat(format!(" at {source}:3").len() - " same".len() + " e".len());
    let expected = format!(
        "{program}
  mx:e at {source}:3  filtered by v (integer)
  mx:e at {source}:4  filtered by v (double)
  mx:e at {source}:5  never recorded: `v`, a text, cannot be compared with an integer
  mx:same{space}  filtered by v (integer)
"
    );
    assert_eq!(found, expected);
}

/// The types of one place are no reason as long as no place has the name.
#[test]
fn a_name_that_no_place_has_comes_first() {
    let place = Place::new();
    let program = places(&place);
    for pattern in ["mx:e", "*"] {
        let output = place.filter(&["check", "v > 4 || zz == 1", pattern, &program]);
        let said = text(&output.stderr);
        assert!(
            said.starts_with("error: no argument is called `zz`: "),
            "{said}"
        );
        assert_eq!(output.status.code(), Some(2), "{said}");
    }
}

#[test]
fn places_that_are_not_recorded_are_counted() {
    let place = Place::new();
    let program = places(&place);
    let (some, all) = (place.file("some"), place.file("all"));
    let when = ["--when", "v > 100"];
    let reason = "an argument that the filter names is missing there, or has another type\n";
    let record = ["record", "mx:e", "-o"];
    let words = [&record[..], &[&some], &when, &["--", &program]].concat();
    let output = place.trace(&words);
    assert_eq!(
        text(&output.stderr),
        format!("no event of mx:e at 1 of 3 places is accepted: {reason}")
    );
    let shown = printed(&place.trace(&["view", &some]));
    assert_eq!(shown.lines().count(), 3, "{shown}");
    printed(&place.trace(&[&record[..], &[&all, "--", &program]].concat()));
    let output = place.trace(&[&["view", &all], &when[..]].concat());
    assert_eq!(
        text(&output.stderr),
        format!("no event of mx:e at 1 of 3 places is shown: {reason}")
    );
    assert_eq!(printed(&output).lines().count(), 3);
}

/// Compiles a program, and with `PLUGIN` the library that it loads.
fn host(place: &Place, content: &str) -> [String; 2] {
    perflab_testing::needs("gcc", "gcc");
    let [source, program, library] = ["host.c", "host", "plugin.so"].map(|name| place.file(name));
    fs::write(&source, content).unwrap();
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/probe/include");
    for (words, to) in [
        (&["-DPLUGIN", "-shared", "-fPIC"][..], &library),
        (&[], &program),
    ] {
        let mut gcc = Command::new("gcc");
        gcc.args(["-O2", "-I", include, "-o", to, &source])
            .args(words);
        printed(&gcc.output().unwrap());
    }
    [program, library]
}

/// Its places get filters each time, though together they would be more than can have one.
#[test]
fn a_large_library_that_is_loaded_again_and_again() {
    let place = Place::new();
    let content = "#include <perflab/probe.h>\n\
        #include <dlfcn.h>\n\
        #include <unistd.h>\n\
        #define ONE PERFLAB_PROBE(plugin, called, (i32, x, x));\n\
        #define FIVE ONE ONE ONE ONE ONE\n\
        #define FIFTY FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE\n\
        #define THOUSAND FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY \\\n\
            FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY\n\
        void plugin(int x);\n\
        #ifdef PLUGIN\n\
        void plugin(int x) {\n\
            THOUSAND FIFTY FIFTY FIFTY FIFTY\n\
        }\n\
        #else\n\
        int main(int count, char **words) {\n\
            PERFLAB_PROBE(host, begun, (i32, x, count));\n\
            for (int i = 0; i < 4; i++) {\n\
                void *library = dlopen(words[1], RTLD_NOW);\n\
                void (*plugin)(int) = (void (*)(int))dlsym(library, \"plugin\");\n\
                usleep(700000);\n\
                plugin(i);\n\
                dlclose(library);\n\
            }\n\
            return 0;\n\
        }\n\
        #endif\n";
    let [program, library] = host(&place, content);
    let trace = place.file("trace");
    let words = [
        "record", "plugin:*", "-o", &trace, "--when", "x >= 0", "--", &program, &library,
    ];
    let said = printed(&place.trace(&words));
    assert!(said.starts_with("4800 events of 1 process in "), "{said}");
}

/// Its probes are unknown when the filter is checked, so a name may be that of one of their arguments.
#[test]
fn a_library_that_is_loaded_later() {
    let place = Place::new();
    let content = "#include <perflab/probe.h>\n\
        #include <dlfcn.h>\n\
        #include <unistd.h>\n\
        int plugin(int x);\n\
        #ifdef PLUGIN\n\
        int plugin(int x) {\n\
            PERFLAB_PROBE(plugin, called, (i32, length, x));\n\
            return x;\n\
        }\n\
        #else\n\
        int main(int count, char **words) {\n\
            PERFLAB_PROBE(host, begun, (i32, x, count));\n\
            int (*plugin)(int) = (int (*)(int))dlsym(dlopen(words[1], RTLD_NOW), \"plugin\");\n\
            usleep(300000);\n\
            return plugin(1) + plugin(10) - 11;\n\
        }\n\
        #endif\n";
    let [program, library] = host(&place, content);
    let trace = place.file("trace");
    let record = |probes| {
        let words = ["record", probes, "-o", &trace, "--when", "length > 5", "--"];
        place.trace(&[&words[..], &[&program, &library]].concat())
    };
    let output = record("*");
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    let hint = "  length > 5\n  ^^^^^^\nonly probes that are there now were looked at; name those of a library that is \
                loaded later as well, such as '*,PROVIDER:*'\n";
    assert!(said.ends_with(hint), "{said}");
    let output = record("*,plugin:*");
    assert!(text(&output.stderr).starts_with("no event of host:begun is accepted: "));
    printed(&output);
    let shown = printed(&place.trace(&["view", &trace]));
    assert!(
        shown.lines().count() == 2 && shown.ends_with("plugin:called length=10\n"),
        "{shown}"
    );
}

#[test]
fn a_program_whose_values_have_no_names() {
    let place = Place::new();
    let objects = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/filter/tests/objects");
    let mut content = fs::read(format!("{objects}/big_sets.o")).unwrap();
    let name = b"text name\n";
    let mut parts = content.windows(name.len());
    let at = parts.position(|part| part == name).unwrap();
    content[at + 7] = b' ';
    let object = place.file("bad.o");
    fs::write(&object, content).unwrap();
    let output = place.filter(&["dump", "--object", &object]);
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(
        text(&output.stderr),
        format!(
            "error: {object} cannot be used as a filter: the name of a value is empty, too long, or has characters \
             other than letters, digits and `_$.:` (rule V1, size)\n"
        )
    );
}
