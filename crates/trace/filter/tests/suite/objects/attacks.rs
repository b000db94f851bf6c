//! Filters in C that would do harm: each is refused with the rule that it breaks, however it is compiled.

use perflab_filter::read_object;

use super::{LEVELS, compiled};

/// That the body of a filter of an integer `n` and a text `t` is refused, and the refusal says this.
fn refused(before: &str, body: &str, expected: &str) {
    let source = format!("{before}\nPERFLAB_FILTER(f, (integer, n), (text, t)) {{ {body} }}");
    for level in LEVELS {
        let object = compiled(&source, &["-w", level, "-mcpu=v3"]);
        let object = object.unwrap_or_else(|said| panic!("{said}"));
        let problem = read_object(&object).expect_err(&source).to_string();
        assert!(problem.contains(expected), "{level}: {problem}\n{source}");
        assert!(problem.contains("instruction "), "{problem}");
    }
}

#[test]
fn loops() {
    // Nobody knows after how many rounds it ends.
    let body = "unsigned long n = ctx->n, rounds = 0;
        while (n > 1) { n = n & 1 ? 3 * n + 1 : n >> 1; rounds++; }
        return rounds > 9;";
    refused("", body, "closes a loop");
    refused("", body, "(rule V4, backward)");
}

#[test]
fn functions() {
    let own = "static __attribute__((noinline)) long own(long n) { return n * 3 + (n >> 1); }";
    refused(own, "return own(ctx->n) + own(ctx->n + 1);", "calls `own`");
    let other = "long other(long n);";
    refused(other, "return other(ctx->n);", "calls `other`");
    refused(other, "return other(ctx->n);", "(rule V17, call)");
    // At an address, and a helper that does not exist.
    let call = |number: &str| {
        format!(
            "register long r __asm__(\"r0\");
             __asm__(\"r1 = %1\\n\\tcall {number}\" : \"=r\"(r) : \"r\"(ctx) : \"r1\", \"r2\", \"r3\", \"r4\", \"r5\");
             return r;"
        )
    };
    refused("", &call("10"), "(`call 10`)");
    refused("", &call("10"), "an unknown helper (rule V15, helper)");
    refused("", &call("-1"), "an unknown helper (rule V15, helper)");
}

#[test]
fn data_that_can_be_written() {
    refused(
        "long hits;",
        "return ++hits > ctx->n;",
        "the address of `hits`",
    );
    refused(
        "long hits = 5;",
        "return ++hits > ctx->n;",
        "(rule V3, wide)",
    );
    refused(
        "extern long there;",
        "return there > ctx->n;",
        "the address of `there`",
    );
}

#[test]
fn other_memory_of_the_context() {
    let at = |place: &str| format!("return *(const volatile long *)((const char *)ctx + {place});");
    refused("", &at("16"), "(rule V10, context)");
    refused("", &at("-8"), "(rule V10, context)");
    refused("", &at("4096"), "(rule V10, context)");
    // Over two slots, and a text's address.
    refused("", &at("4"), "(rule V10, context)");
    refused("", &at("8"), "(rule V10, context)");
    // At a place that the event says.
    refused("", &at("ctx->n"), "(rule V14, address)");
}

#[test]
fn addresses() {
    refused("", "return (long)ctx;", "(rule V16, result)");
    refused("", "return (long)ctx == ctx->n;", "(rule V14, address)");
    refused(
        "",
        "return *(const volatile long *)ctx->n;",
        "(rule V14, address)",
    );
    refused("", "return (long)ctx * ctx->n > 5;", "(rule V14, address)");
}

#[test]
fn stores() {
    refused(
        "",
        "*(volatile long *)ctx = 1; return 1;",
        "(rule V12, store)",
    );
    refused(
        "",
        "*(volatile long *)ctx->n = 1; return 1;",
        "(rule V12, store)",
    );
}

#[test]
fn the_stack() {
    let body = "volatile char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}; return bytes[ctx->n & 7];";
    refused("", body, "(rule V14, address)");
    let atomic = "volatile long here = 0; __sync_fetch_and_add(&here, ctx->n); return here;";
    refused("", atomic, "(rule V17, call)");
}

#[test]
fn constants() {
    let table = "static const volatile long table[4] = {3, 1, 4, 1};";
    refused(table, "return table[ctx->n & 3];", "(rule V14, address)");
    refused(table, "return table[9];", "(rule V13, literal)");
}

/// The macros of the header check this, and the verifier checks code that goes around them.
#[test]
fn helpers() {
    let is = |offset: &str, bytes: &str| {
        format!(
            "register long r __asm__(\"r0\");
             __asm__(\"r1 = %[c]\\n\\tr2 = %[o]\\n\\tr3 = %[l]\\n\\tr4 = %[b]\\n\\tcall 1\" : \"=r\"(r)
                     : [c] \"r\"(ctx), [o] \"r\"((long)({offset})), [l] \"r\"(\"SET\"), [b] \"r\"((long)({bytes}))
                     : \"r1\", \"r2\", \"r3\", \"r4\", \"r5\");
             return r;"
        )
    };
    let (slot, literal) = ("class that it takes", "a constant length");
    for (offset, bytes, reason) in [
        // An integer's slot, none, one that the event names.
        ("0", "3", slot),
        ("16", "3", slot),
        ("ctx->n", "3", slot),
        // A literal that is not whole, one as long as the event says, and one with a zero.
        ("8", "4096", literal),
        ("8", "ctx->n", literal),
        ("8", "4", "a literal with a zero"),
    ] {
        let expected = format!("{reason} (rule V15, helper)");
        refused("", &is(offset, bytes), &expected);
    }
    let long = format!(
        "return perflab_text_is(ctx, t, \"{}\") > 0;",
        "x".repeat(1025)
    );
    refused(
        "",
        &long,
        "a literal of more than 1024 bytes (rule V15, helper)",
    );
}
