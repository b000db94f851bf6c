//! What pages ask of a report: the answer in a sentence, plots, the runs behind values, two results beside each other.

mod answers;
mod compared;
mod made;
mod origins;
mod pair;
mod plots;
