/*
 * perflab/filter.h: filters on the arguments of probes, in C.
 *
 *     #include <perflab/filter.h>
 *
 *     PERFLAB_FILTER(big_sets, (text, name), (integer, bytes)) {
 *         return perflab_text_is(ctx, name, "SET") > 0 && ctx->bytes > 512;
 *     }
 *
 *     clang -O2 -target bpf -c big_sets.c
 *     perflab trace record 'kv:command' --when-object big_sets.o --pid 1234 -o sets.trace
 *
 * A file has one filter. It declares what it takes from an event, then comes the body of a function that judges one.
 * 0 rejects the event. 2 records it, and what waits for such an event happens. Any other number records it.
 *
 *     (integer, name)    an argument of type i8 to u64, bool, enum or ptr, extended to 64 bits: ctx->name
 *     (double, name)     an argument of type f32 or f64: see perflab_double
 *     (text, name)       an argument of type cstr, str or bytes, also with _nofault: see perflab_text_is
 *     (context, name)    what is around the event: the integers vtid, vpid, cpu_id, pthread_id and ip,
 *                        the text procname
 *
 * There may be 32 of them. Probes without such arguments are not recorded.
 *
 * The program is verified before it is used, wherever it comes from. It may calculate and compare with numbers, and use
 * the stack. It may not loop (a loop of a constant number of rounds is unrolled by clang), call functions that are not
 * inlined, write to variables outside of it, or read anything but integers of ctx, constants at constant indices, and
 * what the functions below read. `perflab filter dump --object big_sets.o` shows the program, or which instruction
 * breaks which rule.
 *
 * Needs clang 13 or newer.
 */
#ifndef PERFLAB_FILTER_H
#define PERFLAB_FILTER_H

#ifndef __bpf__
#error "perflab/filter.h is for filters: compile with clang -O2 -target bpf"
#endif

#define PERFLAB_INLINE_ static inline __attribute__((__always_inline__, __unused__))

/* Only the functions below take these. */
struct perflab_double {
    unsigned long perflab_opaque;
};
struct perflab_text {
    unsigned long perflab_opaque;
};

/* Newer compilers keep loads of it at constant offsets. */
#if defined(__has_attribute)
#if __has_attribute(preserve_static_offset)
#define PERFLAB_STATIC_ __attribute__((preserve_static_offset))
#endif
#endif
#ifndef PERFLAB_STATIC_
#define PERFLAB_STATIC_
#endif

#define PERFLAB_FILTER(filter, ...)                                                       \
    struct perflab_context {                                                              \
        PERFLAB_EACH_(PERFLAB_MEMBER_, __VA_ARGS__)                                       \
    } PERFLAB_STATIC_;                                                                    \
    __attribute__((__section__("perflab_imports"), __used__)) static const char           \
        perflab_slots[] = PERFLAB_EACH_(PERFLAB_LINE_, __VA_ARGS__);                    \
    long filter(const struct perflab_context *ctx);                                       \
    __attribute__((__section__("perflab/filter"), __used__)) long filter(const struct perflab_context *ctx)

/* A member of the context for each slot, of 8 bytes. */
#define PERFLAB_MEMBER_(kind, name) PERFLAB_MEMBER_##kind(name)
#define PERFLAB_MEMBER_integer(name) long name;
#define PERFLAB_MEMBER_double(name) struct perflab_double name;
#define PERFLAB_MEMBER_text(name) struct perflab_text name;
#define PERFLAB_MEMBER_context(name) PERFLAB_CONTEXT_##name
#define PERFLAB_CONTEXT_vtid long vtid;
#define PERFLAB_CONTEXT_vpid long vpid;
#define PERFLAB_CONTEXT_cpu_id long cpu_id;
#define PERFLAB_CONTEXT_pthread_id long pthread_id;
#define PERFLAB_CONTEXT_ip long ip;
#define PERFLAB_CONTEXT_procname struct perflab_text procname;

