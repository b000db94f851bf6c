//! What builds say of revisions: how long they took, and how large the programs are.

use indexmap::IndexMap;
use perflab_compare::SubjectKey;
use perflab_experiment::{Better, Metric};

use crate::builds::{BuildFacts, ProgramFacts};
use crate::series::{Seen, Series, Value};

/// A figure of a program, where it is known.
type OfProgram = fn(&ProgramFacts) -> Option<f64>;

/// The series of builds: their time, and for each program its size and that of its code. Nothing where the build of the
/// control is not known, as differences are from it. A time is that of one build, so it has no interval.
pub(crate) fn built_series(revisions: &[Seen], control: Option<usize>) -> Vec<Series> {
    let of_control = control.and_then(|place| revisions.get(place)?.build.as_ref());
    let Some(of_control) = of_control else {
        return Vec::new();
    };
    let time = |facts: &BuildFacts| Some(facts.build_seconds()).filter(|seconds| *seconds > 0.0);
    let mut series = Vec::new();
    series.extend(one(
        revisions,
        control,
        None,
        Metric::new("time", "s", Better::Lower),
        of_control,
        time,
    ));
    for program in &of_control.programs {
        let path = &program.path;
        let own = |facts: &BuildFacts, value: OfProgram| {
            let program = facts.programs.iter().find(|program| program.path == *path);
            program.and_then(value)
        };
        let sizes: [(&str, OfProgram); 2] = [
            ("size", |program| Some(program.bytes as f64)),
            ("code", |program| {
                program.code_bytes.map(|bytes| bytes as f64)
            }),
        ];
        for (name, value) in sizes {
            let metric = Metric::new(name, "bytes", Better::Lower);
            let of = |facts: &BuildFacts| own(facts, value);
            series.extend(one(revisions, control, Some(path), metric, of_control, of));
        }
    }
    series
}

fn one(
    revisions: &[Seen],
    control: Option<usize>,
    program: Option<&String>,
    metric: Metric,
    of_control: &BuildFacts,
    value: impl Fn(&BuildFacts) -> Option<f64>,
) -> Option<Series> {
    let base = value(of_control).filter(|base| *base > 0.0)?;
    let others = revisions
        .iter()
        .enumerate()
        .filter(|(place, _)| Some(*place) != control);
    let values = others.filter_map(|(place, seen)| {
        let build = seen.build.as_ref().filter(|build| build.status.passed())?;
        Some(Value {
            place,
            difference: value(build)? / base - 1.0,
            low: None,
            high: None,
            runs: 1,
            campaign: None,
            steady_control: None,
        })
    });
    let values: Vec<Value> = values.collect();
    (!values.is_empty()).then(|| Series {
        subject: SubjectKey {
            workload: "build".to_owned(),
            parameters: IndexMap::new(),
            benchmark: program.cloned(),
            metric,
            observed: false,
        },
        is_of_builds: true,
        relative: true,
        control: base,
        values,
    })
}
