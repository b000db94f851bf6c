//! What is to be seen: two axes, and marks on them.

use crate::axis::Axis;
use crate::marks::Layer;

/// What is to be seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// What it shows, in a few words.
    pub title: String,
    /// What there is to see, for those who cannot.
    pub description: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Marks, the later ones above the earlier ones.
    pub layers: Vec<Layer>,
}
