//! Any bytes as a report in JSON. Every rendering of what is read succeeds and keeps its promises.

use perflab_compare::{Comparison, RowWarning, Warning, settle_drift};
use perflab_report::{TextOptions, csv, detail, drift_markdown, drift_text, json, markdown, text};

use crate::shared::has_control;

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let Ok(read) = serde_json::from_slice::<Comparison>(input) else {
        return true;
    };
    let mut report = read.clone();
    report.warnings.push(Warning::Remark(read.name.clone()));
    for row in report.rows.iter_mut().chain(&mut report.pooled) {
        let remark = RowWarning::Remark(row.variant.clone());
        row.warnings.extend([
            remark,
            RowWarning::DifferenceDrifted,
            RowWarning::PooledOutside {
                low: row.typical.difference,
                high: row.mean.difference,
            },
        ]);
    }
    for (width, ascii) in [(0, true), (80, false), (200, true)] {
        let options = TextOptions {
            width,
            colour: false,
            ascii,
        };
        let mut output = text(&report, &options);
        for row in &report.rows {
            output += &detail(row, &report, &options);
        }
        output += &drift_text(&report, &options);
        assert!(!has_control(&output), "{output:?}");
        assert!(!ascii || output.is_ascii(), "{output:?}");
    }
    text(
        &report,
        &TextOptions {
            width: 80,
            colour: true,
            ascii: false,
        },
    );
    assert!(!has_control(&markdown(&report)));
    let mut settled = report.clone();
    settle_drift(&mut settled);
    assert!(!has_control(
        &(markdown(&settled) + &drift_markdown(&settled))
    ));

    let table = csv(&report);
    assert_eq!(
        table.lines().count(),
        1 + report.rows.len() + report.pooled.len()
    );
    assert!(
        ::csv::Reader::from_reader(table.as_bytes())
            .records()
            .all(|record| record.is_ok())
    );

    let again: Comparison = serde_json::from_str(&json(&report)).expect("its own JSON is read");
    assert_eq!(again, read);
    true
}
