//! Filters as the laboratory makes them.

use std::collections::BTreeMap;

use perflab_control::{Actions, Alternative, EncodedFilter, FilterImport, Site};
use perflab_filter::{assumed, check_each, ebpf, lower, parse};

/// The filter of an expression, for probes of which nothing is known.
pub fn filter(expression: &str) -> EncodedFilter {
    with_actions(expression, Actions::default())
}

/// The same, with what is done with accepted events.
pub fn with_actions(expression: &str, actions: Actions) -> EncodedFilter {
    let tree = parse(expression).unwrap();
    let checked = check_each(&tree, &assumed(&tree)).unwrap().programs;
    let programs = checked.iter().map(|checked| ebpf(&lower(checked)).unwrap());
    let programs: Vec<_> = programs.collect();
    let alternatives = programs.iter().map(|program| Alternative {
        imports: program.imports.iter().map(|import| FilterImport {
            class: import.class as u8,
            name: &import.name,
        }),
        code: &program.code,
        literals: &program.literals,
    });
    EncodedFilter::new("", actions, expression, alternatives).unwrap()
}

/// Hits of all points of a probe, or of a provider.
pub fn hits(sites: &[Site], is_meant: impl Fn(&Site) -> bool) -> u64 {
    let meant = sites.iter().filter(|site| is_meant(site));
    let points: BTreeMap<u64, u64> = meant.map(|site| (site.point, site.hits)).collect();
    points.values().sum()
}
