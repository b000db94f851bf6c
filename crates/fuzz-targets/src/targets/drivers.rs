//! Any bytes as the output of a tool: its driver's name on the first line, standard output up to the
//! first NUL, standard error behind it. Read as text, the rest is also the tool's arguments.

use perflab_drivers::{Output, Usage, tool};
use perflab_experiment::Sample;

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let mut lines = input.splitn(2, |&byte| byte == b'\n');
    let name = str::from_utf8(lines.next().unwrap_or_default()).unwrap_or_default();
    let Some(driver) = tool(name) else {
        return false;
    };
    let rest = lines.next().unwrap_or_default();
    let mut streams = rest.splitn(2, |&byte| byte == 0);
    let stdout = streams.next().unwrap_or_default();
    let stderr = streams.next().unwrap_or_default();
    for exit_code in [0, 1] {
        let usage = Usage {
            exit_code,
            ..Usage::default()
        };
        match driver.read(&Output {
            stdout,
            stderr,
            usage,
        }) {
            Ok(samples) => {
                assert_eq!(exit_code, 0);
                assert!(!samples.is_empty());
                assert!(
                    samples
                        .iter()
                        .all(|sample| sample.value.is_finite() && sample.value >= 0.0)
                );
                let promised = driver.metrics();
                let broken = |sample: &Sample| {
                    promised.iter().any(|metric| {
                        metric.name == sample.metric.name && *metric != *sample.metric
                    })
                };
                assert!(!samples.iter().any(broken));
            }
            Err(error) => {
                let message = error.to_string();
                assert!(
                    !message.contains('\n') && message.len() < 2_000,
                    "{message}"
                );
            }
        }
    }
    let text = String::from_utf8_lossy(stdout);
    let arguments: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if let Err(error) = driver.check(&arguments) {
        assert!(!error.to_string().is_empty());
    }
    assert!(
        driver
            .cautions(&arguments)
            .iter()
            .all(|caution| !caution.is_empty())
    );
    assert!(driver.argv(&arguments).ends_with(&arguments));
    true
}
