//! What a reader should know before believing a comparison as a whole, as values. The words are found where it is shown.

use perflab_experiment::{LeftOut, Metric};
use perflab_store::Notice;

use crate::error::AnalysisError;
use crate::row::Row;
use crate::subject::SubjectKey;
use crate::trend::Trend;

/// A reason to be careful with all rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Warning {
    /// The baseline's level drifted from the first block to the last, and a candidate's with it.
    MachineDrifted {
        /// Where it shows most.
        subject: Box<SubjectKey>,
        /// The baseline's level there.
        level: Box<Trend>,
        /// Whether its change is relative.
        relative: bool,
        /// Further subjects in which it shows.
        others: usize,
    },
    /// Cells that could not be measured where the experiment was executed, all for the same reason.
    LeftOut(Vec<LeftOut>),
    /// Subjects that only one of two variants has runs of, so that they are not compared.
    OneSided {
        /// The variant that has runs there.
        measured: String,
        /// The variant without runs there, though it has runs of other subjects of the same cell.
        missing: String,
        /// What was measured.
        subjects: Vec<SubjectKey>,
    },
    /// Variants that only one of two results has runs of.
    Unpaired {
        /// The name of the result.
        result: String,
        /// The variants.
        variants: Vec<String>,
    },
    /// Runs that failed.
    Failed {
        /// The variant.
        variant: String,
        /// How many.
        failed: usize,
        /// Of how many.
        runs: usize,
        /// Why the first of them failed; absent where no record says why.
        first: Option<String>,
    },
    /// What looking on has cost a variant.
    Observed {
        /// What looked on.
        observers: String,
        /// Its observed runs as the candidate, its others as the baseline.
        row: Box<Row>,
    },
    /// Only observed runs have what is compared.
    ObservedOnly,
    /// Observed runs that lost events of probes, so that their hits are not known.
    EventsLost {
        /// How many.
        runs: usize,
        /// Of how many.
        observed: usize,
    },
    /// The systems of a variant were at work while others had their turn.
    BusyInTurns {
        /// The variant.
        variant: String,
        /// CPU time that they took of those turns, as a share.
        share: f64,
    },
    /// Runs in slices that took turns with fewer runs than the plan wants.
    OutOfTurns {
        /// How many.
        runs: usize,
        /// Of how many.
        of: usize,
    },
    /// Variants were executed at the same time, at places of which one is faster than another.
    PlacesDiffer {
        /// The fastest place, from 1.
        fastest: u32,
        /// The slowest one.
        slowest: u32,
        /// By how much the work of the same variants was faster there, as a share.
        difference: f64,
    },
    /// Percentiles of a workload in slices are compared, which are estimates.
    SlicedQuantiles(String),
    /// Systems were started once and kept.
    SystemsKept,
    /// The mean share of the machine's time that the hypervisor took during runs, from 0 to 1.
    Stolen(f64),
    /// What a driver says of its tool with these arguments.
    Tool {
        /// The workload.
        workload: String,
        /// What it says.
        caution: String,
    },
    /// Values of a metric lie in steps that are not small beside how the runs scatter.
    Steps {
        /// The metric.
        metric: Metric,
        /// The widest of its steps: relative, or in its unit where differences are absolute.
        step: f64,
        /// Which of both.
        relative: bool,
    },
    /// Values without a unit that are whole and repeat count as exact.
    WithoutUnit,
    /// Runs of the plan are missing.
    PartlyRecorded {
        /// Runs there are.
        recorded: usize,
        /// Runs in the plan.
        planned: usize,
    },
    /// Imported runs, of whose order nothing is known.
    ImportedOrder,
    /// Values of one process were imported as if each were a run.
    ImportedIndependent,
    /// A variant of an import comes from few processes.
    FewProcesses {
        /// The variant.
        variant: String,
        /// Processes.
        processes: usize,
        /// The values that they made.
        values: usize,
        /// What follows.
        consequence: FewProcesses,
    },
    /// No run has several samples, so that it has no such quantile, from 0 to 1.
    NoQuantile(f64),
    /// A quantile of runs that have too few samples for it.
    ShortRuns {
        /// The quantile, from 0 to 1.
        quantile: f64,
        /// Samples of the run with the fewest.
        found: usize,
        /// Samples from which on they set a bound to it.
        needed: usize,
    },
    /// Latencies of the same runs cannot be shown.
    NoLatencies(AnalysisError),
    /// The load generator used all the CPU time that it could.
    LoadSaturated {
        /// The workload with its parameters.
        label: String,
        /// The variant.
        variant: String,
        /// Its median share of the CPU time within its reach, from 0 to 1.
        used: f64,
        /// What it could use.
        limit: CpuLimit,
    },
    /// The load generator shares CPUs with the system, and took more of their time.
    LoadShares(Vec<LoadShare>),
    /// Two results that were not measured together.
    NotTogether(NotTogether),
    /// Variants of two results on which there is no verdict.
    NoVerdict {
        /// The variants.
        variants: Vec<String>,
        /// The directory of the first result.
        directory: String,
        /// The name of the second.
        other: String,
    },
    /// A warning of one of several results.
    OfResult(String, Box<Warning>),
    /// What is known of the directory of the result.
    Directory(Notice),
    /// A sentence of the caller.
    Remark(String),
}

impl Warning {
    /// The warning itself, where it is one of several results.
    pub fn of_any_result(&self) -> &Self {
        match self {
            Self::OfResult(_, warning) => warning.of_any_result(),
            other => other,
        }
    }
}

/// What few processes allow one to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FewProcesses {
    /// They are enough, but the values are more than them.
    Count,
    /// How much another process would differ is hardly known; there should be as many as this.
    HardlyKnown(usize),
    /// There is one process only, so how much another would differ is unknown, and nothing can be proven.
    Unknown(usize),
    /// Nothing can be proven of the typical run.
    NothingTypical(usize),
}

/// CPUs or threads that bound what a load generator can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuLimit {
    /// It has so many threads.
    Threads(usize),
    /// It is pinned to so many CPUs.
    Pinned(usize),
    /// The machine has so many CPUs.
    Machine(usize),
}

/// The load generator's part of the CPU time that it and the system used.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadShare {
    /// The workload with its parameters.
    pub label: String,
    /// The variant.
    pub variant: String,
    /// The share, from 0.5 to 1.
    pub share: f64,
}

/// How far two results that were not measured together can be compared all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotTogether {
    /// They have a reference, and share nothing that could be divided by it.
    NothingShared(String),
    /// Runs are divided by those of the reference.
    Divided {
        /// The reference.
        reference: String,
        /// Runs that had no partner, and are left out.
        alone: usize,
    },
    /// There is no reference.
    NoReference(NoReference),
}

/// Why no change can be divided out of two results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoReference {
    /// The result of this name was measured until it was decided.
    UntilDecided(String),
    /// They share no baseline and no control.
    NoneShared,
    /// The variant of this name is perhaps not the same in both.
    Changed {
        /// The variant.
        variant: String,
        /// What differs, or is not known.
        difference: ReferenceDifference,
    },
}

/// Why a variant of one name is perhaps not the same in two results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceDifference {
    /// It was not measured on the same machine.
    Machine,
    /// It is not started in the same way.
    Start,
    /// The experiment builds it, from sources that may have changed.
    Built,
    /// The workloads differ.
    Workloads,
    /// Its programs differ.
    Programs,
    /// Which programs it ran is not known.
    UnknownPrograms,
}
