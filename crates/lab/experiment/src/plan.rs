//! The plan: every run of an experiment, in the random order in which they are executed.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::Cell;
use crate::design::Lifetime;
use crate::draw::Draw;
use crate::file::Experiment;
use crate::left_out::LeftOut;
use crate::variant::Variant;

/// Version of the plan's format.
const SCHEMA: u32 = 1;

/// Separates the stream of draws from all others that the same seed may feed.
const PURPOSE: &[u8] = b"perflab plan 1";

/// Every run of an experiment, in order of execution.
///
/// Blocks come one after another. Within a block, the groups of cells that are compared with each
/// other (same workload, same parameter values) come in random order, and within a group the runs
/// of all variants are shuffled together. More runs with the same seed only add blocks at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "PlanTable")]
#[schemars(!try_from)]
pub struct Plan {
    /// Version of this format: 1.
    pub schema: u32,
    /// What the order was drawn from.
    pub seed: u64,
    /// The cells, referred to by position.
    pub cells: Vec<Cell>,
    /// The runs, in order of execution.
    pub runs: Vec<PlannedRun>,
    /// The cells that cannot be measured where the experiment is executed, and have no run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// One execution of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedRun {
    /// Position in the order of execution, from 1.
    pub run: u32,
    /// The block, from 1.
    pub block: u32,
    /// Index in the plan's cells, from 0.
    pub cell: usize,
    /// Seed of the random choices within this run.
    pub seed: u64,
    /// The instance of the variant that serves this run, from 1 for each variant. Runs of a variant
    /// with the same unit share a build, its layout and a running system, as far as the design's
    /// refresh keeps them.
    pub unit: u32,
    /// Whether it is observed. Such a run says nothing of the workload alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub observed: bool,
}

/// [`Plan`] before its references are checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanTable {
    schema: u32,
    seed: u64,
    cells: Vec<Cell>,
    runs: Vec<PlannedRun>,
    #[serde(default)]
    left_out: Vec<LeftOut>,
}

/// Why a stored plan cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The plan has another format.
    #[error(
        "the plan has schema {0}, this version reads schema {SCHEMA}; use the version that wrote it"
    )]
    Schema(u32),
    /// The runs are not numbered from 1 on.
    #[error(
        "run {expected} was expected in the plan, found run {found}; the file was changed by hand or damaged"
    )]
    Order {
        /// The number that was to come.
        expected: u64,
        /// The number that came.
        found: u32,
    },
    /// A run refers to a cell that does not exist.
    #[error(
        "run {run} of the plan is of cell {cell}, but there are only {cells} cells (from 0); the file was changed by hand or damaged"
    )]
    Cell {
        /// The run's number.
        run: u32,
        /// The cell it refers to.
        cell: usize,
        /// Number of cells.
        cells: usize,
    },
}

impl TryFrom<PlanTable> for Plan {
    type Error = PlanError;

    fn try_from(table: PlanTable) -> Result<Self, PlanError> {
        if table.schema != SCHEMA {
            return Err(PlanError::Schema(table.schema));
        }
        for (expected, run) in (1..).zip(&table.runs) {
            if u64::from(run.run) != expected {
                return Err(PlanError::Order {
                    expected,
                    found: run.run,
                });
            }
            if run.cell >= table.cells.len() {
                return Err(PlanError::Cell {
                    run: run.run,
                    cell: run.cell,
                    cells: table.cells.len(),
                });
            }
        }
        Ok(Self {
            schema: table.schema,
            seed: table.seed,
            cells: table.cells,
            runs: table.runs,
            left_out: table.left_out,
        })
    }
}

impl Plan {
    /// Draws the order of an experiment's runs. The same experiment and seed always give the same plan.
    pub fn new(experiment: &Experiment, seed: u64) -> Self {
        let cells = experiment.cells();
        let groups = groups(&cells);
        let mut units = Units::new(experiment, &cells);
        let mut draw = Draw::new(seed, PURPOSE);
        let mut runs = Vec::new();
        let observed = experiment.observed_in_block();
        for block in 1..=experiment.design.blocks() {
            let mut groups = groups.clone();
            draw.shuffle(&mut groups);
            for group in groups {
                let per_block = experiment.design.block as usize;
                let plain = std::iter::repeat_n(false, per_block);
                let each = plain.chain(std::iter::repeat_n(true, observed as usize));
                let mut order: Vec<(usize, bool)> = group
                    .into_iter()
                    .flat_map(|cell| each.clone().map(move |observed| (cell, observed)))
                    .collect();
                draw.shuffle(&mut order);
                for (cell, observed) in order {
                    runs.push(PlannedRun {
                        run: runs.len() as u32 + 1,
                        block,
                        cell,
                        seed: draw.bits(),
                        unit: units.of(cell, block),
                        observed,
                    });
                }
            }
        }
        Self {
            schema: SCHEMA,
            seed,
            cells,
            runs,
            left_out: Vec::new(),
        }
    }

