use perflab_abi::{Alternative, FilterImport, Writer};

use super::*;

/// What becomes of a program of one import.
fn read(actions: Actions, class: u8, code: &[u8]) -> Result<Filter, String> {
    let import = FilterImport { class, name: "x" };
    let program = Alternative {
        imports: [import].into_iter(),
        code,
        literals: &[],
    };
    let mut buffer = [0; 200];
    let mut writer = Writer::new(&mut buffer);
    let programs = [program].into_iter();
    FilterWish::write(&mut writer, "shop:*", actions, "x == 1", programs).unwrap();
    Filter::read(&FilterWish::decode(&mut Reader::new(&buffer)).unwrap())
}

/// Returns 0.
const CODE: [u8; 16] = [0xb7, 0, 0, 0, 0, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0];

#[test]
fn what_is_accepted() {
    let filter = read(Actions::default(), 2, &CODE).unwrap();
    assert_eq!(
        (&*filter.expression, filter.alternatives.len()),
        ("x == 1", 1)
    );
    assert!(filter.acts && filter.except.is_some());
    let nothing = Actions {
        then: Then::Nothing,
        every: 1,
        ..Actions::default()
    };
    assert!(!read(nothing, 0, &CODE).unwrap().acts);
}

#[test]
fn what_is_refused() {
    let refused = |actions, class, code: &[u8]| read(actions, class, code).unwrap_err();
    let plain = Actions::default();
    assert_eq!(
        refused(plain, 9, &CODE),
        "the filter is refused: program 1 of 1: unknown class 9"
    );
    let often = Actions {
        every: u32::MAX,
        ..plain
    };
    assert_eq!(
        refused(often, 0, &CODE),
        "the filter is refused: it has a number over 2147483647"
    );
    let reason = refused(plain, 0, &CODE[..8]);
    assert!(
        reason.starts_with("the filter is refused: program 1 of 1: instruction 0: ")
            && reason.ends_with("(rule V6, end)"),
        "{reason}"
    );
}
