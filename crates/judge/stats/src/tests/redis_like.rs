//! The case that began it: a faster server that Student's t cannot tell, because some runs are slow.

use super::support::{brunner_munzel, printed, redis_like, redis_like_in_blocks, welch};
use crate::location::{Scale, hodges_lehmann};
use crate::mean::student;
use crate::modes::{Mode, SplitSource, common_split, slow_mode};
use crate::proportion::{Proportion, newcombe};
use crate::ratio_of_means::{RatioInterval, ratio_of_means};
use crate::summary::Summary;
use crate::{Better, Stratum};

#[test]
fn the_runs_themselves() {
    let (a, b) = redis_like();
    for (values, mean, sd) in [(&a, 45129.067, 4851.2899), (&b, 45650.267, 5592.9097)] {
        let s = Summary::of(values).unwrap();
        printed(s.mean, mean, 5e-4);
        printed(s.sd.unwrap(), sd, 5e-5);
    }
    assert_eq!(Summary::of(&a).unwrap().mad, 129.0);
}

#[test]
fn a_typical_run_is_faster() {
    let (a, b) = redis_like();
    let one_block = [Stratum::new(a, b)];
    let shift = hodges_lehmann(&one_block, Scale::Shift, 0.95).unwrap();
    assert_eq!(
        (shift.effect, shift.low, shift.high),
        (1081.5, 969.0, 1208.0)
    );
    let ratio = hodges_lehmann(&one_block, Scale::Ratio, 0.95).unwrap();
    assert_eq!(
        (ratio.u, ratio.pairs, ratio.k, ratio.exact),
        (762.0, 900, Some(317), true)
    );
    printed(ratio.p, 1.087_800_487_3e-6, 5e-17);
    printed(ratio.effect, 1.023_048_758_056_5, 5e-14);
    printed(ratio.low, 1.020_584_286_9, 5e-11);
    printed(ratio.high, 1.025_701_580_8, 5e-11);
    let wider = hodges_lehmann(&one_block, Scale::Ratio, 0.99).unwrap();
    assert_eq!(wider.k, Some(276));
    printed(wider.low, 1.019_665_537_7, 5e-11);
    printed(wider.high, 1.026_466_441_7, 5e-11);
}

#[test]
fn a_typical_run_is_faster_within_blocks_too() {
    let found = hodges_lehmann(&redis_like_in_blocks(), Scale::Ratio, 0.95).unwrap();
    assert_eq!((found.u, found.pairs, found.k), (75.0, 90, Some(30)));
    // Of the 20^10 arrangements, this many are as extreme.
    printed(found.p, 216_680_226.0 / 20_f64.powi(10), 1e-18);
    printed(found.effect, 1.023_062_000_1, 5e-11);
    printed(found.low, 1.020_428_532_0, 5e-11);
    printed(found.high, 1.025_592_315_9, 5e-11);
}

#[test]
fn the_mean_is_not_proven_to_differ() {
    let (a, b) = redis_like();
    let found = welch(&a, &b, 0.95).unwrap();
    printed(found.t, 0.385_578_435_554, 5e-13);
    printed(found.df, 56.864_608, 5e-7);
    printed(found.p, 0.701_247_592, 5e-10);
    printed(found.low, -2185.743, 5e-4);
    printed(found.high, 3228.143, 5e-4);
    printed(student(&a, &b, 0.95).unwrap().p, 0.701_219_499, 5e-10);

    let ratio = ratio_of_means(&a, &b, 0.95).unwrap();
    printed(ratio.ratio, 1.011_549_097_7, 5e-11);
    printed(ratio.g, 0.001_543_43, 5e-9);
    let RatioInterval::Bounded { low, high } = ratio.interval else {
        panic!("the baseline's mean is far from zero");
    };
    printed(low, 0.952_790_9, 5e-8);
    printed(high, 1.073_434_6, 5e-8);
}

#[test]
fn unequal_deviation_is_not_the_reason() {
    let (a, b) = redis_like();
    printed(brunner_munzel(&a, &b).unwrap(), 7.689_363_0e-6, 5e-14);
}

#[test]
fn both_have_a_slow_mode_and_its_share_is_not_proven_to_differ() {
    let (a, b) = redis_like();
    let modes = slow_mode(&a, Better::Higher).unwrap().unwrap();
    assert_eq!((modes.gap, modes.slow, modes.fast), (13265.0, 4, 26));
    assert_eq!(
        (modes.main(), modes.mode_of(33000.0)),
        (Mode::Fast, Mode::Slow)
    );
    let modes = slow_mode(&b, Better::Higher).unwrap().unwrap();
    assert_eq!((modes.gap, modes.slow, modes.fast), (13191.0, 5, 25));

    let both = common_split(&a, &b, Better::Higher).unwrap().unwrap();
    assert_eq!(
        (both.a.slow, both.b.slow, both.source),
        (4, 5, SplitSource::Own)
    );
    let share = |k| Proportion::new(k, 30).unwrap();
    let found = newcombe(share(4), share(5), 0.95).unwrap();
    printed(found.low, -0.154_897, 5e-7);
    printed(found.high, 0.220_392, 5e-7);
}
