//! Texts of events that are not there, or not whole, as a user sees them.

use crate::life::{Place, printed, text};

/// The events of a program of these tests that records itself from its start, without their times.
fn events(place: &Place, program: &str) -> Vec<String> {
    let trace = place.directory.path().join("trace");
    let trace = trace.to_str().unwrap();
    let program = place.compile(program.trim_end_matches(".c"));
    let said = printed(&place.trace(&["record", "-o", trace, "--", &program]));
    assert!(said.contains("none lost"), "{said}");
    let shown = place.trace(&["view", trace]);
    assert_eq!(text(&shown.stderr), "");
    let shown = printed(&shown);
    let events = shown.lines().skip(1);
    events
        .map(|line| line[line.find("pointers:").unwrap()..].to_owned())
        .collect()
}

#[test]
fn pointers_to_nothing() {
    let events = events(&Place::new(), "pointers.c");
    // A letter of two bytes is not shown by half; bytes that are no letters are.
    let cut = format!(
        r#"pointers:cut text="{}" data="\xc3" (cut)"#,
        "x".repeat(127)
    );
    let expected = [
        r#"pointers:null text=null data=null none=null empty="""#,
        r#"pointers:bad low="" high="" good="good" part="who" null=null (cut)"#,
        r#"pointers:end open="xxx" more="xxx" (cut)"#,
        r#"pointers:good number=7 text="fifteen letters" part="xxx""#,
        &cut,
    ];
    assert_eq!(events, expected);
}
