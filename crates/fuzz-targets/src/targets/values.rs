//! Any text as one of the small texts in experiment files and on command lines: templates,
//! durations, percentages, lists of CPUs, and the arguments of a tool.

use perflab_drivers::{Driver, RedisBenchmark};
use perflab_experiment::{CpuList, Template, format_duration, parse_duration, parse_percent};

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    template(text);
    if let Ok(duration) = parse_duration(text) {
        assert_eq!(parse_duration(&format_duration(duration)), Ok(duration));
    }
    if let Ok(fraction) = parse_percent(text) {
        assert!(fraction.is_finite() && fraction >= 0.0);
    }
    if let Ok(cpus) = text.parse::<CpuList>() {
        assert!(!cpus.numbers().is_empty());
        assert!(cpus.numbers().is_sorted_by(|a, b| a < b));
    }
    arguments(text);
    true
}

fn template(text: &str) {
    let literal = Template::literal(text);
    assert_eq!(literal.render(|_| None).as_deref(), Ok(text));
    assert_eq!(Template::parse(&literal.to_string()), Ok(literal));
    if let Ok(template) = Template::parse(text) {
        assert_eq!(template.to_string(), text);
        let unchanged = template.substitute(|_| None);
        assert_eq!(unchanged, template);
        template
            .render(|placeholder| Some(placeholder.name.clone()))
            .expect("every placeholder has a value");
    }
}

fn arguments(text: &str) {
    let arguments: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if let Err(error) = RedisBenchmark.check(&arguments) {
        assert!(!error.to_string().is_empty());
    }
    assert!(
        RedisBenchmark
            .cautions(&arguments)
            .iter()
            .all(|caution| !caution.is_empty())
    );
    assert!(RedisBenchmark.argv(&arguments).ends_with(&arguments));
}
