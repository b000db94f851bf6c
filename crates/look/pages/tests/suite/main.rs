//! Pages of results that are made by hand, through the front door.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod charts;
mod damaged;
mod folder;
mod hostile;
mod html;
mod large;
mod made;
mod numbers;
mod running;
