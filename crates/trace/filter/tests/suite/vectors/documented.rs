//! The examples of LTTng's documents, and expressions of its own tests.

use super::Rule;
use crate::naive::Answer::{Missing, No, Refused, Yes};

/// The fields of the event that LTTng's own tests of filters hit.
const TPTEST: &str = "i32 intfield=1; i64 longfield=1; cstr stringfield=test; f64 doublefield=2; bytes seqfield4=1,2,3";

pub const RULES: &[Rule] = &[
    Rule {
        says: "the examples of expressions",
        source: "lttng-enable-event(1) 2.10 to 2.12, lttng-event-rule(7), doc/api/liblttng-ctl/dox/filter-expr.dox",
        vectors: &[
            (
                "msg_id == 23 && size >= 2048",
                "i32 msg_id=23; u64 size=2048",
                Yes,
            ),
            (
                "msg_id == 23 && size >= 2048",
                "i32 msg_id=23; u64 size=2047",
                No,
            ),
            (
                "msg_id == 23 && size >= 2048",
                "i32 msg_id=22; u64 size=2048",
                No,
            ),
            (
                r#"$ctx.procname == "lttng*" && (!flag || poel < 34)"#,
                "u8 flag=0; i32 poel=99; $ctx.procname=lttng-sessiond",
                Yes,
            ),
            (
                r#"$ctx.procname == "lttng*" && (!flag || poel < 34)"#,
                "u8 flag=1; i32 poel=33; $ctx.procname=lttng",
                Yes,
            ),
            (
                r#"$ctx.procname == "lttng*" && (!flag || poel < 34)"#,
                "u8 flag=1; i32 poel=34; $ctx.procname=lttng",
                No,
            ),
            (
                r#"$ctx.procname == "lttng*" && (!flag || poel < 34)"#,
                "u8 flag=0; i32 poel=0; $ctx.procname=lttn",
                No,
            ),
            // No application has given perflab a context, so the whole filter is false, whatever `some_enum` is.
            (
                "$app.my_provider:my_context == 17.34e9 || some_enum >= 14",
                "enum(A=14) some_enum=14",
                Missing,
            ),
            (
                r#"$ctx.cpu_id == 2 && filename != "*.log""#,
                "cstr filename=a.txt; $ctx.cpu_id=2",
                Yes,
            ),
            (
                r#"$ctx.cpu_id == 2 && filename != "*.log""#,
                "cstr filename=a.log; $ctx.cpu_id=2",
                No,
            ),
            (
                r#"$ctx.cpu_id == 2 && filename != "*.log""#,
                "cstr filename=a.txt; $ctx.cpu_id=3",
                No,
            ),
            (
                "eax_reg & 0xff7 == 0x240 && x[4] >> 12 <= 0x1234",
                "u32 eax_reg=584; bytes x=1,2,3,4,5",
                Yes,
            ),
            (
                "eax_reg & 0xff7 == 0x240 && x[4] >> 12 <= 0x1234",
                "u32 eax_reg=577; bytes x=1,2,3,4,5",
                No,
            ),
            (
                "eax_reg & 0xff7 == 0x240 && x[4] >> 12 <= 0x1234",
                "u32 eax_reg=576; bytes x=1,2,3,4",
                No,
            ),
        ],
    },
    Rule {
        says: "the examples of names",
        source: "lttng-event-rule(7), `NAME`, `$ctx.TYPE`, `$app.PROVIDER:TYPE`",
        vectors: &[
            ("my_field", "i32 my_field=-1", Yes),
            ("target_cpu", "i32 target_cpu=0", No),
            ("seq[7]", "bytes seq=0,0,0,0,0,0,0,1", Yes),
            ("seq[7]", "bytes seq=1,1,1,1,1,1,1", No),
            // No argument of ours has parts, and LTTng UST does not link a filter with them.
            ("msg.user[1].data", "i32 msg=1", Missing),
            ("msg.user[1].data[2][17]", "i32 msg=1", Refused),
            // These are of the kernel only.
            ("$ctx.prio", "", Refused),
            ("$ctx.gid", "", Refused),
            ("$ctx.preemptible", "", Refused),
            ("$ctx.pid == 2832", "", Refused),
            ("$app.server:cur_user", "", Missing),
        ],
    },
    Rule {
        says: "the examples of texts",
        source: "lttng-event-rule(7), `Compare strings`",
        vectors: &[
            (r#"my_field == "user34""#, "cstr my_field=user34", Yes),
            (r#"my_field == "user34""#, "cstr my_field=user3", No),
            (
                "my_field == my_other_field",
                "cstr my_field=a; str my_other_field=a",
                Yes,
            ),
            (
                "my_field == my_other_field",
                "cstr my_field=a; str my_other_field=b",
                No,
            ),
            (
                r#"my_field == "192.168.*""#,
                "cstr my_field=192.168.0.1",
                Yes,
            ),
            (
                r#"my_field == "192.168.*""#,
                "cstr my_field=192.169.0.1",
                No,
            ),
        ],
    },
    Rule {
        says: "the difference to C: bits before comparisons",
        source: "lttng-event-rule(7), the note at the table of precedence",
        vectors: &[("2 & 2 == 2", "", Yes)],
    },
    Rule {
        says: "the examples of the LTTng documentation",
        source: "lttng-docs-2.13.txt, `Create and enable a recording event rule`, `Add an event rule matches trigger`",
        vectors: &[
            (r#"prev_comm == "bash""#, "cstr prev_comm=bash", Yes),
            (r#"prev_comm == "bash""#, "cstr prev_comm=zsh", No),
            (r#"next_comm == "bash""#, "cstr next_comm=bash", Yes),
            // A context of the kernel.
            ("$ctx.tid == 1988 || $ctx.tid == 1534", "", Refused),
            ("$app.retriever:cur_msg_id > 3", "", Missing),
        ],
    },
    Rule {
        says: "the example of a trigger",
        source: "lttng-add-trigger(1)",
        vectors: &[("fd < 3", "i32 fd=2", Yes), ("fd < 3", "i32 fd=3", No)],
    },
    Rule {
        says: "expressions of LTTng's own tests",
        source: "tests/regression/tools/filtering/test_valid_filter",
        vectors: &[
            ("intfield", TPTEST, Yes),
            ("!intfield", TPTEST, No),
            ("-intfield", TPTEST, Yes),
            ("--intfield", TPTEST, Yes),
            ("++intfield", TPTEST, Yes),
            (
                "intfield > 1 && longfield > 42",
                "i32 intfield=43; i64 longfield=43",
                Yes,
            ),
            (
                "intfield > 1 && longfield > 42",
                "i32 intfield=42; i64 longfield=42",
                No,
            ),
            (
                r#"(stringfield == "test" || intfield != 10) && intfield > 33"#,
                "cstr stringfield=test; i32 intfield=34",
                Yes,
            ),
            (
                r#"(stringfield == "test" || intfield != 10) && intfield > 33"#,
                "cstr stringfield=toast; i32 intfield=33",
                No,
            ),
            ("intfield < 42.4242424242", "i32 intfield=42", Yes),
            ("intfield < 42.4242424242", "i32 intfield=43", No),
            (r#""test" == "test""#, "", Yes),
            (r#"stringfield == "t*""#, TPTEST, Yes),
            (r#"stringfield2 == "\\*""#, r"cstr stringfield2=\*", Yes),
            ("seqfield4[1]==2", TPTEST, Yes),
            ("(seqfield4[2] | 0x111000) == 0x111003", TPTEST, Yes),
            ("1 | (1 | (1 | 1))", "", Yes),
            ("1 >= (1 >= (1 >= 1))", "", Yes),
            ("(0xF00F0F ^ 0xFF0F00) == 0x0F000F", "", Yes),
            ("(~0 & 0xffffffffffffffff) == 0xffffffffffffffff", "", Yes),
            ("-1==~0", "", Yes),
            ("~0>>4==0x0fffffffffffffff", "", Yes),
            ("1<<-1", "", No),
            ("1<<10000", "", No),
            ("(1<<63) < 0", "", Yes),
            ("(1 << 63) == 9223372036854775808", "", Yes),
            ("(1<<2!=4)==0", "", Yes),
            ("1&3==1", "", Yes),
            ("(3|1==3)==1", "", Yes),
            ("(2^1==3)==1", "", Yes),
            ("intfield < 0xDEADBEEF", TPTEST, Yes),
            ("intfield < 02", TPTEST, Yes),
            ("1.0 || intfield || 1.0", TPTEST, Yes),
            ("0 != $ctx.vtid", "", Yes),
            (r#""gen-ust-events*" == $ctx.procname"#, "", Yes),
            ("!a.f.d", TPTEST, Missing),
            ("asdf.asdfsd.sadf < 4", TPTEST, Missing),
            ("$ctx.vtid.blah == 0", TPTEST, Refused),
        ],
    },
    Rule {
        says: "expressions that LTTng's own tests want refused",
        source: "tests/regression/tools/filtering/test_invalid_filter, test_unsupported_op",
        vectors: &[
            ("intfield*1", TPTEST, Refused),
            ("intfield/1", TPTEST, Refused),
            ("intfield%1", TPTEST, Refused),
            ("intfield+1", TPTEST, Refused),
            ("intfield-1", TPTEST, Refused),
            ("!+-+++-------+++++++++++-----!!--!44+1", TPTEST, Refused),
            ("((intfield)", TPTEST, Refused),
            (r#"0 || ("abc" != "def")) && (3 < 4)"#, TPTEST, Refused),
            ("intfield->", TPTEST, Refused),
            ("a->a", "i32 a=1", Refused),
            (r#""somestring""#, TPTEST, Refused),
            (r#"!"somestring""#, TPTEST, Refused),
            (r#""somestring" > 42"#, TPTEST, Refused),
            (r#"42.0 > "somestring""#, TPTEST, Refused),
            (r#"1 || "somestring""#, TPTEST, Refused),
            ("0 == $ctx", TPTEST, Refused),
            ("$ctx.44 == 0", TPTEST, Refused),
            ("$global.value == 0", TPTEST, Refused),
            (r#""hello*world" == "yes*man""#, TPTEST, Refused),
            (r#""hello*world" < stringfield"#, TPTEST, Refused),
            (r#"stringfield && "hello*world""#, TPTEST, Refused),
        ],
    },
];
