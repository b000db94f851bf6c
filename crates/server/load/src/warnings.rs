//! What a reader of a result should know.

use crate::outcome::{Measured, Thread};

/// A thread of the client that is on a CPU for a larger share of the turns than this was the limit.
const MOST_SHARE: f64 = 0.9;

/// A larger share of late or unsent requests is told.
const MOST_LATE: f64 = 0.01;

/// The warnings: which numbers say something else than they seem to.
pub fn warnings(targets: &[Measured], client: &[Thread]) -> Vec<String> {
    let mut warnings = Vec::new();
    for thread in client.iter().filter(|thread| thread.cpu_share > MOST_SHARE) {
        warnings.push(format!(
            "thread {} of the client was on a CPU for {:.0} % of the time: the client was the limit, not the servers. Give \
             it more threads, or compare the CPU time of the servers (--pid)",
            thread.thread,
            thread.cpu_share * 100.0
        ));
    }
    for target in targets {
        let name = &target.name;
        if let Some(unsent) = target.unsent.filter(|unsent| *unsent > 0) {
            warnings.push(format!(
                "{name}: {unsent} requests were not sent at all, as replies to earlier ones were missing when the time was \
                 over. The latencies leave them out and are too good: lower the rate"
            ));
        }
        let late = target.late.unwrap_or(0);
        if late as f64 > MOST_LATE * target.operations as f64 {
            warnings.push(format!(
                "{name}: {late} of {} requests were sent more than 1 ms late. Their latencies count from the intended time",
                target.operations
            ));
        }
        for command in &target.commands {
            if command.hit_rate == Some(0.0) {
                warnings.push(format!(
                    "{name}: each {} missed: no value was there to be read. Set the keys first (--preload)",
                    command.name
                ));
            }
        }
        let errors: u64 = target.errors.values().sum();
        if errors > 0 {
            warnings.push(format!(
                "{name}: {errors} of {} replies were errors; they count as operations",
                target.operations
            ));
        }
        if target.operations == 0 {
            warnings.push(format!("{name}: no request was made"));
        }
        if target.server_cpu.is_some_and(|cpu| cpu.seconds == 0.0) {
            warnings.push(format!(
                "{name}: the process of --pid used no CPU time: it is not the server"
            ));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::warnings;
    use crate::outcome::Thread;

    #[test]
    fn a_client_that_was_the_limit_is_named() {
        let client = [0.85, 0.97].into_iter().enumerate();
        let client: Vec<Thread> = client
            .map(|(thread, cpu_share)| Thread { thread, cpu_share })
            .collect();
        let [warning]: [String; 1] = warnings(&[], &client).try_into().expect("one");
        let begin =
            "thread 1 of the client was on a CPU for 97 % of the time: the client was the limit";
        assert!(warning.starts_with(begin), "{warning}");
    }
}
