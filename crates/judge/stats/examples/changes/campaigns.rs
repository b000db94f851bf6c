//! Histories whose values are differences from the control of their campaign: all of a campaign share its noise.

use std::f64::consts::SQRT_2;

use perflab_stats::changes::arrivals::arrivals;
use perflab_stats::changes::{changes, changes_of_groups, freed_of_groups};

use crate::noise::{Noise, whole};
use crate::none::percent;
use crate::simulated::Random;
use crate::{Promise, TERMS};

/// Mean number of values up to a false alarm.
const LIMIT: f64 = 500.0;

/// Which revisions are measured together.
#[derive(Clone, Copy)]
pub enum Plan {
    /// As many campaigns of 8 as it takes, each spread over what is not measured yet.
    Spread,
    /// So many neighbours at a time.
    Neighbours(usize),
    /// One to twelve neighbours at a time.
    Pushes,
    /// The first half spread, then so many new ones at a time.
    Grown(usize),
}

/// Plans, for so many revisions.
const PLANS: [(Plan, usize); 10] = [
    (Plan::Spread, 150),
    (Plan::Neighbours(2), 150),
    (Plan::Neighbours(4), 150),
    (Plan::Neighbours(12), 150),
    (Plan::Pushes, 150),
    (Plan::Grown(4), 150),
    (Plan::Spread, 40),
    (Plan::Neighbours(4), 40),
    (Plan::Spread, 1000),
    (Plan::Neighbours(12), 1000),
];

const NOISES: [Noise; 7] = [
    Noise::Normal,
    Noise::HeavyTails,
    Noise::SlowMode,
    Noise::Autocorrelated(0.3),
    Noise::Rounded,
    Noise::Ones(0.3),
    Noise::Ones(0.05),
];

/// Noises of histories of another length.
const SOME: [Noise; 3] = [Noise::Normal, Noise::SlowMode, Noise::Ones(0.05)];

impl Plan {
    pub fn name(self) -> String {
        match self {
            Self::Spread => "spread".to_owned(),
            Self::Neighbours(count) => format!("{count} neighbours"),
            Self::Pushes => "1 to 12 neighbours".to_owned(),
            Self::Grown(count) => format!("spread, then {count}"),
        }
    }

    /// The campaign of each of `n` revisions.
    fn campaigns(self, n: usize, random: &mut Random) -> Vec<usize> {
        match self {
            Self::Spread => spread(n),
            Self::Neighbours(count) => (0..n).map(|place| place / count).collect(),
            Self::Pushes => {
                let mut campaigns = Vec::new();
                while campaigns.len() < n {
                    let size = 1 + (12.0 * random.uniform()) as usize;
                    let next = campaigns.last().map_or(0, |last| last + 1);
                    campaigns.extend(std::iter::repeat_n(next, size));
                }
                campaigns.truncate(n);
                campaigns
            }
            Self::Grown(count) => {
                let mut campaigns = spread(n / 2);
                campaigns.extend((n / 2..n).map(|place| n + (place - n / 2) / count));
                campaigns
            }
        }
    }
}

/// Campaigns of 8: both ends and the middle, then the middles between those, and so on.
fn spread(n: usize) -> Vec<usize> {
    let mut order = vec![0, n - 1];
    let mut step = n.next_power_of_two();
    while step > 1 {
        step /= 2;
        order.extend((step..n - 1).step_by(2 * step));
    }
    let mut campaigns = vec![0; n];
    for (index, place) in order.into_iter().enumerate() {
        campaigns[place] = index / 8;
    }
    campaigns
}

/// Differences from the control of each campaign, whose noise is like that of a revision, with the group of each.
pub fn history(
    plan: (Plan, usize),
    noise: Noise,
    step: Option<(usize, f64)>,
    random: &mut Random,
) -> Vec<(f64, usize)> {
    measured(plan, noise, step, random).0
}

/// The same with the campaign of each.
fn measured(
    (plan, n): (Plan, usize),
    noise: Noise,
    step: Option<(usize, f64)>,
    random: &mut Random,
) -> (Vec<(f64, usize)>, Vec<usize>) {
    let campaigns = plan.campaigns(n, random);
    let values = noise.series(n, step.as_slice(), random);
    let last = campaigns.iter().max().copied().unwrap_or(0);
    let alone = match noise {
        Noise::Autocorrelated(_) => Noise::Normal,
        noise => noise,
    };
    let control = alone.series(last + 1, &[], random);
    // Campaigns whose control measured the same share all of its noise.
    let mut levels: Vec<f64> = control.clone();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let group = |campaign: usize| levels.partition_point(|level| *level < control[campaign]);
    let both = values.iter().zip(&campaigns);
    let both = both.map(|(value, campaign)| (value - control[*campaign], group(*campaign)));
    (both.collect(), campaigns)
}

