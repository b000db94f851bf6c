//! What all pages share.

/// How pages look.
pub(crate) const STYLE: &str = include_str!("../assets/style.css");

/// What pages can do where scripts may run.
pub(crate) const SCRIPT: &str = include_str!("../assets/script.js");

/// The library that draws plots to interact with: Plotly.js, from the crate `plotly`.
pub(crate) const PLOTLY: &str = include_str!(concat!(env!("OUT_DIR"), "/plotly.min.js"));
