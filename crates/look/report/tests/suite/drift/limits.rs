//! What cannot be said of drift: too few blocks, blocks that their results ended, missing runs.

use super::{PLAIN, experiment, records, report, reported, row, said, selection, slower};
use perflab_compare::{SampleSelection, Selection, result_report};
use perflab_experiment::Plan;
use perflab_report::drift_text;

#[test]
fn few_blocks_have_a_drift_but_prove_none() {
    let steep = |_: &str, block: f64| 1.0 + block;
    for blocks in [3, 4, 5] {
        let report = report(blocks, steep);
        let drift = row(&report, "new").drift.as_ref().unwrap();
        assert!(drift.base.change > 0.4 && drift.base.p.unwrap() > 0.01);
        assert_eq!(drift.base.low.is_some(), blocks == 5);
        // Five blocks and three tests: 3 x 2 / 120 is 5 % to the hair.
        assert_eq!(said(&report).len(), usize::from(blocks == 5));
        let text = drift_text(&report, &PLAIN);
        let few = format!("{blocks} blocks are too few to prove any drift among 3 tests: 5 are");
        assert_eq!(text.contains(&few), blocks < 5, "{text}");
    }
    for blocks in [1, 2] {
        let report = report(blocks, steep);
        assert!(row(&report, "new").drift.is_none() && said(&report).is_empty());
        let text = drift_text(&report, &PLAIN);
        assert!(text.contains(&format!("there are {blocks}")), "{text}");
    }
}

#[test]
fn what_may_be_stopped_by_its_results_tests_no_drift() {
    let anytime = Selection {
        anytime: true,
        ..selection()
    };
    let level = |variant: &str, block: f64| {
        slower(0.2, block)
            * if variant == "new" {
                slower(0.2, block)
            } else {
                1.0
            }
    };
    let report = reported(10, level, &anytime);
    assert!(said(&report).is_empty(), "{:?}", said(&report));
    let drift = row(&report, "new").drift.as_ref().unwrap();
    assert!(drift.difference.change > 0.1);
    assert_eq!((drift.difference.low, drift.difference.p), (None, None));
    let text = drift_text(&report, &PLAIN);
    assert!(text.contains("drift is not tested"), "{text}");
}

#[test]
fn runs_that_failed_leave_their_blocks_out() {
    let experiment = experiment(10, &["w"]);
    let plan = Plan::new(&experiment, 1);
    let mut records = records(&plan, |_, block| slower(0.05, block));
    records.retain(|record| record.variant != "new" || record.block != 4);
    let sample_selection = SampleSelection::default();
    let report = result_report(
        &experiment,
        &plan,
        &records,
        &sample_selection,
        &selection(),
    )
    .unwrap();
    let drift = row(&report, "new").drift.as_ref().unwrap();
    assert_eq!(
        (drift.base.blocks.len(), drift.difference.blocks.len()),
        (10, 9)
    );
    let text = drift_text(&report, &PLAIN);
    assert!(text.contains("▁▂▃ ▄"), "{text}");
}

#[test]
fn values_that_have_no_ratio_drift_in_their_unit() {
    let report = report(10, |variant, block| match variant {
        "new" => block - 5.0,
        _ => 0.0,
    });
    let new = row(&report, "new");
    assert!(!new.relative);
    let drift = new.drift.as_ref().unwrap();
    assert!(
        (drift.difference.change - 0.9).abs() < 0.05,
        "{}",
        drift.difference.change
    );
    let said = said(&report);
    assert!(
        said[0].contains(" ms in the first blocks") || said[0].contains(" s in the first"),
        "{said:?}"
    );
}
