//! Loads of real servers, and of servers that misbehave.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod counts;
mod hostile;
mod memcached;
mod open;
mod plans;
mod servers;
mod turns;

use std::time::Duration;

use perflab_load::{
    Commanded, Distribution, Keys, Length, Measured, Mix, Outcome, Pace, Plan, Problem, Rounds,
    measure,
};

/// A load of so many operations on each target, in a closed loop on four connections.
fn plan(targets: &[&str], operations: u64) -> Plan {
    Plan {
        targets: targets
            .iter()
            .map(|target| target.parse().unwrap())
            .collect(),
        mix: Mix::Ratio("1:10".parse().unwrap()),
        keys: Keys {
            count: 1000,
            bytes: 16,
            distribution: Distribution::Uniform,
        },
        value_bytes: 32..=32,
        preload: false,
        threads: 1,
        connections: 4,
        pipeline: 1,
        cpus: Vec::new(),
        pace: Pace::Replies,
        rounds: Rounds::Until {
            length: Length {
                time: None,
                operations: Some(operations),
            },
            turn: (targets.len() > 1).then_some(Duration::from_millis(5)),
            warm_up: Duration::ZERO,
        },
        timeout: Duration::from_secs(4),
        seed: 1,
        allows_errors: false,
    }
}

/// The rounds of a load that lasts so many ms, in one turn.
fn for_ms(ms: u64) -> Rounds {
    Rounds::Until {
        length: Length {
            time: Some(Duration::from_millis(ms)),
            operations: None,
        },
        turn: None,
        warm_up: Duration::ZERO,
    }
}

fn made(plan: &Plan) -> Result<Outcome, Problem> {
    measure(plan, &mut |_| {})
}

/// The commands of a mix.
fn commands(texts: &[&str]) -> Mix {
    Mix::Commands(texts.iter().map(|text| text.parse().unwrap()).collect())
}

/// What was measured of a command.
#[track_caller]
fn command<'m>(measured: &'m Measured, name: &str) -> &'m Commanded {
    let found = measured
        .commands
        .iter()
        .find(|command| command.name == name);
    found.unwrap_or_else(|| panic!("{name} of {measured:?}"))
}
