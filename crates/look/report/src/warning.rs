//! Warnings of a comparison as a whole, in words.

use std::path::Path;

use perflab_compare::{
    Comparison, CpuLimit, FewProcesses, LoadShare, NoReference, NotTogether, ReferenceDifference,
    Row, SubjectKey, Warning, tail_name,
};
use perflab_experiment::{LeftOut, counted};

use crate::command::operand;
use crate::difference::{Estimate, percent};
use crate::drift;
use crate::named::first_of;
use crate::number::value_with_unit;
use crate::sections::subject_label;
use crate::stopping::resume;

/// The warnings of the comparison as a whole.
pub fn report_warnings(report: &Comparison) -> Vec<String> {
    let all = report.warnings.iter();
    all.map(|warning| of_report(warning, report)).collect()
}

/// What has no row: left out, measured on one side only, or in runs that failed.
pub fn left_out(report: &Comparison) -> Vec<String> {
    let warnings = report.warnings.iter().filter(|warning| {
        matches!(
            warning.of_any_result(),
            Warning::LeftOut(_)
                | Warning::OneSided { .. }
                | Warning::Unpaired { .. }
                | Warning::Failed { .. }
        )
    });
    warnings.map(|warning| of_report(warning, report)).collect()
}

/// Cells that were left out for the same reason.
pub fn not_measured(alike: &[LeftOut]) -> String {
    let ids = alike.iter().map(|own| own.cell.id.clone());
    let reason = alike.first().map_or("", |own| &own.reason);
    format!("not measured here: {}: {reason}", first_of(ids))
}

/// What looking on has cost a variant.
fn observed(observers: &str, row: &Row) -> String {
    let label = match row.key.benchmark.as_deref() {
        Some(benchmarks) => format!("{} of {} ({benchmarks})", row.key.metric.name, row.variant),
        None => format!("{} of {}", row.key.metric.name, row.variant),
    };
    let typical = Estimate::from(&row.typical).text(row);
    let what = match row.typical.verdict {
        verdict if verdict.is_difference() => "changed by",
        _ => "not proven to change:",
    };
    format!(
        "observed runs ({observers}) are not part of the verdicts; in them {label} is {what} {typical}, against {} \
         unobserved and {} observed in the same blocks",
        counted(row.base.n, "run"),
        row.candidate.n
    )
}

