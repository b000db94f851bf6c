//! What is simulated: a history with a change, noise, builds, and a machine that does not keep still.

use perflab_stats::bisection::{Block, Plan, Revision, Run};

use crate::simulated::{BASE, Noise, Random};

/// Standard deviation of a run, relative.
pub const SD: f64 = 0.01;

/// A kind of history.
#[derive(Clone, Copy)]
pub struct World {
    pub name: &'static str,
    pub revisions: usize,
    /// The step, in standard deviations of a run; 0 for no change.
    pub step: f64,
    pub noise: Noise,
    pub machine: Machine,
    /// Standard deviation between builds, in those of a run. If there is any, each run has a build of its own.
    pub builds: f64,
}

/// What the machine does meanwhile, in standard deviations of a run.
#[derive(Clone, Copy, Default)]
pub struct Machine {
    /// Correlation of a run's noise with that of the run before.
    pub autocorrelation: f64,
    /// Change of the level from one run to the next.
    pub drift: f64,
    /// Standard deviation of what the level wanders from one run to the next.
    pub wander: f64,
    /// Runs after which the level jumps once, by 3.
    pub jump: Option<usize>,
}

/// One history while it is searched.
pub struct History<'a> {
    world: &'a World,
    /// The revision that introduced the change, if any.
    pub change: Option<usize>,
    random: Random,
    last: f64,
    level: f64,
    runs: u32,
}

impl<'a> History<'a> {
    pub fn new(world: &'a World, mut random: Random) -> Self {
        let change = (world.step != 0.0).then(|| random.below(world.revisions));
        let last = random.normal();
        Self {
            world,
            change,
            random,
            last,
            level: 0.0,
            runs: 0,
        }
    }

    /// A block in random order.
    pub fn measure(&mut self, plan: Plan) -> Block<f64> {
        let bad = Revision::At(self.world.revisions - 1);
        let mut order = vec![Revision::Good; plan.good];
        order.extend(vec![bad; plan.bad]);
        if let Some((candidate, runs)) = plan.candidate {
            order.extend(vec![Revision::At(candidate); runs]);
        }
        self.in_random_order(order)
    }

    /// One run of each, in random order.
    pub fn in_random_order(&mut self, mut order: Vec<Revision>) -> Block<f64> {
        for end in (1..order.len()).rev() {
            order.swap(end, self.random.below(end + 1));
        }
        let runs = order
            .into_iter()
            .map(|revision| self.run(revision))
            .collect();
        Block { session: 0, runs }
    }

    pub fn run(&mut self, revision: Revision) -> Run<f64> {
        let World {
            machine,
            noise,
            builds,
            step,
            ..
        } = *self.world;
        let phi = machine.autocorrelation;
        self.last = phi * self.last + (1.0 - phi * phi).sqrt() * self.random.normal();
        self.level += machine.drift + machine.wander * self.random.normal();
        self.runs += 1;
        let jumped = machine.jump.is_some_and(|at| self.runs as usize > at);
        let jump = if jumped { 3.0 } else { 0.0 };
        let is_bad = match (revision, self.change) {
            (Revision::At(at), Some(change)) => at >= change,
            _ => false,
        };
        let step = if is_bad { step } else { 0.0 };
        let moved = self.level + jump + step + builds * self.random.normal();
        let value = BASE * (SD * moved).exp() * noise.draw(self.last, &mut self.random);
        Run {
            revision,
            build: self.runs,
            value,
        }
    }
}
