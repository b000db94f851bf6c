//! Filters in C, as clang compiles them in its different ways.

use perflab_bpf::Verdict::{Record, RecordAndTrigger, Reject};
use perflab_bpf::{Value, Verdict};
use perflab_filter::read_object;

use super::{
    ABSENT, Kept, LEVELS, VERSIONS, compiled, disassembled, double, integer, text, verdict,
};

/// A filter, its imports, and events with their verdicts.
fn judges(source: &str, imports: &str, events: &[(&[Value<'_>], Verdict)]) {
    for level in LEVELS {
        for version in VERSIONS {
            let words = ["-Wall", "-Wextra", "-Werror", level, version];
            let object = compiled(source, &words).unwrap_or_else(|said| panic!("{said}"));
            let object = read_object(&object)
                .unwrap_or_else(|problem| panic!("{level} {version}: {problem}\n{source}"));
            let own = object.program.imports.iter();
            let own: Vec<String> = own
                .map(|import| format!("{} {}", import.class, import.name))
                .collect();
            assert_eq!(own.join(", "), imports);
            let declared = format!("PERFLAB_FILTER({}, ", object.name);
            assert!(source.contains(&declared), "{}", object.name);
            for (values, expected) in events {
                let verdict = verdict(&object, values);
                assert_eq!(verdict, *expected, "{level} {version} {values:?}\n{source}");
            }
        }
    }
}

#[test]
fn a_text_and_an_integer() {
    judges(
        include_str!("../../objects/big_sets.c"),
        "text name, integer bytes",
        &[
            (&[text("SET"), integer(513)], Record),
            (&[text("SET"), integer(512)], Reject),
            (&[text("SET"), integer(-1)], Reject),
            (&[text("SETS"), integer(513)], Reject),
            (&[text("GET"), integer(513)], Reject),
            (&[ABSENT, integer(513)], Reject),
        ],
    );
}

/// A compiler would join calls of a function here, as they differ in a constant only.
#[test]
fn texts_on_both_sides_of_a_condition() {
    judges(
        "PERFLAB_FILTER(f, (integer, db), (text, key)) {
             return ctx->db == 7 ? perflab_text_is(ctx, key, \"abc\") : perflab_text_is(ctx, key, \"xyz\");
         }",
        "integer db, text key",
        &[
            (&[integer(7), text("abc")], Record),
            (&[integer(7), text("xyz")], Reject),
            (&[integer(8), text("xyz")], Record),
            (&[integer(8), text("abc")], Reject),
            // -1 is not 0.
            (&[integer(7), ABSENT], Record),
        ],
    );
}

#[test]
fn prefixes_and_patterns() {
    judges(
        "PERFLAB_FILTER(f, (text, key), (text, other)) {
             return perflab_text_begins(ctx, key, \"user:\") > 0
                 || perflab_text_matches(ctx, key, PERFLAB_ANY \":1\" PERFLAB_ANY \"2\") > 0
                 || perflab_text_same(ctx, key, other) == 1;
         }",
        "text key, text other",
        &[
            (&[text("user:9"), ABSENT], Record),
            (&[text("user"), ABSENT], Reject),
            (&[text("a:1b2"), ABSENT], Record),
            (&[text("a:1b"), ABSENT], Reject),
            (&[text("same"), text("same")], Record),
            (&[text("same"), text("other")], Reject),
        ],
    );
}

#[test]
fn a_loop_that_is_unrolled() {
    judges(
        "PERFLAB_FILTER(f, (text, data)) {
             long sum = 0;
         #pragma unroll
             for (int at = 0; at < 4; at++) {
                 long byte = perflab_text_byte(ctx, data, at);
                 if (byte < 0)
                     return 0;
                 sum += byte;
             }
             return sum == 'a' + 'b' + 'c' + 'd';
         }",
        "text data",
        &[
            (&[text("abcd")], Record),
            (&[text("dcba...")], Record),
            (&[text("abcc")], Reject),
            (&[text("abc")], Reject),
            (&[ABSENT], Reject),
        ],
    );
}

#[test]
fn integers_of_all_widths() {
    judges(
        "PERFLAB_FILTER(f, (integer, a), (integer, b)) {
             unsigned long a = ctx->a, b = ctx->b;
             if (a % 7 == 3 && b / 5 == 2 && (a << 3 | b >> 1) > 28)
                 return 1;
             if ((int)ctx->a < -5 && (short)ctx->b == -2 && (unsigned char)ctx->b == 254)
                 return 2;
             return ctx->a < ctx->b && (a ^ b) == 6;
         }",
        "integer a, integer b",
        &[
            (&[integer(10), integer(14)], Record),
            (&[integer(10), integer(15)], Reject),
            (&[integer(-6), integer(-2)], RecordAndTrigger),
            (&[integer(-5), integer(-2)], Reject),
            (&[integer(2), integer(4)], Record),
            (&[integer(4), integer(2)], Reject),
        ],
    );
}

/// A `switch` with many cases, and values that need the stack.
#[test]
fn many_ways_and_many_values() {
    judges(
        "static inline __attribute__((always_inline)) long weight(long kind) {
             switch (kind) {
             case 1: return 11;
             case 2: return 3;
             case 3: return 1000;
             case 5: return 17;
             case 8: return 29;
             case 40: return 5;
             default: return 0;
             }
         }
         PERFLAB_FILTER(f, (integer, a), (integer, b), (integer, c), (integer, d), (integer, e), (text, t)) {
             long a = weight(ctx->a), b = weight(ctx->b), c = weight(ctx->c), d = weight(ctx->d), e = weight(ctx->e);
             long is = perflab_text_is(ctx, t, \"sum\");
             if (is < 0)
                 return 2;
             if (is)
                 return a + b + c + d + e == 60;
             long begins = perflab_text_begins(ctx, t, \"pro\");
             return begins > 0 && a * b + c * d + e == 60;
         }",
        "integer a, integer b, integer c, integer d, integer e, text t",
        &[
            (&[1, 2, 5, 8, 0].map(integer).into_iter().chain([text("sum")]).collect::<Vec<_>>(), Record),
            (&[1, 2, 5, 8, 1].map(integer).into_iter().chain([text("sum")]).collect::<Vec<_>>(), Reject),
            (&[1, 2, 5, 40, 3].map(integer).into_iter().chain([text("pro")]).collect::<Vec<_>>(), Reject),
            (&[1, 40, 40, 0, 40].map(integer).into_iter().chain([text("product")]).collect::<Vec<_>>(), Record),
            (&[1, 2, 3, 5, 8].map(integer).into_iter().chain([ABSENT]).collect::<Vec<_>>(), RecordAndTrigger),
        ],
    );
}

#[test]
fn floating_point_numbers() {
    judges(
        "PERFLAB_FILTER(f, (double, ratio), (integer, n)) {
             unsigned long ratio = perflab_double(ctx, ratio);
             if (perflab_compare_doubles(ctx, ratio, PERFLAB_DOUBLE(0.5)) < 0)
                 return perflab_integer_of_double(ctx, ratio) == -3;
             return perflab_compare_doubles(ctx, ratio, perflab_double_of_integer(ctx, ctx->n)) == 0;
         }",
        "double ratio, integer n",
        &[
            (&[double(-3.75), integer(0)], Record),
            (&[double(-2.75), integer(0)], Reject),
            (&[double(7.0), integer(7)], Record),
            (&[double(7.5), integer(7)], Reject),
            (&[double(f64::NAN), integer(0)], Reject),
        ],
    );
}

#[test]
fn what_is_around_an_event() {
    judges(
        "PERFLAB_FILTER(f, (context, procname), (context, vtid), (integer, x), (context, ip)) {
             return perflab_text_begins(ctx, procname, \"redis\") == 1 && ctx->vtid == ctx->x && ctx->ip;
         }",
        "text $ctx.procname, integer $ctx.vtid, integer x, integer $ctx.ip",
        &[
            (&[text("redis-server"), integer(5), integer(5), integer(1)], Record),
            (&[text("redis-server"), integer(5), integer(6), integer(1)], Reject),
            (&[text("other"), integer(5), integer(5), integer(1)], Reject),
        ],
    );
}

/// Clang jumps back to a common end in the middle.
#[test]
fn jumps_back_without_a_loop() {
    let source = include_str!("../../objects/jumps.c");
    let object = Kept::new("jumps.o", &compiled(source, &["-O2"]).unwrap());
    assert!(disassembled(&object.path).contains(" goto -"));
    let with = |name, [a, b, c]: [i64; 3]| [text(name), integer(a), integer(b), integer(c)];
    judges(
        source,
        "text name, integer a, integer b, integer c",
        &[
            (&with("abc", [6, 3, 0]), Record),
            (&with("abc", [1_234_567, 0, 77]), Record),
            (&with("abc", [1_234_567, 0, 78]), Reject),
            (&with("abd", [6, 3, 0]), Reject),
            (&with("abd", [6, 3, 77]), Record),
            (&with("abd", [6, 4, 9]), Record),
            (&with("abd", [6, 4, 8]), RecordAndTrigger),
            (&with("abd", [5, 8, 2]), Record),
            (&with("abd", [5, 8, 3]), Reject),
            (&with("abd", [5, 7, 77]), Record),
        ],
    );
}

/// With nothing optimised everything goes through the stack.
#[test]
fn nothing_optimised() {
    let source = "PERFLAB_FILTER(f, (text, name), (integer, bytes)) {
             long is = perflab_text_is(ctx, name, \"SET\");
             return is > 0 && ctx->bytes > 512;
         }";
    for version in VERSIONS {
        let object = compiled(source, &["-O0", version]).unwrap();
        let object = read_object(&object).unwrap();
        let judged = |name, bytes| verdict(&object, &[text(name), integer(bytes)]);
        assert_eq!(judged("SET", 513), Record);
        assert_eq!(judged("SET", 512), Reject);
        assert_eq!(judged("SEX", 513), Reject);
    }
}

/// Information for debuggers changes nothing.
#[test]
fn debugging() {
    let source = "PERFLAB_FILTER(f, (integer, n)) { return ctx->n == 3; }";
    let plain = read_object(&compiled(source, &["-O2"]).unwrap()).unwrap();
    let with = read_object(&compiled(source, &["-O2", "-g"]).unwrap()).unwrap();
    assert_eq!(plain, with);
}
