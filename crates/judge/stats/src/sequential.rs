//! Looking while measuring, and stopping when enough is known.
//!
//! A test made for a fixed number of runs and repeated after every block claims a difference that
//! is not there in 24 to 33 of 100 experiments, instead of 5. Two ways out:
//!
//! - an *e-process* is the wealth of a gambler who bets against "no difference" with fair odds and
//!   one unit. It reaches `1 / level` with probability `level` at most, whenever one looks and for
//!   however long (Ville, *Étude critique de la notion de collectif*, 1939). So one may stop at any
//!   time, for any reason, and `1 / (largest wealth so far)` is a p-value throughout
//!   ([`RankEProcess`], which has a confidence sequence too, [`SignEProcess`], [`normal_mixture`]);
//! - a fixed number of looks, decided before, with a raised bar at each ([`Boundary`]).
//!
//! For small effects a fixed number of runs finds more than an e-process does with as many: the
//! freedom to stop has its price.
//!
//! Sources: Ramdas, Grünwald, Vovk and Shafer, *Statistical Science* 38 (2023), on e-processes;
//! Jennison and Turnbull, *Group Sequential Methods* (2000), on looks.

mod looks;
mod normal;
mod ranks;
mod signs;
mod spread;

pub use looks::{Boundary, MOST_LOOKS};
pub use normal::{asymptotic_half_width, normal_mixture};
pub use ranks::RankEProcess;
pub use signs::SignEProcess;

/// What an e-process has shown so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// The wealth now. Evidence against "no difference" at this moment; it may shrink again.
    pub e_value: f64,
    /// p-value that holds at any time: one over the largest wealth so far, at most 1. Where two
    /// gamblers play ([`RankEProcess`]), two over the largest wealth of either.
    pub p: f64,
}

/// The wealth of an e-process over time, as logarithms: it may leave the range of a double.
#[derive(Debug, Clone, Copy, Default)]
struct Wealth {
    ln: f64,
    ln_largest: f64,
}

impl Wealth {
    fn becomes(&mut self, ln: f64) {
        self.ln = ln;
        self.ln_largest = self.ln_largest.max(ln);
    }

    fn evidence(self) -> Evidence {
        Evidence {
            e_value: self.ln.exp().min(f64::MAX),
            p: (-self.ln_largest).exp().max(f64::MIN_POSITIVE),
        }
    }
}
