//! What the typical run does, of runs that were executed in turns.
//!
//! Each block is a pair of runs that met the same moments of the machine, so the signed ranks of their differences are
//! tested ([`crate::signed_rank`]). Where some runs fall into a slow mode, the pairs that have none, or two, must agree:
//! else a larger share of slow runs would make the typical run look worse.
//!
//! Where values lie in steps that runs scatter little beside ([`crate::steps`]), the difference may be off by the biases
//! of both sides: so one beyond them is tested, and the interval's ends are moved outwards by them.

use super::comparison::{Answer, Warning};
use super::terms::{Terms, two_sided};
use crate::error::Error;
use crate::location::{Scale, Side, min_blocks};
use crate::signed_rank::SignedRank;
use crate::stratum::Stratum;

/// `hidden`: how far the difference may be off because of steps, on the line of the scale. Nothing where a block has
/// several runs of a side.
pub(super) fn typical_in_turns(
    strata: &[Stratum],
    scale: Scale,
    hidden: f64,
    terms: &Terms,
    warnings: &mut Vec<Warning>,
) -> Result<Option<Answer>, Error> {
    let Some(pairs) = SignedRank::of(strata, scale)? else {
        return Ok(None);
    };
    let main = pairs.main();
    let with_main = |effect: f64, side: Side| {
        let main = main.as_ref().map_or(0.0, |main| main.p(effect, side));
        pairs.p(effect, side).max(main)
    };
    let none = scale.on_line(scale.none());
    let (first, p) = (
        pairs.p(none, Side::TwoSided),
        with_main(none, Side::TwoSided),
    );
    let beyond = match hidden > 0.0 {
        true => {
            let above = with_main(none + hidden, Side::Greater);
            let below = with_main(none - hidden, Side::Less);
            two_sided(above.min(below))
        }
        false => 0.0,
    };
    if first <= 1.0 - terms.confidence && p > first {
        warnings.push(Warning::SlowRunsAlone { first });
    }
    let own = pairs.interval(terms.confidence);
    if own.is_none() {
        let blocks = min_blocks(1, terms.confidence)?;
        warnings.push(Warning::TooFew { blocks });
    }
    let values = || strata.iter().flat_map(|s| s.a.iter().chain(&s.b));
    // One run of each side cannot show whether it varies.
    if values().count() > 2 && values().is_sorted_by(|a, b| a == b) {
        warnings.push(Warning::Exact);
    }
    let p_same = terms.bounds(scale)?.map(|bounds| {
        let above = with_main(scale.on_line(bounds.low()) + hidden, Side::Greater);
        let below = with_main(scale.on_line(bounds.high()) - hidden, Side::Less);
        two_sided(above.max(below))
    });
    let all = (f64::NEG_INFINITY, f64::INFINITY);
    let of_main = main.as_ref().map(|main| main.interval(terms.confidence));
    let (low, high) = match (own, of_main) {
        (Some(own), None) => own,
        // What either does not exclude is in it.
        (Some(own), Some(Some(main))) => (own.0.min(main.0), own.1.max(main.1)),
        (None, _) | (_, Some(None)) => all,
    };
    let difference = |at: f64| match at.is_finite() {
        true => scale.off_line(at) - scale.none(),
        false => at,
    };
    Ok(Some(Answer {
        difference: difference(pairs.estimate()),
        low: difference(low - hidden),
        high: difference(high + hidden),
        p: p.max(beyond),
        p_same,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::better::Better;

    const TERMS: Terms = Terms {
        better: Better::Lower,
        confidence: 0.95,
        margin: Some(0.02),
        in_turns: true,
    };

    /// Runs whose machine drifts by 10 %, and whose pairs differ by 1 % but for some noise.
    fn drifting(blocks: u32) -> Vec<Stratum> {
        let block = |i: u32| {
            let machine = 1.0 + 0.1 * (f64::from(i) * 0.7).sin();
            let noise = 0.002 * (f64::from(i) * 2.399).sin();
            Stratum::new([machine], [machine * (1.01 + noise)])
        };
        (0..blocks).map(block).collect()
    }

    fn answer(strata: &[Stratum]) -> (Answer, Vec<Warning>) {
        hiding(strata, 0.0)
    }

    fn hiding(strata: &[Stratum], hidden: f64) -> (Answer, Vec<Warning>) {
        let mut warnings = Vec::new();
        let found = typical_in_turns(strata, Scale::Ratio, hidden, &TERMS, &mut warnings);
        (found.unwrap().unwrap(), warnings)
    }

    #[test]
    fn what_both_runs_of_a_pair_met_is_no_difference() {
        let (found, warnings) = answer(&drifting(20));
        assert!((found.difference - 0.01).abs() < 3e-4, "{found:?}");
        assert!(found.low > 0.009 && found.high < 0.011, "{found:?}");
        assert!(found.p < 1e-4 && found.p_same.unwrap() < 1e-4, "{found:?}");
        assert_eq!(warnings, []);
    }

    #[test]
    fn slow_runs_of_one_side_do_not_make_its_typical_run_slower() {
        let mut strata = drifting(40);
        for stratum in &mut strata {
            stratum.b[0] /= 1.01;
        }
        let (same, _) = answer(&strata);
        assert!(same.p > 0.3, "{same:?}");
        for stratum in &mut strata[..14] {
            stratum.b[0] *= 1.45;
        }
        let (found, warnings) = answer(&strata);
        assert!(found.p > 0.3 && found.low < 0.0, "{found:?}");
        assert!(
            matches!(warnings[..], [Warning::SlowRunsAlone { .. }]),
            "{warnings:?}"
        );
    }

    #[test]
    fn what_steps_may_hide_is_neither_a_difference_nor_sameness() {
        let pairs = |b: f64| vec![Stratum::new([27.0], [b]); 20];
        let step = 1.0 / 27.0;
        let (same, _) = hiding(&pairs(27.0), step);
        assert!(same.p > 0.99 && same.p_same.unwrap() > 0.05, "{same:?}");
        assert!(same.low < -0.035 && same.high > 0.035, "{same:?}");
        let (next, _) = hiding(&pairs(28.0), step);
        assert!(next.p > 0.05 && next.low < 0.001, "{next:?}");
        let (proven, _) = hiding(&pairs(30.0), step);
        assert!(proven.p < 1e-4 && proven.low > 0.07, "{proven:?}");
    }

    #[test]
    fn few_pairs_have_no_interval_and_several_runs_are_no_pairs() {
        let (found, warnings) = answer(&drifting(5));
        assert!(found.low.is_infinite());
        assert_eq!(warnings, [Warning::TooFew { blocks: 6 }]);
        let strata = [Stratum::new([1.0, 1.1], [1.0])];
        let found = typical_in_turns(&strata, Scale::Ratio, 0.0, &TERMS, &mut Vec::new());
        assert!(found.unwrap().is_none());
    }
}
