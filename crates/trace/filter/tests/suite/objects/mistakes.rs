//! What the header says where it is used wrongly.

use std::process::Command;

use perflab_filter::read_object;
use perflab_testing::needs;

use super::{INCLUDE, Kept, compiled};

fn said(source: &str) -> String {
    compiled(source, &["-O2"]).expect_err(source)
}

#[test]
fn slots_of_other_classes() {
    let with = |body: &str| {
        said(&format!(
            "PERFLAB_FILTER(f, (text, name), (integer, n), (double, d)) {{ return {body}; }}"
        ))
    };
    let text = with("perflab_text_is(ctx, n, \"a\")");
    assert!(text.contains("no slot of a text: n"), "{text}");
    let text = with("perflab_text_same(ctx, name, d)");
    assert!(text.contains("no slot of a text: d"), "{text}");
    let text = with("perflab_double(ctx, n) > 3");
    assert!(text.contains("no slot of a double: n"), "{text}");
    let text = with("ctx->name > 3");
    assert!(text.contains("invalid operands"), "{text}");
    let text = with("perflab_text_is(ctx, nmae, \"a\")");
    assert!(text.contains("no member named 'nmae'"), "{text}");
}

#[test]
fn two_filters_in_a_file() {
    let text = said(
        "PERFLAB_FILTER(f, (integer, n)) { return ctx->n; }
         PERFLAB_FILTER(g, (integer, n)) { return ctx->n; }",
    );
    assert!(text.contains("redefinition of 'perflab_context'"), "{text}");
    let object = compiled(
        "PERFLAB_FILTER(f, (integer, n)) { return ctx->n; }
         __attribute__((section(\"perflab/filter\"))) long g(void) { return 1; }",
        &["-O2"],
    );
    let problem = read_object(&object.unwrap()).unwrap_err().to_string();
    assert!(
        problem.contains("`f`") && problem.contains("`g`"),
        "{problem}"
    );
    assert!(problem.contains("expected one filter"), "{problem}");
}

#[test]
fn as_many_slots_as_there_may_be() {
    let with = |count: usize| {
        let slots: Vec<String> = (0..count).map(|at| format!("(integer, a{at})")).collect();
        let slots = slots.join(", ");
        compiled(
            &format!("PERFLAB_FILTER(f, {slots}) {{ return ctx->a0; }}"),
            &["-O2"],
        )
    };
    for count in [1, 2, 31, 32] {
        let object = read_object(&with(count).unwrap()).unwrap();
        let names = object.program.imports.iter().map(|import| &import.name);
        assert!(names.eq(&(0..count).map(|at| format!("a{at}")).collect::<Vec<_>>()));
    }
    for count in [33, 64] {
        let text = with(count).expect_err("too many");
        assert!(text.contains("a filter has at most 32 slots"), "{text}");
    }
}

#[test]
fn another_target() {
    needs("clang", "clang");
    let source = Kept::new("filter.c", b"#include <perflab/filter.h>\n");
    let mut clang = Command::new("clang");
    let output = clang
        .args(["-fsyntax-only", "-I", INCLUDE])
        .arg(&source.path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("compile with clang -O2 -target bpf"),
        "{text}"
    );
}
