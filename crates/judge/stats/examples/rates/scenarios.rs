//! The scenarios that the verdicts are judged by.

use crate::runs::{BLOCKED, PAIRS, SHORT, UNBLOCKED};
use crate::scenario::{Kind, Promise, Scenario};
use crate::simulated::{Machine, Noise, SideOf};

/// Requests per second of the candidate and the baseline in the main mode.
const FASTER: f64 = 48_053.0 / 46_981.0;

pub fn scenarios() -> Vec<Scenario> {
    let side = |noise, factor| SideOf { noise, factor };
    let slow = |cv| Noise::SlowMode { cv, share: 0.15 };
    let quiet = Machine::default();
    let restless = Machine {
        drift: 0.05,
        autocorrelation: 0.8,
    };
    let mut list = Vec::new();
    let mut add = |name, a, b, machine, design, kind, promise| {
        list.push(Scenario {
            name,
            a,
            b,
            machine,
            design,
            kind,
            promise,
        });
    };
    let same = |noise| (side(noise, 1.0), side(noise, 1.0));
    for design in [BLOCKED, UNBLOCKED, SHORT, PAIRS] {
        for (name, noise) in [
            ("equal: normal, sd 2 %", Noise::Normal(0.02)),
            ("equal: slow mode, 15 % of runs", slow(0.005)),
            ("equal: heavy tails (t3)", Noise::HeavyTails(0.02)),
        ] {
            let (a, b) = same(noise);
            add(name, a, b, quiet, design, Kind::Single, Promise::False);
        }
        let (a, b) = (
            side(Noise::Normal(0.005), 1.0),
            side(Noise::Normal(0.03), 1.0),
        );
        add(
            "equal: unequal scatter, sd 0.5 v 3 %",
            a,
            b,
            quiet,
            design,
            Kind::Single,
            Promise::False,
        );
    }
    for design in [BLOCKED, UNBLOCKED, SHORT, PAIRS] {
        let (a, b) = same(slow(0.005));
        let drift = Machine {
            drift: 0.03,
            autocorrelation: 0.0,
        };
        add(
            "equal: slow mode, drift 3 %",
            a,
            b,
            drift,
            design,
            Kind::Single,
            Promise::False,
        );
        let (a, b) = same(Noise::Normal(0.01));
        let wave = Machine {
            drift: 0.0,
            autocorrelation: 0.8,
        };
        add(
            "equal: autocorrelation 0.8",
            a,
            b,
            wave,
            design,
            Kind::Single,
            Promise::False,
        );
        add(
            "equal: autocorrelation 0.8, drift 5 %",
            a,
            b,
            restless,
            design,
            Kind::Single,
            Promise::False,
        );
        let (a, b) = (
            side(Noise::Normal(0.005), 1.0),
            side(Noise::Normal(0.03), 1.0),
        );
        add(
            "equal: unequal scatter, drift 3 %",
            a,
            b,
            drift,
            design,
            Kind::Single,
            Promise::False,
        );
    }
    for design in [BLOCKED, UNBLOCKED] {
        let (a, b) = same(slow(0.01));
        add(
            "equal: 14 correlated benchmarks, pooled",
            a,
            b,
            quiet,
            design,
            Kind::Pooled(14),
            Promise::False,
        );
        add(
            "equal: the same, restless machine",
            a,
            b,
            restless,
            design,
            Kind::Pooled(14),
            Promise::False,
        );
        add(
            "equal: 20 correlated benchmarks, one report",
            a,
            b,
            quiet,
            design,
            Kind::Family(20),
            Promise::False,
        );
        let (a, b) = same(Noise::Normal(0.02));
        add(
            "equal: 20 benchmarks, normal, one report",
            a,
            b,
            quiet,
            design,
            Kind::Family(20),
            Promise::False,
        );
    }
    for (design, least) in [(BLOCKED, 98.0), (UNBLOCKED, 99.0)] {
        let (a, b) = (side(slow(0.01), 1.0), side(slow(0.01), FASTER));
        add(
            "+2.28 %: slow mode, main sd 1 %",
            a,
            b,
            quiet,
            design,
            Kind::Single,
            Promise::Power(least),
        );
        let (a, b) = (side(slow(0.005), 1.0), side(slow(0.005), FASTER));
        add(
            "+2.28 %: slow mode, main sd 0.5 %",
            a,
            b,
            quiet,
            design,
            Kind::Single,
            Promise::Power(99.0),
        );
        let (a, b) = (side(slow(0.02), 1.0), side(slow(0.02), FASTER));
        add(
            "+2.28 %: slow mode, main sd 2 %",
            a,
            b,
            quiet,
            design,
            Kind::Single,
            Promise::Shown,
        );
        let (a, b) = (
            side(Noise::Normal(0.02), 1.0),
            side(Noise::Normal(0.02), 1.02),
        );
        add(
            "+2 %: normal, sd 2 %",
            a,
            b,
            quiet,
            design,
            Kind::Single,
            Promise::Shown,
        );
        let (a, b) = (side(slow(0.01), 1.0), side(slow(0.01), FASTER));
        let drift = Machine {
            drift: 0.05,
            autocorrelation: 0.0,
        };
        add(
            "+2.28 %: slow mode, sd 1 %, drift 5 %",
            a,
            b,
            drift,
            design,
            Kind::Single,
            Promise::Shown,
        );
        add(
            "+2.28 %: 14 correlated benchmarks, pooled",
            a,
            b,
            quiet,
            design,
            Kind::Pooled(14),
            Promise::Shown,
        );
    }
    for design in [BLOCKED, UNBLOCKED] {
        let a = side(slow(0.005), 1.0);
        let b = side(
            Noise::SlowMode {
                cv: 0.005,
                share: 0.30,
            },
            FASTER,
        );
        add(
            "d2: main +2.28 %, slow runs 15 -> 30 %",
            a,
            b,
            quiet,
            design,
            Kind::Single,
            Promise::NeverFaster,
        );
    }
    let a = side(slow(0.005), 1.0);
    let b = side(
        Noise::SlowMode {
            cv: 0.005,
            share: 0.40,
        },
        1.0,
    );
    add(
        "d: slow runs 15 -> 40 %, same main mode",
        a,
        b,
        quiet,
        BLOCKED,
        Kind::Single,
        Promise::NeverFaster,
    );
    // The means are equal and the centres of the typical run are not: only the mean can be false.
    let lognormal = Noise::HeavyTails(0.02);
    let (a, b) = (side(lognormal, 1.0), side(lognormal, 1.0));
    add(
        "equal: heavy tails, restless machine",
        a,
        b,
        restless,
        BLOCKED,
        Kind::Single,
        Promise::FalseMean,
    );
    list
}
