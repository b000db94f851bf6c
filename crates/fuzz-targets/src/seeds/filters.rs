//! Decisions of which filter programs are made, expressions, and objects.

use perflab_filter::{Fields, check, ebpf, lower, parse, write_object};

use super::collection::Collection;

pub fn collect(all: &mut Collection<'_>) {
    programs(all);
    texts(all);
    objects(all);
}

fn programs(all: &mut Collection<'_>) {
    for (name, count) in [("short", 60), ("medium", 200), ("long", 800)] {
        for seed in 0..4_u32 {
            let mut state = seed;
            let bytes = std::iter::repeat_with(|| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            });
            let bytes: Vec<u8> = bytes.take(count).collect();
            all.add("filter_program", format!("{name}-{seed}"), bytes);
        }
    }
}

/// Each operator, each form of a constant, and each class of value.
fn texts(all: &mut Collection<'_>) {
    let texts = [
        "name == \"SET\" && size > 512",
        "key == \"user:*\" || key != 'a\\*b' && \"*x*y\" == name",
        "(fd >> 1 ^ ~at | kind) & 0x7fUL == 017",
        "!(mean >= -0.5e3) && ratio != .25f && +ratio < 0x1p3",
        "1 << fd <= data[0] || data[4294967295] == 3",
        "(is_new && size) > 3 && name == key && name != data",
        "$ctx.procname == L\"redis*\" && $ctx.vtid == $ctx.vpid",
        "((fd || mean) && ratio) == 2 /* of two */ // or more",
        "nmae == \"SET\"",
        "$app.shop:stock > 3 || a[7].b",
    ];
    for (text, number) in texts.into_iter().zip(1..) {
        all.add("filter_text", format!("{number}"), text);
    }
}

/// Objects that clang made, and our own.
fn objects(all: &mut Collection<'_>) {
    for name in ["big_sets", "jumps"] {
        let path = format!("crates/trace/filter/tests/objects/{name}.o");
        all.add_file("filter_object", name, "", &path);
    }
    let fields = [("i32", "fd"), ("cstr", "name"), ("f64", "ratio")];
    let fields = Fields::new(fields).expect("all types are known");
    for (name, text) in [
        ("constant", "1"),
        ("texts", "name == \"GET\" || name == \"S*\" && fd > 3"),
        ("double", "ratio < 0.5 || $ctx.procname == \"redis\""),
    ] {
        let checked = parse(text).and_then(|tree| check(&tree, &fields));
        let program = ebpf(&lower(&checked.expect("it is an expression"))).expect("it is small");
        all.add("filter_object", name, write_object(&program));
    }
}