fn of_report(warning: &Warning, report: &Comparison) -> String {
    match warning {
        Warning::MachineDrifted {
            subject,
            level,
            relative,
            others,
        } => drift::machine(subject, level, *relative, *others, report),
        Warning::LeftOut(alike) => not_measured(alike),
        Warning::OneSided {
            measured,
            missing,
            subjects,
        } => one_sided(measured, missing, subjects),
        Warning::Unpaired { result, variants } => format!(
            "not compared: {result} alone has runs of {}",
            variants.join(", ")
        ),
        Warning::Failed {
            variant,
            failed,
            runs,
            first,
        } => {
            let first = match first {
                Some(first) => format!("; the first: {first}"),
                None => String::new(),
            };
            let runs = counted(*runs, "run");
            format!("{failed} of {runs} of {variant} failed and count for nothing{first}")
        }
        Warning::Observed { observers, row } => observed(observers, row),
        Warning::ObservedOnly => {
            "these metrics were measured in observed runs only, so looking on is part of all values"
                .to_owned()
        }
        Warning::EventsLost { runs, observed } => format!(
            "{runs} of {} lost events of probes and {} no hits, so hits are compared of the others only, which may \
             have had fewer: name fewer probes in [observe], or give them more `ring`",
            counted(*observed, "observed run"),
            if *runs == 1 { "has" } else { "have" }
        ),
        Warning::BusyInTurns { variant, share } => format!(
            "the systems of {variant} took {:.1}% of a CPU while others had their turn: what they do then slows \
             those down; have them wait without working",
            share * 100.0
        ),
        Warning::OutOfTurns { runs, of } => format!(
            "{runs} of {} took turns with fewer variants than planned: another one failed, or the laboratory was \
             stopped between the records of a block",
            counted(*of, "run")
        ),
        Warning::PlacesDiffer {
            fastest,
            slowest,
            difference,
        } => format!(
            "the variants were {:.1}% faster at place {fastest} than at place {slowest}; as each was at both equally often, \
             the comparison does not show it",
            difference * 100.0
        ),
        Warning::SlicedQuantiles(workload) => format!(
            "{workload}: percentiles of runs in slices are means of the slices' percentiles: estimates"
        ),
        Warning::SystemsKept => {
            "each system was started once and kept: the verdicts are about these processes, and \
             another start of the same programs may differ"
                .to_owned()
        }
        Warning::Stolen(share) => format!(
            "the hypervisor took {:.1}% of the machine's time while runs were measured",
            share * 100.0
        ),
        Warning::Tool { workload, caution } => format!("{workload}: {caution}"),
        Warning::Steps {
            metric,
            step,
            relative,
        } => {
            let step = match relative {
                true => percent(*step).trim_start_matches('+').to_owned(),
                false => value_with_unit(*step, &metric.unit),
            };
            format!(
                "values of {} lie in steps of {step}, which intervals and verdicts allow for: make runs longer, or \
                 measure in finer steps",
                metric.name
            )
        }
        Warning::WithoutUnit => {
            "these are whole numbers that repeat and have no unit, and count as exact: if a clock \
             or a tool has rounded them, give their unit (--unit ms)"
                .to_owned()
        }
        Warning::PartlyRecorded { recorded, planned } => format!(
            "{recorded} of {} recorded; `{}` makes the rest",
            counted(*planned, "planned run"),
            resume(report)
        ),
        Warning::ImportedOrder => {
            "these runs were imported, and nothing is known of their order: if they were not \
             interleaved, whatever changed meanwhile on the machine counts as a difference"
                .to_owned()
        }
        Warning::ImportedIndependent => {
            "imported with --independent: values that one process made count as runs, though what \
             changes from process to process is in none of them"
                .to_owned()
        }
        Warning::FewProcesses {
            variant,
            processes,
            values,
            consequence,
        } => few_processes(variant, *processes, *values, *consequence),
        Warning::NoQuantile(quantile) => format!(
            "no run has several samples of what is compared, so there is no quantile {quantile} of a run"
        ),
        Warning::ShortRuns {
            quantile,
            found,
            needed,
        } => format!(
            "{}: a run has only {}; below {needed} its own samples set no bound to \
             this quantile, which is then little else than the extreme of the run",
            tail_name("quantile", *quantile),
            counted(*found, "sample")
        ),
        Warning::NoLatencies(error) => format!("no latencies beside the throughput: {error}"),
        Warning::LoadSaturated {
            label,
            variant,
            used,
            limit,
        } => format!(
            "the load generator of {label} used {:.0}% of {} against {variant}: it \
             was the bottleneck, and the system may be faster than it could show",
            100.0 * used,
            cpu_limit(*limit)
        ),
        Warning::LoadShares(shares) => {
            let one = |share: &LoadShare| {
                let LoadShare {
                    label,
                    variant,
                    share,
                } = share;
                format!("{:.0}% for {label} against {variant}", 100.0 * share)
            };
            format!(
                "the load generator shares CPUs with the system and took more of their time: of \
                 what both used {}; that does not depend on the system, so differences of systems \
                 show smaller than they are",
                shares.iter().map(one).collect::<Vec<_>>().join(", ")
            )
        }
        Warning::NotTogether(how) => not_together(how),
        Warning::NoVerdict {
            variants,
            directory,
            other,
        } => {
            let add = match variants.len() {
                1 => format!("add the variant of {other} under another name"),
                _ => format!("add the variants of {other} under other names"),
            };
            format!(
                "no verdict on {}; to get one, measure both together: copy {} to both.toml in the directory of the \
                 original experiment file, as its paths begin there; {add}; then, with the path of both.toml: perflab \
                 run both.toml",
                variants.join(", "),
                operand(Path::new(directory).join("experiment.toml")),
            )
        }
        Warning::OfResult(name, warning) => format!("{name}: {}", of_report(warning, report)),
        Warning::Directory(notice) => notice.to_string(),
        Warning::Remark(text) => text.clone(),
    }
}

