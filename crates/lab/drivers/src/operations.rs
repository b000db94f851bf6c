//! What an execution of a tool did, counted.

/// Operations that an execution did.
#[derive(Debug, Clone, PartialEq)]
pub struct Operations {
    /// The benchmark that they belong to, where it is one.
    pub benchmark: Option<String>,
    /// How many: at least 0.
    pub count: f64,
}
