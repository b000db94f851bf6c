//! Random orders of the same ranks: how many have neighbours that are as much alike?

use crate::error::Error;
use crate::resampling::{Random, Resampling};

/// Always the same draws: the same file gets the same answer. One in two thousand can be told from more.
const DRAWS: Resampling = Resampling {
    draws: 19_999,
    seed: 1,
};

/// Most random orders, that of the file included, that have neighbours as much alike: 1 in 2000.
const MOST: usize = 10;

/// Draws after which it is plain, if none of them is as much alike as the file.
const PLAIN: usize = 4999;

/// Series without ties that are longer need no draws: the normal approximation holds for them.
const LONG: usize = 5000;

/// Ranks placed in all draws together, so that long series take a fifth of a second.
const PLACED: usize = 10_000_000;

/// Whether at most one in two thousand orders of these midranks has neighbours as much alike as they are in theirs.
pub(super) fn are_rare(ranks: &[f64]) -> Result<bool, Error> {
    let mut line = Line::new(ranks);
    if line.is_untied() && ranks.len() > LONG {
        return Ok(true);
    }
    let observed = steps(ranks);
    let mut random = DRAWS.random()?;
    let draws = DRAWS.draws.min(PLACED / line.others.len().max(1)).max(1);
    // Of fewer draws none may be: they cannot tell one in two thousand from less.
    let most = MOST * (draws + 1) / (DRAWS.draws + 1);
    let mut alike = 1;
    for draw in 1..=draws {
        if line.drawn(&mut random) <= observed * (1.0 + 1e-12) {
            alike += 1;
            if alike > most.max(1) {
                return Ok(false);
            }
        }
        if alike == 1 && draw == PLAIN {
            break;
        }
    }
    Ok(true)
}

/// Sum of squared differences of neighbours.
fn steps(ranks: &[f64]) -> f64 {
    let steps = ranks.windows(2).map(|pair| (pair[1] - pair[0]).powi(2));
    steps.sum()
}

/// A line of places that hold the most frequent rank, but for those that are drawn for the others: where most values
/// are equal, an order takes no longer than the few that are not.
struct Line {
    /// Every place, with the rank it holds relative to the most frequent one.
    held: Vec<f64>,
    /// Ranks other than the most frequent one, relative to it.
    others: Vec<f64>,
    /// All places; the first of them are those of the others.
    places: Vec<usize>,
}

impl Line {
    fn new(ranks: &[f64]) -> Self {
        let mut sorted = ranks.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let groups = sorted.chunk_by(|x, y| x == y);
        let largest = groups.max_by_key(|group| group.len());
        let common = largest.and_then(|group| group.first()).copied();
        let relative = ranks.iter().map(|rank| rank - common.unwrap_or_default());
        Self {
            held: vec![0.0; ranks.len()],
            others: relative.filter(|rank| *rank != 0.0).collect(),
            places: (0..ranks.len()).collect(),
        }
    }

    fn is_untied(&self) -> bool {
        self.others.len() + 1 >= self.held.len()
    }

    /// Sum of squared differences of neighbours in a random order.
    fn drawn(&mut self, random: &mut Random) -> f64 {
        let Self {
            held,
            others,
            places,
        } = self;
        for (index, rank) in others.iter().enumerate() {
            let other = index + random.below(places.len() - index);
            places.swap(index, other);
            held[places[index]] = *rank;
        }
        let own = &places[..others.len()];
        let mut sum = 0.0;
        for (&place, rank) in own.iter().zip(others.iter()) {
            if place > 0 {
                sum += (rank - held[place - 1]).powi(2);
            }
            // Where the next one is another of them, it counts this step.
            match held.get(place + 1) {
                Some(next) if *next == 0.0 => sum += rank.powi(2),
                _ => {}
            }
        }
        for &place in own {
            held[place] = 0.0;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::midranks;

    /// Drawn sums are those of an order of the same ranks: whichever ranks are tied.
    #[test]
    fn an_order_has_the_steps_of_its_neighbours() {
        for values in [
            &[1.0, 2.0, 4.0][..],
            &[5.0, 5.0, 7.0],
            &[5.0, 7.0, 7.0, 5.0, 5.0, 9.0, 1.0],
        ] {
            let ranks = midranks(values).unwrap();
            let mut line = Line::new(&ranks);
            let mut random = DRAWS.random().unwrap();
            for _ in 0..50 {
                let sum = line.drawn(&mut random);
                let mut order = vec![0.0; ranks.len()];
                for (place, rank) in line.places.iter().zip(&line.others) {
                    order[*place] = *rank;
                }
                assert!((steps(&order) - sum).abs() < 1e-12);
                // All ranks are there, moved by the most frequent one.
                let moved =
                    (ranks.iter().sum::<f64>() - order.iter().sum::<f64>()) / ranks.len() as f64;
                let back: Vec<f64> = order.iter().map(|rank| rank + moved).collect();
                assert_eq!(
                    crate::summary::sorted(&back),
                    crate::summary::sorted(&ranks)
                );
            }
        }
    }

    #[test]
    fn the_share_of_orders_is_counted() {
        // A lone value is at an end in one order of half its length.
        let lone = |place: usize, alike: usize, length: usize| {
            let mut values = vec![0.0; length];
            values[place..place + alike].fill(1.0);
            are_rare(&midranks(&values).unwrap()).unwrap()
        };
        assert!(!lone(0, 1, 60));
        assert!(!lone(0, 1, 2000));
        assert!(lone(0, 1, 20_000));
        // Three at an end in one of 17 110, two in the middle in one of thirty.
        assert!(lone(0, 3, 60) && !lone(30, 2, 60));
    }
}