fn one_sided(measured: &str, missing: &str, subjects: &[SubjectKey]) -> String {
    let named = subjects.iter().map(|subject| {
        let label = subject_label(subject);
        let unit = match subject.metric.unit.as_str() {
            "" => String::new(),
            unit => format!(" in {unit}"),
        };
        format!("{label} {}{unit}", subject.metric.name)
    });
    let named = first_of(named);
    format!(
        "not compared: {named}: {measured} has runs of it, {missing} has none; measure both with the same \
         benchmark, metric and unit"
    )
}

fn few_processes(
    variant: &str,
    processes: usize,
    values: usize,
    consequence: FewProcesses,
) -> String {
    let of = counted(processes, "process");
    let count = match values > processes {
        true => format!("{variant}: {values} values come from {of} and count as {processes}"),
        false => format!("{variant}: only {of}"),
    };
    let (consequence, least) = match consequence {
        FewProcesses::Count => return count,
        FewProcesses::HardlyKnown(least) => (
            "how much another process would differ is hardly known",
            least,
        ),
        FewProcesses::Unknown(least) => (
            "how much another process would differ is not known, so nothing can be proven",
            least,
        ),
        FewProcesses::NothingTypical(least) => ("nothing can be proven of the typical run", least),
    };
    format!("{count}: {consequence}; measure in at least {least} processes, better 10")
}

fn cpu_limit(limit: CpuLimit) -> String {
    match limit {
        CpuLimit::Threads(threads) => format!("the time of its {}", counted(threads, "thread")),
        CpuLimit::Pinned(cpus) => format!("its {}", counted(cpus, "CPU")),
        CpuLimit::Machine(cpus) => format!("the machine's {}", counted(cpus, "CPU")),
    }
}

fn not_together(how: &NotTogether) -> String {
    let machine = "the two results were not measured together: a change may come from the machine";
    match how {
        NotTogether::NothingShared(reference) => format!(
            "{machine}; they share nothing that \
             could be divided by {reference}"
        ),
        NotTogether::Divided { reference, alone } => {
            let left_out = match alone {
                0 => String::new(),
                1 => " 1 run without such a partner was left out.".to_owned(),
                _ => format!(" {alone} runs without such a partner were left out."),
            };
            format!(
                "{machine}. In the rows \
                 `/ {reference}` each run is divided by a run of {reference} from the same block (the first by the \
                 first, and so on).{left_out} Verdicts on these quotients hold if the machine \
                 changed both by the same factor"
            )
        }
        NotTogether::NoReference(why) => format!("{machine}; {}", no_reference(why)),
    }
}

fn no_reference(why: &NoReference) -> String {
    match why {
        NoReference::UntilDecided(name) => format!(
            "{name} was measured until it was decided, so nothing can be divided out: this takes a number \
             of runs that does not depend on the results"
        ),
        NoReference::NoneShared => {
            "the two share no baseline and no control whose own change could be divided out"
                .to_owned()
        }
        NoReference::Changed {
            variant,
            difference,
        } => {
            let what = match difference {
                ReferenceDifference::Machine => "it was not measured on the same machine",
                ReferenceDifference::Start => "it is not started in the same way in both",
                ReferenceDifference::Built => {
                    "the experiment builds it, from sources that may have changed"
                }
                ReferenceDifference::Workloads => "the workloads are not the same in both",
                ReferenceDifference::Programs => "its programs are not the same in both",
                ReferenceDifference::UnknownPrograms => "which programs it ran is not known",
            };
            format!("the change of {variant} cannot be divided out: {what}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_proven_of_few_processes_is_said_and_no_more() {
        let said = |processes, values, what| few_processes("old", processes, values, what);
        assert!(said(1, 30, FewProcesses::Unknown(4)).contains("nothing can be proven;"));
        let three = said(3, 30, FewProcesses::NothingTypical(4));
        assert!(three.contains("nothing can be proven of the typical run"));
        assert!(said(3, 3, FewProcesses::HardlyKnown(4)).contains("only 3 processes: how much"));
        assert_eq!(
            said(10, 30, FewProcesses::Count),
            "old: 30 values come from 10 processes and count as 10"
        );
    }
}