/* A line for each slot: its class, and the name of what it takes. */
#define PERFLAB_LINE_(kind, name) PERFLAB_LINE_##kind(name)
#define PERFLAB_LINE_integer(name) "integer " #name "\n"
#define PERFLAB_LINE_double(name) "double " #name "\n"
#define PERFLAB_LINE_text(name) "text " #name "\n"
#define PERFLAB_LINE_context(name) PERFLAB_LINE_CONTEXT_##name
#define PERFLAB_LINE_CONTEXT_vtid "integer $ctx.vtid\n"
#define PERFLAB_LINE_CONTEXT_vpid "integer $ctx.vpid\n"
#define PERFLAB_LINE_CONTEXT_cpu_id "integer $ctx.cpu_id\n"
#define PERFLAB_LINE_CONTEXT_pthread_id "integer $ctx.pthread_id\n"
#define PERFLAB_LINE_CONTEXT_ip "integer $ctx.ip\n"
#define PERFLAB_LINE_CONTEXT_procname "text $ctx.procname\n"

/*
 * Functions. Each takes `ctx`. A `slot` is the name of one that was declared.
 *
 * They are assembler text, so that each has its own arguments: a compiler would join two calls of one function with
 * different texts, and then no text would be constant.
 */

/* Whether a text equals a literal, begins with it, or matches it as a pattern: 1 or 0, or -1 if the text is not there,
 * as its address is null. A text ends at its first zero. A literal has at most 1024 bytes, and no zero but for
 * PERFLAB_ANY. */
#define perflab_text_is(ctx, slot, literal) PERFLAB_TEXT_TEST_(1, ctx, slot, literal)
#define perflab_text_begins(ctx, slot, literal) PERFLAB_TEXT_TEST_(2, ctx, slot, literal)
#define perflab_text_matches(ctx, slot, literal) PERFLAB_TEXT_TEST_(3, ctx, slot, literal)

/* Any letters or none, in the literal of perflab_text_matches: "user:" PERFLAB_ANY ":name". */
#define PERFLAB_ANY "\0"

