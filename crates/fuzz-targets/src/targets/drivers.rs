//! Any bytes as the output of a tool: its driver's name on the first line, standard output up to the
//! first NUL, standard error after it. Read as text, the rest is also the tool's arguments.

use perflab_drivers::tool;
use perflab_experiment::Sample;

use crate::shared::{first_line, read_output};

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let (name, output) = first_line(input);
    let Some(driver) = str::from_utf8(name).ok().and_then(tool) else {
        return false;
    };
    let stdout = read_output(driver, output, |samples| {
        let promised = driver.metrics();
        let broken = |sample: &Sample| {
            let mut own = promised.iter();
            own.any(|metric| metric.name == sample.metric.name && *metric != *sample.metric)
        };
        assert!(!samples.iter().any(broken));
    });
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
