//! The wealth of a gambler who bets against "no difference".

/// What an e-process has shown so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// The wealth now. Evidence against "no difference" at this moment; it may shrink again.
    pub e_value: f64,
    /// p-value that holds at any time: one over the largest wealth so far, at most 1. Where two
    /// gamblers play ([`RankEProcess`](super::RankEProcess)), two over the largest wealth of either.
    pub p: f64,
}

/// The wealth of an e-process over time, as logarithms: it may leave the range of a double.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wealth {
    pub(super) ln: f64,
    pub(super) ln_largest: f64,
}

impl Wealth {
    pub(super) fn becomes(&mut self, ln: f64) {
        self.ln = ln;
        self.ln_largest = self.ln_largest.max(ln);
    }
}
