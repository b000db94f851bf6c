//! Filters that programs have from their start.

use std::process::Command;

use perflab_control::{FilterMode, variable};

use super::WAYS;
use crate::support::Program;
use crate::support::cargo::{Build, RELEASE, STATIC, built};
use crate::support::compile::compile;
use crate::support::filter::{filter, hits};

#[test]
fn from_the_start_in_both_languages() {
    let directory = tempfile::tempdir().unwrap();
    let wide = directory.path().join("wide");
    compile("gcc", &["-O2"], &["wide.c"], &wide);
    let rust = built(Build {
        package: "wide",
        ..RELEASE
    });
    // Of 20 rounds.
    let cases = [
        ("integers", "v10 >= 15 && v59 < 75", 11),
        ("most", "a4 == -1 && b3 == 2 && e2 >= 5 && o4 == \"*r\"", 15),
        ("most", "j2 == 1.5 && k4 == 2.5 && r4 == 1", 10),
        ("most", "l3 == 1 && q1[1] != 0", 10),
        ("texts", "t11 == \"h*r\" && t59 != t11", 20),
        ("thirteen", "v22 == 30", 1),
    ];
    for (way, mode) in WAYS {
        for program in [&wide, &rust] {
            for (probe, expression, expected) in cases {
                let mut command = Command::new(program);
                let command = command
                    .env("PERFLAB_PROBES", "sites:*")
                    .env(variable::WHEN, filter(expression).hexadecimal())
                    .env(variable::FILTERS, way);
                let mut program = Program::start(command);
                program.said();
                let (sites, problems) = program.ask().list(&format!("sites:{probe}")).unwrap();
                assert_eq!(problems.how, "");
                let found = hits(&sites, |_| true);
                assert_eq!(found, expected, "{way} {probe} {expression}");
                let filter = sites[0].filter.as_ref().unwrap();
                assert_eq!(filter.mode, mode, "{filter:?}");
                program.ends();
            }
        }
    }
}

#[test]
fn a_program_without_shared_objects() {
    let mut command = Command::new(built(STATIC));
    let command = command.env("PERFLAB_PROBES", "sites:text").env(
        variable::WHEN,
        filter("number >= 990 && whole == \"t*\" && part == whole").hexadecimal(),
    );
    let mut program = Program::start_alone(command);
    program.said();
    let (sites, _) = program.ask().list("sites:text").unwrap();
    assert_eq!(hits(&sites, |_| true), 10);
    assert_eq!(
        sites[0].filter.as_ref().unwrap().mode,
        FilterMode::Native,
        "{sites:?}"
    );
    program.ends();
}

/// Nothing is counted by a filter that cannot be read.
#[test]
fn a_variable_that_is_no_filter() {
    for (value, expected) in [
        ("0", "PERFLAB_WHEN"),
        ("01", "it ends within a field"),
        ("ff", "its filter is of version 255"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("wide");
        compile("gcc", &["-O2"], &["wide.c"], &path);
        let mut command = Command::new(path);
        let command = command
            .env("PERFLAB_PROBES", "sites:*")
            .env(variable::WHEN, value);
        let mut program = Program::start(command);
        program.said();
        let (sites, problems) = program.ask().list("*").unwrap();
        assert!(problems.how.contains(expected), "{problems:?}");
        assert!(sites.iter().all(|site| !site.on && site.hits == 0));
        program.ends();
    }
}