/// Prints how often changes are false, alarms are, steps are found, and intervals hold; whether as promised.
pub fn table(trials: u64, seed: u64) -> bool {
    println!(
        "differences from the control of their campaign, whose noise is like that of a revision\n\
         false: series with any change, though nothing changes; each alone: as if they shared nothing\n\
         alarms: series with an alarm of the arrivals at any campaign's end, limit {LIMIT}\n\
         then steps in the middle of 2 and 4 standard deviations of a difference (normal noise: 2.8 and 5.7 of a value):\n\
         found within 5 places; the interval holds the true place, where one change was found\n\
         promised: at most 5 false, alarms at most one in {LIMIT} values; but for slow modes, where campaigns are spread at\n\
         least 93 of steps of 2 found from 150 values on; intervals hold in at least 95, up to 150 values or without slow modes\n"
    );
    println!(
        "{:20} {:>6} {:22} {:>6} {:>6} {:>6} | {:>6} {:>6} {:>6} {:>6}  promise",
        "campaigns", "values", "noise", "false", "alone", "alarms", "2", "holds", "4", "holds"
    );
    let mut kept = true;
    for plan in PLANS {
        let noises: &[Noise] = if plan.1 == 150 { &NOISES } else { &SOME };
        for noise in noises {
            let trials = if plan.1 > 500 { trials / 4 } else { trials };
            kept &= line(plan, *noise, trials, seed);
        }
    }
    kept
}

fn line(plan: (Plan, usize), noise: Noise, trials: u64, seed: u64) -> bool {
    let n = plan.1;
    let (mut ours, mut alone, mut alarms) = (0, 0, 0);
    for trial in 0..trials {
        let (values, campaigns) = measured(plan, noise, None, &mut Random::of(seed, trial));
        let found = changes_of_groups(&values, &TERMS);
        ours += u64::from(found.is_ok_and(|found| !found.changes.is_empty()));
        let differences: Vec<f64> = values.iter().map(|value| value.0).collect();
        let found = changes(&whole(&differences), &TERMS);
        alone += u64::from(found.is_ok_and(|found| !found.changes.is_empty()));
        if trial % 4 == 0 {
            alarms += u64::from(is_alarmed(&values, &campaigns));
        }
    }
    let false_share = percent(ours, trials);
    let alarmed = percent(alarms, trials / 4);
    let mut promises = vec![(Promise::AtMost(5.0), false_share, trials)];
    if n <= 150 {
        let most = 100.0 * n as f64 / LIMIT;
        promises.push((Promise::AtMost(most), alarmed, trials / 4));
    }
    let mut steps = String::new();
    for size in [2.0, 4.0].map(|size| size * SQRT_2) {
        let (mut near, mut single, mut holding) = (0, 0, 0);
        for trial in 0..trials / 4 {
            let values = history(
                plan,
                noise,
                Some((n / 2, size)),
                &mut Random::of(seed, trial),
            );
            let found = changes_of_groups(&values, &TERMS);
            let found = found.map_or(Vec::new(), |found| found.changes);
            let mut places = found.iter().map(|change| change.place.abs_diff(n / 2));
            near += u64::from(places.any(|off| off <= 5));
            if let [change] = found.as_slice() {
                single += 1;
                holding += u64::from(change.low <= n / 2 && n / 2 <= change.high);
            }
        }
        let found = percent(near, trials / 4);
        let holds = percent(holding, single);
        steps += &format!(" {found:>6.1} {holds:>6.1}");
        let is_slow = matches!(noise, Noise::SlowMode);
        if matches!(plan.0, Plan::Spread) && n >= 150 && !is_slow {
            promises.push((Promise::AtLeast(93.0), found, trials / 4));
        }
        if n <= 150 || !is_slow {
            promises.push((Promise::AtLeast(95.0), holds, single));
        }
    }
    let checked = promises
        .iter()
        .map(|(promise, share, of)| promise.check(*share, *of));
    let broken = checked.filter(|(_, holds)| !holds).map(|(words, _)| words);
    let broken: Vec<String> = broken.collect();
    let words = if broken.is_empty() {
        "kept".to_owned()
    } else {
        broken.join(", ")
    };
    println!(
        "{:20} {n:>6} {:22} {false_share:>6.2} {:>6.1} {alarmed:>6.1} |{steps}  {}",
        plan.0.name(),
        noise.name(),
        percent(alone, trials),
        words
    );
    broken.is_empty()
}

/// Whether somebody who looks after each campaign is ever alarmed. Only where campaigns arrive in order are there looks
/// before the last one.
fn is_alarmed(values: &[(f64, usize)], campaigns: &[usize]) -> bool {
    let is_end = |n: usize| {
        let (known, later) = campaigns.split_at(n);
        later.iter().all(|campaign| !known.contains(campaign))
    };
    (1..=values.len()).filter(|n| is_end(*n)).any(|n| {
        let freed = freed_of_groups(&values[..n]);
        let alarm = freed.and_then(|freed| arrivals(&freed, LIMIT));
        alarm.is_ok_and(|found| found.alarm.is_some())
    })
}
