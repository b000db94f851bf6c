//! Numbers from the literature and from other tools, to all their digits.

use super::support::{
    CHAMELEON, IGUANA, brunner_munzel, harrell_davis, location_test, printed, welch,
};
use crate::Stratum;
use crate::boschloo::boschloo;
use crate::detectable::{from_half_width, runs_needed, t_test_power};
use crate::location::{Scale, Side, hodges_lehmann, min_blocks};
use crate::mean::student;
use crate::multiplicity::holm;
use crate::proportion::{Proportion, fisher_exact, newcombe};
use crate::quantile::{interval, min_values};

#[test]
fn iguana_and_chameleon() {
    let t = student(&IGUANA, &CHAMELEON, 0.95).unwrap();
    printed(t.t, 1.551_633_5, 5e-8);
    printed(t.p, 0.151_796_8, 5e-8);
    let w = welch(&IGUANA, &CHAMELEON, 0.95).unwrap();
    printed(w.df, 7.425_428_3, 5e-8);
    printed(w.p, 0.177_721_8, 5e-8);
    let p = brunner_munzel(&IGUANA, &CHAMELEON).unwrap();
    printed(p, 0.161_013_7, 5e-8);
    // Rank sum 41 of the candidate, less the 15 it would have at least.
    let strata = [Stratum::new(IGUANA, CHAMELEON)];
    let found = location_test(&strata, Scale::Ratio, 1.0, Side::TwoSided).unwrap();
    assert_eq!((found.u, found.exact), (41.0 - 15.0, true));
    printed(found.p, 149.0 / 792.0, 1e-15);
}

#[test]
fn quantiles_from_all_values() {
    printed(harrell_davis(&IGUANA, 0.5), 254.572_499_553_8, 5e-11);
    printed(harrell_davis(&IGUANA, 0.9), 659.015_976_279_6, 5e-11);
    printed(harrell_davis(&CHAMELEON, 0.5), 535.776, 5e-11);
}

#[test]
fn smallest_designs() {
    let blocks = |runs| min_blocks(runs, 0.95).unwrap();
    assert_eq!([1, 2, 3, 4, 5].map(blocks), [6, 3, 2, 1, 1]);
    // A level met exactly: 1 / C(6, 3) is 5 %.
    assert_eq!(min_blocks(3, 0.9), Ok(1));
    assert_eq!(min_blocks(1, 0.9375), Ok(5));
    let block = Stratum::new([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
    let found = hodges_lehmann(std::slice::from_ref(&block), Scale::Shift, 0.9).unwrap();
    assert_eq!((found.k, found.low, found.high), (Some(0), 1.0, 5.0));
    for runs in 1..6 {
        let enough = blocks(runs);
        let side = |start: usize| (start..start + runs).map(|v| v as f64).collect::<Vec<_>>();
        let strata = vec![Stratum::new(side(1), side(20)); enough];
        assert!(
            hodges_lehmann(&strata, Scale::Ratio, 0.95)
                .unwrap()
                .k
                .is_some()
        );
        if enough > 1 {
            assert!(
                hodges_lehmann(&strata[1..], Scale::Ratio, 0.95)
                    .unwrap()
                    .k
                    .is_none()
            );
        }
    }
}

#[test]
fn shares() {
    let of_30 = |k| Proportion::new(k, 30).unwrap();
    for (k, low, high) in [(4, 0.053_096_6, 0.296_813_3), (5, 0.073_365_4, 0.335_643_5)] {
        let found = of_30(k).wilson(0.95).unwrap();
        printed(found.0, low, 5e-8);
        printed(found.1, high, 5e-8);
    }
    printed(fisher_exact(of_30(4), of_30(5)), 1.0, 1e-12);
    printed(fisher_exact(of_30(4), of_30(12)), 0.039_097_1, 5e-8);
    let found = newcombe(of_30(4), of_30(12), 0.95).unwrap();
    printed(found.low, 0.042_010_1, 5e-8);
    printed(found.high, 0.460_818_4, 5e-8);
    // SciPy's boschloo_exact takes a column for each sample. Transposing the table asks another
    // question, since the sizes of the samples are what is fixed; both answers are SciPy's.
    let p = |a: (usize, usize), b: (usize, usize)| {
        boschloo(
            Proportion::new(a.0, a.1).unwrap(),
            Proportion::new(b.0, b.1).unwrap(),
        )
        .p
    };
    printed(p((4, 30), (5, 30)), 0.897_421_826_99, 5e-12);
    printed(p((4, 30), (12, 30)), 0.027_349_174_61, 5e-12);
    printed(p((4, 9), (26, 51)), 0.750_116, 5e-7);
    printed(p((4, 16), (26, 44)), 0.022_789_6, 5e-8);
}

#[test]
fn several_tests() {
    let p = [
        0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216,
    ];
    let expected = [
        0.01, 0.072, 0.312, 0.312, 0.312, 0.312, 0.312, 0.615, 0.615, 0.615,
    ];
    for (found, expected) in holm(&p).unwrap().into_iter().zip(expected) {
        printed(found, expected, 1e-15);
    }
    let mut reversed = p;
    reversed.reverse();
    let mut found = holm(&reversed).unwrap();
    found.reverse();
    assert_eq!(found, holm(&p).unwrap());
}

#[test]
fn planning() {
    let table = [
        (5, 2.024_44),
        (10, 1.324_95),
        (20, 0.909_13),
        (30, 0.735_62),
        (50, 0.565_88),
        (100, 0.398_14),
    ];
    for (n, difference) in table {
        // The differences are printed to five decimals, and power rises by up to 2 for each unit.
        printed(t_test_power(n, n, difference, 0.95).unwrap(), 0.8, 1e-5);
    }
    for (difference, expected) in [(1.0, 17), (0.5, 64), (0.25, 253)] {
        assert_eq!(runs_needed(difference, 0.95, 0.8), Ok(expected));
    }
    let half_width = 1.959_963_984_540_054;
    printed(
        from_half_width(half_width, 0.95, 0.95, 0.8, 30).unwrap() / (1.0 + 1.0 / 30.0),
        1.959_963_984_540_054 + 0.841_621_233_572_914_2,
        1e-12,
    );
}

#[test]
fn fewest_values_that_bound_a_quantile() {
    let smallest = [0.5, 0.9, 0.99, 0.999].map(|p| min_values(p, 0.95).unwrap());
    assert_eq!(smallest, [6, 36, 368, 3688]);
}

#[test]
fn ranks_that_bound_the_median() {
    // Tables of the sign test.
    for (n, ranks) in [
        (5, None),
        (6, Some((1.0, 6.0))),
        (10, Some((2.0, 9.0))),
        (20, Some((6.0, 15.0))),
        (21, Some((6.0, 16.0))),
        (30, Some((10.0, 21.0))),
        (50, Some((18.0, 33.0))),
    ] {
        let values: Vec<f64> = (1..=n).rev().map(f64::from).collect();
        assert_eq!(interval(&values, 0.5, 0.95), Ok(ranks), "{n}");
    }
    let values: Vec<f64> = (1..=36).map(f64::from).collect();
    assert_eq!(
        interval(&values[1..], 0.9, 0.95),
        Ok(None),
        "too few for p90"
    );
    let (low, high) = interval(&values, 0.9, 0.95).unwrap().unwrap();
    assert!(low < 32.0 && high == 36.0, "{low} {high}");
    assert!(interval(&[], 0.5, 0.95).is_err());
    assert!(interval(&values, 0.5, 1.5).is_err());
}
