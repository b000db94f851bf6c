//! Events as a site passes them.

#![expect(unsafe_code, reason = "events are judged")]

use perflab_bpf::opcode::*;
use perflab_bpf::{Class, Context, ContextField, Import, Place, Verdict, judge};

use crate::assembler::*;

const TEXT_AND_NUMBER: [Import<'static>; 2] =
    [import(Class::Text, "a"), import(Class::Integer, "b")];

#[test]
fn fields_of_the_context() {
    let context = Context {
        vtid: 1,
        vpid: 2,
        cpu_id: 3,
        pthread_id: 4,
        ip: 5,
        procname: *b"sixteen-letters!",
        ..Context::default()
    };
    for (index, field) in ContextField::ALL.into_iter().enumerate() {
        assert_eq!(ContextField::from_name(field.name()), Some(field));
        let place = [Place::Context(field)];
        if field.class() == Class::Integer {
            let code = [load(0, 1, 0), add(0, -1 - index as i32), exit()];
            let lowered = lowered(&[import(Class::Integer, field.name())], &code, &[]);
            // SAFETY: no texts.
            let verdict = unsafe { judge(&lowered, &place, &[], &context) };
            assert_eq!(verdict, Verdict::Reject, "{field:?}");
        }
    }
    let name = |literal: &[u8], procname: &[u8; 16]| {
        let mut code = vec![copy(6, 1)];
        code.extend(test_text(1, 0, 0, literal.len() as i32));
        code.push(exit());
        let lowered = lowered(&[import(Class::Text, "$ctx.procname")], &code, literal);
        let place = [Place::Context(ContextField::Procname)];
        let context = Context {
            procname: *procname,
            ..Context::default()
        };
        // SAFETY: no texts of the event.
        unsafe { judge(&lowered, &place, &[], &context) }
    };
    assert_eq!(
        name(b"sixteen-letters!", &context.procname),
        Verdict::Record
    );
    assert_eq!(name(b"sixteen-letters", &context.procname), Verdict::Reject);
    assert_eq!(
        name(b"redis-server", b"redis-server\0ab\0"),
        Verdict::Record
    );
    assert_eq!(name(b"", &[0; 16]), Verdict::Record);
    assert_eq!(ContextField::from_name("$ctx.none"), None);
}

/// What should not happen is no harm: places or words that are missing, or of another kind.
#[test]
fn places_that_do_not_fit() {
    let code = [load(0, 1, 8), exit()];
    let number = lowered(&TEXT_AND_NUMBER, &code, &[]);
    let mut code = vec![copy(6, 1)];
    code.extend(test_text(1, 0, 0, 0));
    code.extend([jump(JEQ, 0, -1, 1), set(0, 0), exit()]);
    let text = lowered(&TEXT_AND_NUMBER, &code, &[]);
    let places = [
        vec![],
        vec![Place::Number(0), Place::Counted(0)],
        vec![
            Place::Context(ContextField::Vtid),
            Place::Context(ContextField::Procname),
        ],
        vec![Place::Terminated(7), Place::Number(255)],
        vec![Place::CountedNofault(255), Place::TerminatedNofault(255)],
    ];
    for places in places {
        // SAFETY: no word is there, so no address is.
        unsafe {
            let context = Context::default();
            assert_eq!(
                judge(&number, &places, &[], &context),
                Verdict::Reject,
                "{places:?}"
            );
            let verdict = judge(&text, &places, &[], &context);
            // What has length 0 at null is an empty text.
            let is_empty = matches!(places.first(), Some(Place::CountedNofault(_)));
            let expected = if is_empty {
                Verdict::Reject
            } else {
                Verdict::Record
            };
            assert_eq!(verdict, expected, "{places:?}");
        }
    }
}

#[test]
fn addresses_of_nothing() {
    let mut code = vec![copy(6, 1)];
    code.extend(test_text(1, 0, 0, 0));
    code.push(exit());
    let lowered = lowered(&TEXT_AND_NUMBER, &code, &[]);
    for place in [Place::TerminatedNofault(0), Place::CountedNofault(0)] {
        // SAFETY: these texts need not be there.
        let verdict = unsafe { judge(&lowered, &[place], &[1, 7], &Context::default()) };
        // Nothing could be read, so nothing is recorded of it.
        assert_eq!(verdict, Verdict::Record, "{place:?}");
    }
}
