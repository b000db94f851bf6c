//! What load in a closed loop does to latencies.

/// The caution beside latencies of a tool that sends a request only when an earlier one was
/// answered. `remedy` is a sentence about the tool's open loop, or empty.
///
/// The effect is known as coordinated omission (G. Tene, "How NOT to Measure Latency", 2013).
pub(crate) fn caution(remedy: &str) -> String {
    let caution = "Closed loop: the next request waits for the answer to an earlier one. While the \
                   system stalls, nothing is sent, so latencies, above all high percentiles, leave \
                   out what requests at a steady rate would have waited (coordinated omission).";
    match remedy {
        "" => caution.to_owned(),
        remedy => format!("{caution} {remedy}"),
    }
}
