//! Imports and the arguments of a probe.

use perflab_abi::Description;
use perflab_bpf::{Class, ContextField, Place, bind};

use crate::assembler::import;

/// One argument of each kind.
const PROBE: &str = "p\nn\nf\n1\n\
    i8 small\nstr s\nu64 large\nf32 single\nbytes b\nf64 double\ncstr c\nenum(A=1) kind\nbool is\nptr at\n\
    cstr_nofault cn\nstr_nofault sn\nbytes_nofault bn\ni32 s";

fn bound(class: Class, name: &str) -> Result<Place, String> {
    let description = Description::parse(PROBE).unwrap();
    let places = bind([import(class, name)], &description);
    places
        .map(|places| places[0])
        .map_err(|unbound| unbound.to_string())
}

#[test]
fn each_kind_of_argument() {
    for (class, name, place) in [
        (Class::Integer, "small", Place::Number(0)),
        // The first of two.
        (Class::Text, "s", Place::Counted(1)),
        (Class::Integer, "large", Place::Number(3)),
        (Class::Double, "single", Place::Single(4)),
        (Class::Text, "b", Place::Counted(5)),
        (Class::Double, "double", Place::Number(7)),
        (Class::Text, "c", Place::Terminated(8)),
        (Class::Integer, "kind", Place::Number(9)),
        (Class::Integer, "is", Place::Number(10)),
        (Class::Integer, "at", Place::Number(11)),
        (Class::Text, "cn", Place::TerminatedNofault(12)),
        (Class::Text, "sn", Place::CountedNofault(13)),
        (Class::Text, "bn", Place::CountedNofault(15)),
    ] {
        assert_eq!(bound(class, name), Ok(place), "{name}");
    }
    for field in ContextField::ALL {
        assert_eq!(
            bound(field.class(), field.name()),
            Ok(Place::Context(field))
        );
    }
}

#[test]
fn what_a_probe_does_not_have() {
    let reason = |class, name| bound(class, name).unwrap_err();
    assert_eq!(reason(Class::Integer, "nmae"), "no argument \"nmae\"");
    assert_eq!(reason(Class::Integer, "c"), "argument \"c\" is text");
    assert_eq!(
        reason(Class::Text, "small"),
        "argument \"small\" is integer"
    );
    assert_eq!(
        reason(Class::Integer, "single"),
        "argument \"single\" is double"
    );
    assert_eq!(
        reason(Class::Integer, "$ctx.procname"),
        "argument \"$ctx.procname\" is text"
    );
}

#[test]
fn in_the_order_of_the_imports() {
    let description = Description::parse(PROBE).unwrap();
    let imports = [
        import(Class::Text, "c"),
        import(Class::Integer, "small"),
        import(Class::Integer, "$ctx.vtid"),
    ];
    let places = bind(imports, &description).unwrap();
    let expected = [
        Place::Terminated(8),
        Place::Number(0),
        Place::Context(ContextField::Vtid),
    ];
    assert_eq!(places, expected);
}
