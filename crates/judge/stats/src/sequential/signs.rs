//! The e-process of pairs of one run each.

use super::{Evidence, Wealth};

/// Sign test that may be looked at after every pair.
///
/// Bets on all shares of larger candidates at once, with equal stakes: after `t` pairs of which `s`
/// have the larger candidate, the wealth is `2^t B(1 + s, 1 + t - s)`, `B` being the beta function
/// (Robbins, *Annals of Mathematical Statistics* 41, 1970). Pairs of equal values say nothing and
/// are left out.
#[derive(Debug, Clone, Default)]
pub struct SignEProcess {
    larger: u64,
    smaller: u64,
    wealth: Wealth,
}

impl SignEProcess {
    /// Takes the next pair into account: whether its candidate is the larger one.
    pub fn observe(&mut self, candidate_larger: bool) -> Evidence {
        // The mixture bets by Laplace's rule of succession, at even odds.
        let pairs = self.larger + self.smaller;
        let seen = if candidate_larger {
            &mut self.larger
        } else {
            &mut self.smaller
        };
        *seen += 1;
        let factor = 2.0 * *seen as f64 / (pairs + 2) as f64;
        self.wealth.becomes(self.wealth.ln + factor.ln());
        self.evidence()
    }

    /// What the pairs so far have shown.
    pub fn evidence(&self) -> Evidence {
        self.wealth.evidence()
    }
}
