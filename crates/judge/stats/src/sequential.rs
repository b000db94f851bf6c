//! Looking while measuring, and stopping when enough is known.
//!
//! A test made for a fixed number of runs and repeated after every block claims a difference that
//! is not there in 24 to 33 of 100 experiments, instead of 5. The way out is an *e-process*: the wealth of a gambler who
//! bets against "no difference" with fair odds and one unit. It reaches `1 / level` with probability `level` at most,
//! whenever one looks and for however long (Ville, *Étude critique de la notion de collectif*, 1939). So one may stop at
//! any time, for any reason, and `1 / (largest wealth so far)` is a p-value throughout. [`RankEProcess`] has a confidence
//! sequence too.
//!
//! For small effects a fixed number of runs finds more than an e-process does with as many: the
//! freedom to stop has its price.
//!
//! Source: Ramdas, Grünwald, Vovk and Shafer, *Statistical Science* 38 (2023).

mod ranks;
mod scatter;
mod wealth;

pub use ranks::RankEProcess;
pub use wealth::Evidence;
