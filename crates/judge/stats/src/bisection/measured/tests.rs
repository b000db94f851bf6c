//! One hypothesis with one point of the grid, against densities from whole covariance matrices; see
//! `tests/vectors/bisection.py`.

use serde_json::Value;

use super::cloud::Cloud;
use super::filter::Of;
use super::grid::Point;
use crate::tests::support::{number, numbers};

fn cases(name: &str) -> Vec<Value> {
    let all: Value =
        serde_json::from_str(include_str!("../../../tests/vectors/bisection.json")).unwrap();
    all[name].as_array().unwrap().clone()
}

/// Logarithm of the density of a case's values. Builds are numbered in the order in which they come.
fn ln_density(case: &Value) -> f64 {
    let of = |name: &str| number(&case[name]);
    let tails = numbers(&case["tails"]);
    let point = Point {
        sd: of("sd"),
        wander: of("wander"),
        between_builds: of("between_builds"),
        tails: [tails[0], tails[1], tails[2], tails[3]],
        step: of("step"),
        step_sd: of("step_sd"),
        noise: 0,
        is_first_step: true,
        ln_prior: 0.0,
        ln_prior_without_step: 0.0,
    };
    let points = [point];
    let mut cloud = Cloud::new(&points, of("level"), of("level_sd"), true);
    let (mut block, mut builds) = (None, Vec::new());
    for row in case["rows"].as_array().unwrap() {
        if block != row[0].as_u64() {
            block = row[0].as_u64();
            for (_, mut filter) in cloud.filters() {
                filter.wander(point.wander.powi(2));
            }
        }
        let build = row[2].as_u64().unwrap();
        let at = builds.iter().position(|known| *known == build);
        let at = at.unwrap_or_else(|| {
            builds.push(build);
            cloud.add_build(&points);
            builds.len() - 1
        });
        let of = Of {
            is_bad: row[1].as_bool().unwrap(),
            build: Some(at),
        };
        for (_, mut filter) in cloud.filters() {
            filter.learn(&point, number(&row[3]), of);
        }
    }
    cloud.ln_total()
}

#[test]
fn normal_noise_against_the_joint_density() {
    for case in cases("normal") {
        let (found, expected) = (ln_density(&case), number(&case["ln"]));
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

/// After a value the mixture is taken as normal, so this is an approximation.
#[test]
fn mixed_noise_against_the_sum_over_all_parts() {
    for case in cases("mixed") {
        let (found, expected) = (ln_density(&case), number(&case["ln"]));
        assert!((found - expected).abs() < 0.12, "{found} {expected}");
    }
}

/// A build that is forgotten leaves what is known of the rest.
#[test]
fn a_build_is_forgotten() {
    let case = &cases("normal")[0];
    let tails = [1.0, 0.0, 0.0, 0.0];
    let point = Point {
        sd: 1.0,
        wander: 0.0,
        between_builds: 2.0,
        tails,
        step: number(&case["step"]),
        step_sd: 1.0,
        noise: 0,
        is_first_step: true,
        ln_prior: 0.0,
        ln_prior_without_step: 0.0,
    };
    let mut cloud = Cloud::new(&[point], 0.0, 1.0, true);
    for at in 0..2 {
        cloud.add_build(&[point]);
        for (_, mut filter) in cloud.filters() {
            let of = Of {
                is_bad: at == 1,
                build: Some(at),
            };
            filter.learn(&point, 1.5, of);
        }
    }
    let before: Vec<f64> = cloud.known().next().unwrap().2.to_vec();
    cloud.drop_build(0);
    let (_, _, mean, covariance) = cloud.known().next().unwrap();
    assert_eq!(mean, [before[0], before[1], before[3]]);
    assert_eq!(covariance.len(), 6);
    // Variances stay positive, and the covariance of level and step keeps its sign.
    assert!(covariance[0] > 0.0 && covariance[2] > 0.0 && covariance[5] > 0.0);
    assert!(covariance[1] < 0.0);
}

/// Of normal noise it is the variance; tails make a test by ranks need more runs, but far fewer than their variance says.
#[test]
fn ranks_see_less_through_tails() {
    let of = |tails, between_builds| {
        let point = Point {
            sd: 2.0,
            wander: 0.0,
            between_builds,
            tails,
            step: 0.0,
            step_sd: 1.0,
            noise: 0,
            is_first_step: true,
            ln_prior: 0.0,
            ln_prior_without_step: 0.0,
        };
        point.variance_to_ranks()
    };
    assert!((of([1.0, 0.0, 0.0, 0.0], 0.0) - 4.0).abs() < 1e-12);
    assert!((of([1.0, 0.0, 0.0, 0.0], 3.0) - 13.0).abs() < 1e-12);
    // 0.86 of the values are within 2, the others nowhere near: I is 0.86^2 of that without these, and a little.
    let slow = of([0.86, 0.0, 0.14, 0.0], 0.0);
    assert!(slow > 6.5 && slow < 4.0 / 0.86_f64.powi(4), "{slow}");
}
