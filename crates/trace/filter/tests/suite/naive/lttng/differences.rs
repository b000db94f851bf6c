//! What LTTng answers otherwise than its documents have it, or than perflab does. The reasons are in `docs/filters.md`,
//! under `What differs from LTTng`, most of them found in LTTng-UST's `lttng-bytecode-*.c`.

/// A row of `docs/filters.md`.
pub struct Difference {
    /// What the page says of the expression.
    pub row: &'static str,
    /// Expression and event of a vector, and whether LTTng records it. Behind each text LTTng reads zeros.
    pub cases: &'static [(&'static str, &'static str, bool)],
}

/// Whether LTTng records the event of a vector, if that is not what is documented.
pub fn lttng(text: &str, fields: &str) -> Option<bool> {
    let mut cases = DIFFERENCES.iter().flat_map(|difference| difference.cases);
    let case = cases.find(|(own, event, _)| (*own, *event) == (text, fields));
    case.map(|(_, _, is_recorded)| *is_recorded)
}

pub const DIFFERENCES: &[Difference] = &[
    Difference {
        row: r#"| `name < "b"` |"#,
        cases: &[
            ("s < t", "cstr s=a; cstr t=b", true),
            (r#"s >= "a""#, "cstr s=a", true),
        ],
    },
    Difference {
        row: r#"| `"a*" == "b*"` |"#,
        cases: &[(r#""salut*" == "salut vous*""#, "", true)],
    },
    Difference {
        row: r#"| `+name == "a"` |"#,
        cases: &[(r#"+s == "a""#, "cstr s=a", true)],
    },
    Difference {
        row: "| `data[1][2]` |",
        cases: &[("b[0][0] == 1", "bytes b=1", true)],
    },
    Difference {
        row: r"| `n == 1 \|\| $app.p:t == 1` |",
        cases: &[("n == 1 || $app.p:t == 1", "i32 n=1", true)],
    },
    Difference {
        row: "| `!ratio`, with a double,",
        cases: &[
            ("!d == 1 && !d", "f64 d=0", false),
            ("!!d", "f64 d=0.5", false),
            ("!0.0", "", false),
        ],
    },
    Difference {
        row: "| `data[0] && x` |",
        cases: &[("b[0] && 1", "bytes b=1", false)],
    },
    Difference {
        row: "| `flags & 1 && n == 2` |",
        cases: &[
            ("n & 1 && n == 5", "i32 n=5", false),
            ("1 || 1 << 64", "", false),
        ],
    },
    Difference {
        row: r"| `-1 && n`, `-1.5 \|\| n` |",
        cases: &[
            ("-1 && n", "i32 n=1", false),
            ("-1.5 || n", "i32 n=1", false),
        ],
    },
    Difference {
        row: "| `data[9]` behind the end |",
        cases: &[
            (
                "eax_reg & 0xff7 == 0x240 && x[4] >> 12 <= 0x1234",
                "u32 eax_reg=576; bytes x=1,2,3,4",
                true,
            ),
            ("b[3] != 0 || 1", "bytes b=1,2,3", true),
            ("!b[3]", "bytes b=1,2,3", true),
        ],
    },
    Difference {
        row: "| more than nine `<=`; `1.0 == (n <= 2)` |",
        cases: &[
            (
                "n<=1 && n<=1 && n<=1 && n<=1 && n<=1 && n<=1 && n<=1 && n<=1 && n<=1 && n<=1 && n<=1",
                "i32 n=1",
                false,
            ),
            ("1.0 == (n <= 2)", "i32 n=2", false),
        ],
    },
    Difference {
        row: "| `1.5 < (a & b)`",
        cases: &[("1.5 < (n & 1)", "i32 n=1", true)],
    },
    Difference {
        row: "| more than 8 values at once",
        cases: &[(
            "1 | (1 | (1 | (1 | (1 | (1 | (1 | (1 | (1 | (1 | (1 | 1))))))))))",
            "",
            false,
        )],
    },
    Difference {
        row: r#"| `"a\*b" == "*\\*"`"#,
        cases: &[(r#""a\*b" == "*\\*""#, "", true)],
    },
    Difference {
        row: "the letters `ESCSEQ`; `0u`; `0X1F` |",
        cases: &[
            (r#"s == "ESCSEQ""#, "cstr s=ESCSEQ", false),
            ("n == 0u", "i32 n=0", false),
            ("n == 0X1F", "i32 n=31", false),
        ],
    },
    Difference {
        row: "| a constant of more than 20 digits |",
        cases: &[("n == 100000000000000000000000", "i64 n=-1", false)],
    },
    Difference {
        row: "| `cstr` at a null pointer |",
        cases: &[
            (r#"s == "x" || 1"#, "cstr s=null", true),
            (r#"s != "x""#, "cstr s=null", true),
            (r#"!(s == "x")"#, "cstr s=null", true),
            (r#"s == "*""#, "cstr s=null", true),
            ("s == t", "cstr s=null; cstr t=null", true),
        ],
    },
    Difference {
        row: "| `bytes` compared with a text |",
        cases: &[(r#""SET" == s"#, "bytes s=83,69,84", false)],
    },
];