    /// The plan without the cells that cannot be measured. The runs of the others keep their order, seeds and units.
    #[must_use]
    pub fn leaving_out(mut self, left_out: Vec<LeftOut>) -> Self {
        let stays = |cell: &Cell| left_out.iter().all(|own| own.cell.id != cell.id);
        let staying = self
            .cells
            .iter()
            .enumerate()
            .filter(|(_, cell)| stays(cell));
        let places = staying.zip(0..).map(|((before, _), now)| (before, now));
        let places: HashMap<usize, usize> = places.collect();
        self.cells.retain(stays);
        self.runs.retain_mut(|run| match places.get(&run.cell) {
            Some(place) => {
                run.cell = *place;
                true
            }
            None => false,
        });
        self.left_out = left_out;
        self.numbered()
    }

    /// The plan with the first runs only of each cell: as many as `most` says of its variant.
    #[must_use]
    pub fn with_at_most(mut self, most: impl Fn(&str) -> u32) -> Self {
        let cells = &self.cells;
        let mut kept: HashMap<usize, u32> = HashMap::new();
        self.runs.retain(|run| {
            let of_cell = kept.entry(run.cell).or_default();
            *of_cell += 1;
            *of_cell <= most(&cells[run.cell].variant)
        });
        self.numbered()
    }

    /// With the numbers of its runs from 1 on.
    fn numbered(mut self) -> Self {
        for (number, run) in (1..).zip(&mut self.runs) {
            run.run = number;
        }
        self
    }

    /// Whether a run of this number is planned.
    pub fn has(&self, run: u32) -> bool {
        (1..=self.runs.len()).contains(&(run as usize))
    }
}

/// Positions of the cells that are compared with each other, in the order of their first cells.
fn groups(cells: &[Cell]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (position, cell) in cells.iter().enumerate() {
        match groups
            .iter_mut()
            .find(|group| cells[group[0]].is_comparable(cell))
        {
            Some(group) => group.push(position),
            None => groups.push(vec![position]),
        }
    }
    groups
}

/// Numbers the instances of each variant.
struct Units {
    lifetime: Lifetime,
    /// For each cell, the first cell that an instance could serve as well.
    representative: Vec<usize>,
    /// For each cell, a number for its variant.
    variant: Vec<usize>,
    /// Units given out so far, for each variant.
    used: HashMap<usize, u32>,
    /// Units in service: representative cell and, if they last for a block only, the block.
    serving: HashMap<(usize, Option<u32>), u32>,
}

impl Units {
    fn new(experiment: &Experiment, cells: &[Cell]) -> Self {
        // Parameters may change how a system is started or built; then cells of one variant cannot
        // share an instance.
        let mut distinct: Vec<(usize, Option<Variant>)> = Vec::new();
        let mut representative = Vec::new();
        for (position, cell) in cells.iter().enumerate() {
            let variant = experiment.variant(cell).ok();
            let known = distinct
                .iter()
                .find(|(first, known)| cells[*first].variant == cell.variant && *known == variant);
            representative.push(known.map_or(position, |(first, _)| *first));
            if known.is_none() {
                distinct.push((position, variant));
            }
        }
        let variant = cells
            .iter()
            .map(|cell| {
                experiment
                    .variants
                    .get_index_of(&cell.variant)
                    .unwrap_or(usize::MAX)
            })
            .collect();
        Self {
            lifetime: experiment.design.instance_lifetime(),
            representative,
            variant,
            used: HashMap::new(),
            serving: HashMap::new(),
        }
    }

    /// The unit that serves the next run of a cell.
    fn of(&mut self, cell: usize, block: u32) -> u32 {
        let block = match self.lifetime {
            Lifetime::Run => return self.next(cell),
            Lifetime::Block => Some(block),
            Lifetime::Experiment => None,
        };
        let key = (self.representative[cell], block);
        if let Some(unit) = self.serving.get(&key) {
            return *unit;
        }
        let unit = self.next(cell);
        self.serving.insert(key, unit);
        unit
    }

    fn next(&mut self, cell: usize) -> u32 {
        let used = self.used.entry(self.variant[cell]).or_default();
        *used += 1;
        *used
    }
}