#define PERFLAB_TEXT_TEST_(helper, ctx, slot, literal)                                    \
    ({                                                                                    \
        PERFLAB_IS_(ctx, slot, struct perflab_text, "no slot of a text: " #slot)          \
        register long perflab_result_ __asm__("r0");                                      \
        __asm__("r1 = %[context]\n\t"                                                     \
                "r2 = %[offset]\n\t"                                                      \
                "r3 = %[text]\n\t"                                                        \
                "r4 = %[length]\n\t"                                                      \
                "call " #helper                                                           \
                : "=r"(perflab_result_)                                                   \
                : [context] "r"(ctx), [offset] "i"(PERFLAB_OFFSET_(ctx, slot)),           \
                  [text] "r"("" literal), [length] "i"(sizeof("" literal) - 1)            \
                : "r1", "r2", "r3", "r4", "r5");                                          \
        perflab_result_;                                                                  \
    })

/* Whether two texts are equal: 1 or 0, or -1 if one of them is not there. */
#define perflab_text_same(ctx, slot, other)                                               \
    ({                                                                                    \
        PERFLAB_IS_(ctx, slot, struct perflab_text, "no slot of a text: " #slot)          \
        PERFLAB_IS_(ctx, other, struct perflab_text, "no slot of a text: " #other)        \
        register long perflab_result_ __asm__("r0");                                      \
        __asm__("r1 = %[context]\n\t"                                                     \
                "r2 = %[one]\n\t"                                                         \
                "r3 = %[two]\n\t"                                                         \
                "call 4"                                                                  \
                : "=r"(perflab_result_)                                                   \
                : [context] "r"(ctx), [one] "i"(PERFLAB_OFFSET_(ctx, slot)),              \
                  [two] "i"(PERFLAB_OFFSET_(ctx, other))                                  \
                : "r1", "r2", "r3", "r4", "r5");                                          \
        perflab_result_;                                                                  \
    })

/* The byte of a text at an index from 0: 0 to 255, or -1 if it has none there. A text of type str or bytes has bytes up
 * to its length, also behind a zero. */
#define perflab_text_byte(ctx, slot, index)                                               \
    ({                                                                                    \
        PERFLAB_IS_(ctx, slot, struct perflab_text, "no slot of a text: " #slot)          \
        register long perflab_result_ __asm__("r0");                                      \
        __asm__("r1 = %[context]\n\t"                                                     \
                "r2 = %[offset]\n\t"                                                      \
                "r3 = %[at]\n\t"                                                          \
                "call 5"                                                                  \
                : "=r"(perflab_result_)                                                   \
                : [context] "r"(ctx), [offset] "i"(PERFLAB_OFFSET_(ctx, slot)),           \
                  [at] "r"((long)(index))                                                 \
                : "r1", "r2", "r3", "r4", "r5");                                          \
        perflab_result_;                                                                  \
    })

/* eBPF has no floating-point numbers: here they are their 64 bits. Of an argument, and of a constant. */
#define perflab_double(ctx, slot)                                                         \
    ({                                                                                    \
        PERFLAB_IS_(ctx, slot, struct perflab_double, "no slot of a double: " #slot)      \
        register unsigned long perflab_result_ __asm__("r0");                             \
        __asm__("r1 = %[context]\n\t"                                                     \
                "r2 = %[offset]\n\t"                                                      \
                "call 6"                                                                  \
                : "=r"(perflab_result_)                                                   \
                : [context] "r"(ctx), [offset] "i"(PERFLAB_OFFSET_(ctx, slot))            \
                : "r1", "r2", "r3", "r4", "r5");                                          \
        perflab_result_;                                                                  \
    })
#define PERFLAB_DOUBLE(constant)                                                          \
    (((union {                                                                            \
        double perflab_value;                                                             \
        unsigned long perflab_bits;                                                       \
    }){.perflab_value = (constant)}).perflab_bits)

/* The number nearest to an integer. */
PERFLAB_INLINE_ unsigned long perflab_double_of_integer(const void *ctx, long integer) {
    register unsigned long result __asm__("r0");
    __asm__("r1 = %[context]\n\t"
            "r2 = %[integer]\n\t"
            "call 7"
            : "=r"(result)
            : [context] "r"(ctx), [integer] "r"(integer)
            : "r1", "r2", "r3", "r4", "r5");
    return result;
}

/* The integer part of a number; the smallest integer if it is too great, or not a number. */
PERFLAB_INLINE_ long perflab_integer_of_double(const void *ctx, unsigned long bits) {
    register long result __asm__("r0");
    __asm__("r1 = %[context]\n\t"
            "r2 = %[bits]\n\t"
            "call 8"
            : "=r"(result)
            : [context] "r"(ctx), [bits] "r"(bits)
            : "r1", "r2", "r3", "r4", "r5");
    return result;
}

/* -1, 0 or 1 as the first number is less, equal or greater; 2 if one is not a number. */
PERFLAB_INLINE_ long perflab_compare_doubles(const void *ctx, unsigned long one, unsigned long other) {
    register long result __asm__("r0");
    __asm__("r1 = %[context]\n\t"
            "r2 = %[one]\n\t"
            "r3 = %[other]\n\t"
            "call 9"
            : "=r"(result)
            : [context] "r"(ctx), [one] "r"(one), [other] "r"(other)
            : "r1", "r2", "r3", "r4", "r5");
    return result;
}

#define PERFLAB_OFFSET_(ctx, slot) __builtin_offsetof(__typeof__(*(ctx)), slot)
#define PERFLAB_IS_(ctx, slot, type, problem) \
    _Static_assert(__builtin_types_compatible_p(__typeof__((ctx)->slot), type), problem);

/* `use`, which is a macro, on each slot. */
#define PERFLAB_EACH_(use, ...) PERFLAB_EACH__(PERFLAB_COUNT_(__VA_ARGS__), use, __VA_ARGS__)
#define PERFLAB_EACH__(count, ...) PERFLAB_EACH___(count, __VA_ARGS__)
#define PERFLAB_EACH___(count, ...) PERFLAB_EACH_##count(__VA_ARGS__)

/* The number of slots; 33 for that many and more, of up to 64. */
#define PERFLAB_COUNT_(...)                                                               \
    PERFLAB_PICK_(__VA_ARGS__,                                                            \
                  33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33,         \
                  33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33,         \
                  32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17,         \
                  16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, )
#define PERFLAB_PICK_(                                                                    \
    a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16,                \
    a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32,       \
    a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48,       \
    a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64,       \
    picked, ...) picked

#define PERFLAB_EACH_1(use, slot) use slot
#define PERFLAB_EACH_2(use, slot, ...) use slot PERFLAB_EACH_1(use, __VA_ARGS__)
#define PERFLAB_EACH_3(use, slot, ...) use slot PERFLAB_EACH_2(use, __VA_ARGS__)
#define PERFLAB_EACH_4(use, slot, ...) use slot PERFLAB_EACH_3(use, __VA_ARGS__)
#define PERFLAB_EACH_5(use, slot, ...) use slot PERFLAB_EACH_4(use, __VA_ARGS__)
#define PERFLAB_EACH_6(use, slot, ...) use slot PERFLAB_EACH_5(use, __VA_ARGS__)
#define PERFLAB_EACH_7(use, slot, ...) use slot PERFLAB_EACH_6(use, __VA_ARGS__)
#define PERFLAB_EACH_8(use, slot, ...) use slot PERFLAB_EACH_7(use, __VA_ARGS__)
#define PERFLAB_EACH_9(use, slot, ...) use slot PERFLAB_EACH_8(use, __VA_ARGS__)
#define PERFLAB_EACH_10(use, slot, ...) use slot PERFLAB_EACH_9(use, __VA_ARGS__)
#define PERFLAB_EACH_11(use, slot, ...) use slot PERFLAB_EACH_10(use, __VA_ARGS__)
#define PERFLAB_EACH_12(use, slot, ...) use slot PERFLAB_EACH_11(use, __VA_ARGS__)
#define PERFLAB_EACH_13(use, slot, ...) use slot PERFLAB_EACH_12(use, __VA_ARGS__)
#define PERFLAB_EACH_14(use, slot, ...) use slot PERFLAB_EACH_13(use, __VA_ARGS__)
#define PERFLAB_EACH_15(use, slot, ...) use slot PERFLAB_EACH_14(use, __VA_ARGS__)
#define PERFLAB_EACH_16(use, slot, ...) use slot PERFLAB_EACH_15(use, __VA_ARGS__)
#define PERFLAB_EACH_17(use, slot, ...) use slot PERFLAB_EACH_16(use, __VA_ARGS__)
#define PERFLAB_EACH_18(use, slot, ...) use slot PERFLAB_EACH_17(use, __VA_ARGS__)
#define PERFLAB_EACH_19(use, slot, ...) use slot PERFLAB_EACH_18(use, __VA_ARGS__)
#define PERFLAB_EACH_20(use, slot, ...) use slot PERFLAB_EACH_19(use, __VA_ARGS__)
#define PERFLAB_EACH_21(use, slot, ...) use slot PERFLAB_EACH_20(use, __VA_ARGS__)
#define PERFLAB_EACH_22(use, slot, ...) use slot PERFLAB_EACH_21(use, __VA_ARGS__)
#define PERFLAB_EACH_23(use, slot, ...) use slot PERFLAB_EACH_22(use, __VA_ARGS__)
#define PERFLAB_EACH_24(use, slot, ...) use slot PERFLAB_EACH_23(use, __VA_ARGS__)
#define PERFLAB_EACH_25(use, slot, ...) use slot PERFLAB_EACH_24(use, __VA_ARGS__)
#define PERFLAB_EACH_26(use, slot, ...) use slot PERFLAB_EACH_25(use, __VA_ARGS__)
#define PERFLAB_EACH_27(use, slot, ...) use slot PERFLAB_EACH_26(use, __VA_ARGS__)
#define PERFLAB_EACH_28(use, slot, ...) use slot PERFLAB_EACH_27(use, __VA_ARGS__)
#define PERFLAB_EACH_29(use, slot, ...) use slot PERFLAB_EACH_28(use, __VA_ARGS__)
#define PERFLAB_EACH_30(use, slot, ...) use slot PERFLAB_EACH_29(use, __VA_ARGS__)
#define PERFLAB_EACH_31(use, slot, ...) use slot PERFLAB_EACH_30(use, __VA_ARGS__)
#define PERFLAB_EACH_32(use, slot, ...) use slot PERFLAB_EACH_31(use, __VA_ARGS__)
#define PERFLAB_EACH_33(use, ...) PERFLAB_33_##use
#define PERFLAB_33_PERFLAB_MEMBER_ _Static_assert(0, "a filter has at most 32 slots");
#define PERFLAB_33_PERFLAB_LINE_ ""

#endif
