//! What cannot be claimed of values that another tool measured.

use indexmap::IndexMap;

use crate::model::Row;

/// With fewer runs on both sides no order of them is rare enough: with 4 and 4 the most extreme one
/// has a chance of 2 in 70, with 3 and 3 of 2 in 20.
const FEWEST: usize = 4;

/// The least that is known of a variant: units of evidence, and the values behind them.
#[derive(Debug, Clone, Copy)]
struct Least {
    runs: usize,
    values: usize,
}

/// Caveats of a report whose runs were imported.
pub(crate) fn caveats(baseline: &str, rows: &[Row]) -> Vec<String> {
    let mut caveats = vec![
        "these runs were imported, and nothing is known of their order: if they were not \
         interleaved, whatever changed meanwhile on the machine counts as a difference"
            .to_owned(),
    ];
    let mut variants: IndexMap<&str, Least> = IndexMap::new();
    for row in rows {
        for (name, side) in [
            (baseline, &row.base),
            (row.variant.as_str(), &row.candidate),
        ] {
            let own = Least {
                runs: side.n,
                values: side.values.len(),
            };
            let least = variants.entry(name).or_insert(own);
            if own.runs < least.runs {
                *least = own;
            }
        }
    }
    for (name, Least { runs, values }) in variants {
        let processes = if runs == 1 { "process" } else { "processes" };
        let count = match values > runs {
            true => format!("{values} values come from {runs} {processes} and count as {runs}"),
            false => format!("there is but {runs} {processes}"),
        };
        let advice = format!("measure in at least {FEWEST} processes, better 10");
        match runs {
            1 => caveats.push(format!(
                "{name}: {count}: how much another process would differ is not known, so nothing \
                 can be claimed; {advice}"
            )),
            2..FEWEST => caveats.push(format!(
                "{name}: {count}: nothing can be claimed of the typical run; {advice}"
            )),
            _ if values > runs => caveats.push(format!("{name}: {count}")),
            _ => {}
        }
    }
    caveats
}
