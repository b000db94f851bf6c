/*
 * perflab/probe.h: probe sites for C and C++ that cost one no-op until they are switched on.
 *
 *     #include <perflab/probe.h>
 *
 *     void handle(struct client *c) {
 *         PERFLAB_PROBE(shop, request_start, (i32, fd, c->fd), (cstr, name, c->name));
 *         ...
 *     }
 *
 * The first two arguments name the provider and the probe. Each further one is a type, a name and an
 * expression; `str` and `bytes` take an address and a length. There may be 64 arguments. Names are identifiers of at
 * most 128 bytes. They are taken as they are written, also if they are macros too, like `errno`.
 * Expressions are evaluated only while the site is on, and once, so they must not have effects that the program needs.
 *
 *     i8 i16 i32 i64 u8 u16 u32 u64    integers
 *     f32 f64                          floating-point numbers
 *     bool                             a truth value
 *     ptr                              an address
 *     cstr                             text that ends with a zero byte, or a null pointer
 *     str bytes                        (str, name, address, length): text in UTF-8, or any bytes, or a null pointer
 *     enum(A=0,B=1)                    an integer whose values have names; the values are digits
 *     cstr_nofault str_nofault bytes_nofault
 *                                      the same, read by the kernel, which takes a system call for each: what cannot
 *                                      be read is left out, where the others would end the program
 *
 * PERFLAB_PROBE_ORDERED is the same for a probe whose events are to be shown in their true order with those of all such
 * probes in other threads, as behind a lock. An event takes twice the time: see "Order" in docs/probes.md.
 *
 * Define one of these before the header, the same for all of a program, to choose what a site is:
 *
 *     (nothing)              a no-op of five bytes that is patched into a jump
 *     PERFLAB_PROBE_BRANCH   a flag is loaded and tested
 *     PERFLAB_PROBE_NONE     nothing; expressions are type-checked and dropped
 *
 * A program with sites needs no library and does nothing by itself. An agent in the process
 * (libperflab_preload.so) finds the sites through a note and switches them. Tracers that know SystemTap's
 * notes (bpftrace, perf, gdb) find the same probes; each of their arguments is 8 bytes wide, and `str` and
 * `bytes` are two of them, address and length. Of a probe with more than twelve arguments they find the first twelve.
 *
 * Needs x86-64 Linux, gcc 9 with binutils 2.36 or clang 13, C99 or C++11, or newer; elsewhere a site is nothing.
 * Works inlined, in templates, with link-time optimisation, static or shared, position-independent or not.
 */
#ifndef PERFLAB_PROBE_H
#define PERFLAB_PROBE_H

#if defined(__cplusplus) ? __cplusplus < 201103L \
                         : defined(__STRICT_ANSI__) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#ifdef __cplusplus
#error "perflab/probe.h needs C++11 or newer: compile with -std=c++11"
#else
#error "perflab/probe.h needs C99 or newer: compile with -std=c99"
#endif
/* So that this is the only error. */
#define PERFLAB_PROBE(...) do { } while (0)
#define PERFLAB_PROBE_ORDERED PERFLAB_PROBE
#else

/* Else gcc shows each macro between an error and the line with the probe. It warns of the line's own tokens as before;
 * clang would not, and shows a few macros only. */
#ifndef __clang__
#pragma GCC system_header
#endif

#include <stdint.h>

#if !defined(PERFLAB_PROBE_NONE) && !(defined(__x86_64__) && defined(__linux__) && defined(__LP64__))
#define PERFLAB_PROBE_NONE
#endif

#ifdef __cplusplus
#define PERFLAB_CAST_(type, value) static_cast<type>(value)
#define PERFLAB_ADDRESS_(value) reinterpret_cast<uintptr_t>(value)
#else
#define PERFLAB_CAST_(type, value) ((type)(value))
#define PERFLAB_ADDRESS_(value) ((uintptr_t)(value))
#endif

/* A compiler takes assembler text for as many instructions as it has lines, and inlines a function with
 * sites less than one without; unless it is told that there is one. */
#if defined(__clang__) ? __clang_major__ >= 11 : __GNUC__ >= 9
#define PERFLAB_ASM_ __asm__ __inline__
#else
#define PERFLAB_ASM_ __asm__
#endif

/* Where a jump leads that is seldom made; clang takes that for granted. */
#ifdef __clang__
#define PERFLAB_COLD_
#else
#define PERFLAB_COLD_ __attribute__((__cold__));
#endif

#define PERFLAB_INLINE_ static inline __attribute__((__always_inline__, __unused__))

/* One place in the source with a site; see `Point` of the crate perflab-abi. All names in this file are its own:
 * a program may have macros of any other name. */
struct perflab_point {
    uint16_t perflab_version;
    uint16_t perflab_size;
    uint32_t perflab_enabled;
    void (*perflab_handler)(void);
    uint64_t perflab_hits;
    uint64_t perflab_agent;
};

/* Each type becomes one word. A conversion that loses something is the compiler's to warn of. */
PERFLAB_INLINE_ uint64_t perflab_i64_(int64_t perflab_value) { return PERFLAB_CAST_(uint64_t, perflab_value); }
PERFLAB_INLINE_ uint64_t perflab_i32_(int32_t perflab_value) { return perflab_i64_(perflab_value); }
PERFLAB_INLINE_ uint64_t perflab_i16_(int16_t perflab_value) { return perflab_i64_(perflab_value); }
PERFLAB_INLINE_ uint64_t perflab_i8_(int8_t perflab_value) { return perflab_i64_(perflab_value); }
PERFLAB_INLINE_ uint64_t perflab_u64_(uint64_t perflab_value) { return perflab_value; }
PERFLAB_INLINE_ uint64_t perflab_str_and_bytes_take_an_address_and_a_length_(
    uint64_t perflab_str_and_bytes_take_an_address_and_a_length) {
    return perflab_str_and_bytes_take_an_address_and_a_length;
}
PERFLAB_INLINE_ uint64_t perflab_u32_(uint32_t perflab_value) { return perflab_value; }
PERFLAB_INLINE_ uint64_t perflab_u16_(uint16_t perflab_value) { return perflab_value; }
PERFLAB_INLINE_ uint64_t perflab_u8_(uint8_t perflab_value) { return perflab_value; }
PERFLAB_INLINE_ uint64_t perflab_ptr_(const volatile void *perflab_value) { return PERFLAB_ADDRESS_(perflab_value); }
PERFLAB_INLINE_ uint64_t perflab_f64_(double perflab_value) {
    uint64_t perflab_bits;
    __builtin_memcpy(&perflab_bits, &perflab_value, sizeof perflab_bits);
    return perflab_bits;
}
PERFLAB_INLINE_ uint64_t perflab_f32_(float perflab_value) {
    uint32_t perflab_bits;
    __builtin_memcpy(&perflab_bits, &perflab_value, sizeof perflab_bits);
    return perflab_bits;
}

/* Letters of a text may be signed or not. */
#ifdef __cplusplus
PERFLAB_INLINE_ uint64_t perflab_bool_(bool perflab_value) { return perflab_value; }
PERFLAB_INLINE_ uint64_t perflab_cstr_(const char *perflab_value) { return PERFLAB_ADDRESS_(perflab_value); }
extern "C++" {
template <class perflab_letter> struct perflab_is_letter_ {};
template <> struct perflab_is_letter_<unsigned char> { typedef uint64_t perflab_word; };
template <> struct perflab_is_letter_<signed char> { typedef uint64_t perflab_word; };
#ifdef __cpp_char8_t
template <> struct perflab_is_letter_<char8_t> { typedef uint64_t perflab_word; };
#endif
template <class perflab_letter>
PERFLAB_INLINE_ typename perflab_is_letter_<perflab_letter>::perflab_word perflab_cstr_(const perflab_letter *perflab_value) {
    return PERFLAB_ADDRESS_(perflab_value);
}
}
#else
PERFLAB_INLINE_ uint64_t perflab_bool_(_Bool perflab_value) { return perflab_value; }
typedef union {
    const char *perflab_plain;
    const unsigned char *perflab_unsigned;
    const signed char *perflab_signed;
} perflab_text_ __attribute__((__transparent_union__));
PERFLAB_INLINE_ uint64_t perflab_cstr_(perflab_text_ perflab_value) { return PERFLAB_ADDRESS_(perflab_value.perflab_plain); }
#endif

/* The words of an address and a length. */
#define PERFLAB_TEXT_WORDS_(address, ...) perflab_cstr_(address), PERFLAB_LENGTH_(__VA_ARGS__)
#define PERFLAB_BYTES_WORDS_(address, ...) perflab_ptr_(address), PERFLAB_LENGTH_(__VA_ARGS__)
/* A compiler that is given another number of values says what the function, or its parameter, is called. */
#define PERFLAB_LENGTH_ perflab_str_and_bytes_take_an_address_and_a_length_
#define PERFLAB_NO_WORD_(...) 0

/* Of each type: what makes its words, and their number. */
#define PERFLAB_TYPE_i8 , perflab_i8_, 1
#define PERFLAB_TYPE_i16 , perflab_i16_, 1
#define PERFLAB_TYPE_i32 , perflab_i32_, 1
#define PERFLAB_TYPE_i64 , perflab_i64_, 1
#define PERFLAB_TYPE_u8 , perflab_u8_, 1
#define PERFLAB_TYPE_u16 , perflab_u16_, 1
#define PERFLAB_TYPE_u32 , perflab_u32_, 1
#define PERFLAB_TYPE_u64 , perflab_u64_, 1
#define PERFLAB_TYPE_f32 , perflab_f32_, 1
#define PERFLAB_TYPE_f64 , perflab_f64_, 1
#define PERFLAB_TYPE_bool , perflab_bool_, 1
#define PERFLAB_TYPE_ptr , perflab_ptr_, 1
#define PERFLAB_TYPE_cstr , perflab_cstr_, 1
#define PERFLAB_TYPE_str , PERFLAB_TEXT_WORDS_, 2
#define PERFLAB_TYPE_bytes , PERFLAB_BYTES_WORDS_, 2
#define PERFLAB_TYPE_cstr_nofault , perflab_cstr_, 1
#define PERFLAB_TYPE_str_nofault , PERFLAB_TEXT_WORDS_, 2
#define PERFLAB_TYPE_bytes_nofault , PERFLAB_BYTES_WORDS_, 2
#define PERFLAB_TYPE_enum(...) , perflab_i64_, 1

/*
 * Names and types must not be expanded, as they may be macros too. What stands beside ## is not: so each macro hands its
 * arguments on behind `e`, which is empty, and ##.
 *
 * PERFLAB_ARGUMENT_ takes an argument to pieces: PERFLAB_PARTS_ for what is made of it, PERFLAB_CHECK_ to see that it is
 * right. What is no argument has pieces that do no harm, so that there is one error and not one for each use.
 */
#define PERFLAB_ARGUMENT_(e, pieces, a) \
    PERFLAB_ARGUMENT__(e, pieces, PERFLAB_SECOND_(PERFLAB_TUPLE_ e##a, 0, ), e##a)
#define PERFLAB_ARGUMENT__(e, pieces, length, a) PERFLAB_ARGUMENT___(e, pieces, length, e##a)
#define PERFLAB_ARGUMENT___(e, pieces, length, a) PERFLAB_ARGUMENT_##length(e, pieces, e##a)
#define PERFLAB_ARGUMENT_0(e, pieces, a) pieces##none("an argument is (type, name, value), not " #a)
#define PERFLAB_ARGUMENT_1 PERFLAB_ARGUMENT_0
#define PERFLAB_ARGUMENT_2 PERFLAB_ARGUMENT_0
#define PERFLAB_ARGUMENT_3(e, pieces, a) pieces##of e##a

/* What makes its words, their number, its line of the description, its expression. */
#define PERFLAB_PARTS_of(type, name, ...) \
    PERFLAB_TYPED_(PERFLAB_TYPE_##type, PERFLAB_NO_WORD_, 1, ), #type " " #name, __VA_ARGS__
#define PERFLAB_PARTS_none(problem) PERFLAB_NO_WORD_, 1, "", 0
#define PERFLAB_CHECK_of(type, name, ...)                                                  \
    PERFLAB_ASSERT_(PERFLAB_SECOND_(PERFLAB_TYPED_(PERFLAB_TYPE_##type, 0, 0, ), ),          \
                    "no type of an argument: " #type)                                      \
    PERFLAB_SECOND_(PERFLAB_CHECK_TYPE_##type, , )                                         \
    PERFLAB_CHECK_NAME_(#name)
#define PERFLAB_CHECK_none(problem) PERFLAB_ASSERT_(0, problem)

#define PERFLAB_TYPED_(...) PERFLAB_TYPED__(__VA_ARGS__)
#define PERFLAB_TYPED__(none, words, number, ...) words, number
#define PERFLAB_SECOND_(...) PERFLAB_SECOND__(__VA_ARGS__)
#define PERFLAB_SECOND__(first, second, ...) second

/* 3 for that many and more, of up to 127. */
#define PERFLAB_TUPLE_(...) \
    , PERFLAB_PICK_(__VA_ARGS__, \
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, \
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, \
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, \
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, \
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, \
    3, 3, 3, 3, 3, 2, 1, )
/* The number of arguments, which come behind provider and name and before nothing; 65 for that many and more, of up to
 * 125. */
#define PERFLAB_NUMBER_(e, ...) PERFLAB_PICK_(e##__VA_ARGS__, \
    65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, \
    65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, \
    65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, \
    52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, \
    28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, \
    4, 3, 2, 1, 0, 0, 0, )
#define PERFLAB_PICK_( \
    a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, \
    a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, \
    a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, a65, a66, a67, a68, a69, a70, a71, a72, \
    a73, a74, a75, a76, a77, a78, a79, a80, a81, a82, a83, a84, a85, a86, a87, a88, a89, a90, a91, a92, a93, a94, a95, a96, \
    a97, a98, a99, a100, a101, a102, a103, a104, a105, a106, a107, a108, a109, a110, a111, a112, a113, a114, a115, a116, a117, a118, a119, a120, \
    a121, a122, a123, a124, a125, a126, a127, \
    picked, ...) picked

/* What is made of each argument; `left` counts down to 1, the last, and `at` is the place of its first word. */
#define PERFLAB_EACH_CHECK_(left, at, ...) __VA_ARGS__
#define PERFLAB_EACH_TEXT_(left, at, words, number, text, ...) "\\n" text
#define PERFLAB_EACH_SYMBOL_(left, at, words, number, text, ...) ", " text
#define PERFLAB_EACH_WORDS_(left, at, words, number, text, ...) , words(__VA_ARGS__)
#define PERFLAB_EACH_NUMBER_(left, at, words, number, ...) +number
#define PERFLAB_EACH_PLACE_(left, at, words, number, ...) PERFLAB_PLACE_##number(left)
#define PERFLAB_PLACE_1(left) "8@%[perflab_" #left "_1] "
#define PERFLAB_PLACE_2(left) "8@%[perflab_" #left "_1] 8@%[perflab_" #left "_2] "
#define PERFLAB_EACH_OPERAND_(left, at, words, number, ...) PERFLAB_OPERAND_##number(left, at)
#define PERFLAB_OPERAND_1(left, at) , [perflab_##left##_1] "nor"(perflab_kept_(perflab_words[at]))
#define PERFLAB_OPERAND_2(left, at) \
    PERFLAB_OPERAND_1(left, at), [perflab_##left##_2] "nor"(perflab_kept_(perflab_words[at + 1]))

#ifdef __cplusplus
#define PERFLAB_ASSERT_(is_right, problem) static_assert(is_right, "PERFLAB_PROBE: " problem);
#else
#define PERFLAB_ASSERT_(is_right, problem) __extension__ _Static_assert(is_right, "PERFLAB_PROBE: " problem);
#endif

/*
 * Names are identifiers, and an enum has names with or without a value. gcc knows what a function says of a text, so that
 * the message can hold the text; clang knows it of a function's argument only.
 */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"
#define PERFLAB_HAS_(letter) __builtin_strchr(perflab_text, letter)
#define PERFLAB_REFUSED_IF_(is_wrong, problem) \
    __attribute__((__diagnose_if__(is_wrong, "PERFLAB_PROBE: " problem, "error"), __unused__))
#define PERFLAB_NO_NAME_                                                                                          \
    (!perflab_text[0] || (perflab_text[0] >= '0' && perflab_text[0] <= '9') || PERFLAB_HAS_('(') ||               \
     PERFLAB_HAS_('"') || PERFLAB_HAS_('\'') || PERFLAB_HAS_('.') || PERFLAB_HAS_('+') || PERFLAB_HAS_('*') ||    \
     PERFLAB_HAS_('/') || PERFLAB_HAS_('%') || PERFLAB_HAS_('!') || PERFLAB_HAS_('&') || PERFLAB_HAS_('|') ||     \
     PERFLAB_HAS_('^') || PERFLAB_HAS_('~') || PERFLAB_HAS_('<') || PERFLAB_HAS_('>') || PERFLAB_HAS_('?') ||     \
     PERFLAB_HAS_(':') || PERFLAB_HAS_(';') || PERFLAB_HAS_('[') || PERFLAB_HAS_(']') || PERFLAB_HAS_('{') ||     \
     PERFLAB_HAS_('}') || PERFLAB_HAS_('#') || PERFLAB_HAS_('@') || PERFLAB_HAS_('`') || PERFLAB_HAS_('\\'))
static inline int perflab_name_(const char *perflab_text)
    PERFLAB_REFUSED_IF_(PERFLAB_NO_NAME_ || PERFLAB_HAS_('-') || PERFLAB_HAS_('=') || PERFLAB_HAS_(' ') ||
                            PERFLAB_HAS_(',') || __builtin_strlen(perflab_text) > 128,
                        "a name is an identifier and has 1 to 128 bytes");
static inline int perflab_value_(const char *perflab_text)
    PERFLAB_REFUSED_IF_(PERFLAB_NO_NAME_ || ((PERFLAB_HAS_(' ') || PERFLAB_HAS_('-')) && !PERFLAB_HAS_('=')),
                        "an enum is names, each alone or with =digits");
#pragma clang diagnostic pop
#define PERFLAB_CHECK_NAME_(name) PERFLAB_ASSERT_(sizeof(perflab_name_(name)), "")
#define PERFLAB_CHECK_VALUE_(value) PERFLAB_ASSERT_(sizeof(perflab_value_(value)), "")
#else
#define PERFLAB_IS_NAME_(text, letters) \
    (sizeof text > 1 && !__builtin_strspn(text, "0123456789") && __builtin_strcspn(text, letters) == sizeof text - 1)
#define PERFLAB_CHECK_NAME_(name)                                                          \
    PERFLAB_ASSERT_(PERFLAB_IS_NAME_(name, "-= ,!\"#%&'()*+./:;<>?@[\\]^`{|}~") && sizeof name <= 129, \
                    "a name is an identifier and has 1 to 128 bytes: " name)
#define PERFLAB_CHECK_VALUE_(value)                                                        \
    PERFLAB_ASSERT_(PERFLAB_IS_NAME_(value, "!\"#%&'()*+./:;<>?@[\\]^`{|}~") &&             \
                        (__builtin_strcspn(value, "=") < sizeof value - 1 || __builtin_strcspn(value, " -") == sizeof value - 1), \
                    "an enum is names, each alone or with =digits: " value)
#endif

/*
 * What sees more of a type than its name. The names of an enum are taken eight at a time, filled up with `perflab_end`;
 * the compiler sees whether each is a name, or a name and a value. What is behind the 128th is left to the agent.
 */
#define PERFLAB_ENUM_1(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_2, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_2(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_3, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_3(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_4, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_4(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_5, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_5(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_6, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_6(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_7, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_7(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_8, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_8(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_9, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_9(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_10, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_10(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_11, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_11(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_12, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_12(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_13, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_13(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_14, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_14(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_15, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_15(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_16, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_16(e, a, b, c, d, f, g, h, i, more, ...) PERFLAB_VALUES_(e, e##a, e##b, e##c, e##d, e##f, e##g, e##h, e##i) PERFLAB_SECOND_(PERFLAB_AFTER_##more, PERFLAB_ENUM_17, )(e, e##more, e##__VA_ARGS__)
#define PERFLAB_ENUM_17(...)
#define PERFLAB_AFTER_perflab_end , PERFLAB_ENUM_17
#define PERFLAB_VALUES_(e, a, b, c, d, f, g, h, i)                                         \
    PERFLAB_VALUE_(e##a) PERFLAB_VALUE_(e##b) PERFLAB_VALUE_(e##c) PERFLAB_VALUE_(e##d)                \
    PERFLAB_VALUE_(e##f) PERFLAB_VALUE_(e##g) PERFLAB_VALUE_(e##h) PERFLAB_VALUE_(e##i)
#define PERFLAB_VALUE_(a)                                                                  \
    PERFLAB_CHECK_VALUE_(#a)                                                               \
    PERFLAB_ENUMERATOR_(perflab_in_an_enum_##a)
/* In C with a declaration, which may come before others. */
#ifdef __cplusplus
#define PERFLAB_ENUMERATOR_(enumerator) { enum { enumerator }; }
#else
#define PERFLAB_ENUMERATOR_(enumerator) PERFLAB_ASSERT_(sizeof(__extension__({ enum { enumerator }; 0; })), "")
#endif

#define PERFLAB_CALL_(macro, left, at, ...) macro(left, at, __VA_ARGS__)
#define PERFLAB_NEXT_(e, at, a) at + PERFLAB_SECOND_(PERFLAB_ARGUMENT_(e, PERFLAB_PARTS_, e##a))
#define PERFLAB_MAP_0(e, macro, pieces, at, ...)
#define PERFLAB_MAP_1(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 1, at, PERFLAB_ARGUMENT_(e, pieces, e##a))
#define PERFLAB_MAP_2(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 2, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_1(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_3(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 3, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_2(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_4(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 4, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_3(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_5(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 5, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_4(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_6(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 6, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_5(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_7(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 7, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_6(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_8(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 8, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_7(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_9(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 9, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_8(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_10(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 10, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_9(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_11(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 11, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_10(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_12(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 12, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_11(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_13(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 13, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_12(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_14(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 14, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_13(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_15(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 15, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_14(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_16(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 16, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_15(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_17(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 17, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_16(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_18(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 18, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_17(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_19(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 19, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_18(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_20(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 20, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_19(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_21(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 21, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_20(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_22(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 22, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_21(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_23(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 23, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_22(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_24(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 24, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_23(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_25(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 25, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_24(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_26(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 26, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_25(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_27(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 27, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_26(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_28(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 28, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_27(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_29(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 29, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_28(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_30(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 30, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_29(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_31(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 31, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_30(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_32(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 32, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_31(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_33(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 33, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_32(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_34(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 34, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_33(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_35(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 35, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_34(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_36(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 36, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_35(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_37(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 37, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_36(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_38(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 38, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_37(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_39(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 39, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_38(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_40(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 40, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_39(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_41(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 41, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_40(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_42(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 42, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_41(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_43(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 43, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_42(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_44(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 44, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_43(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_45(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 45, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_44(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_46(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 46, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_45(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_47(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 47, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_46(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_48(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 48, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_47(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_49(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 49, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_48(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_50(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 50, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_49(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_51(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 51, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_50(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_52(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 52, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_51(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_53(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 53, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_52(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_54(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 54, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_53(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_55(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 55, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_54(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_56(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 56, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_55(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_57(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 57, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_56(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_58(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 58, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_57(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_59(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 59, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_58(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_60(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 60, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_59(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_61(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 61, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_60(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_62(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 62, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_61(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_63(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 63, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_62(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_64(e, macro, pieces, at, a, ...) PERFLAB_CALL_(macro, 64, at, PERFLAB_ARGUMENT_(e, pieces, e##a)) PERFLAB_MAP_63(e, macro, pieces, PERFLAB_NEXT_(e, at, e##a), e##__VA_ARGS__)
#define PERFLAB_MAP_65(e, macro, pieces, at, ...) PERFLAB_CALL_(macro, 1, at, pieces##none("more than 64 arguments"))

/* ISO C has no comma before ##; gcc and clang do, and it is the only way to an empty argument. */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#endif
#define PERFLAB_CHECK_TYPE_enum(...)                                                       \
    , PERFLAB_ASSERT_(sizeof #__VA_ARGS__ > 1, "an enum is names, each alone or with =digits") \
    PERFLAB_ENUM_1(, ##__VA_ARGS__, perflab_end, perflab_end, perflab_end, perflab_end, perflab_end, perflab_end, \
                   perflab_end, perflab_end, perflab_end, )
#define PERFLAB_PROBE(...) PERFLAB_ALL_(, "0", ##__VA_ARGS__, )
#define PERFLAB_PROBE_ORDERED(...) PERFLAB_ALL_(, "1", ##__VA_ARGS__, )
#ifdef __clang__
#pragma clang diagnostic pop
#endif

/* A description may be longer than the 4095 bytes that C promises for a text. gcc says nothing of texts for the assembler. */
#ifdef __clang__
#define PERFLAB_LONG_TEXTS_ \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Woverlength-strings\"")
#define PERFLAB_LONG_TEXTS_END_ _Pragma("clang diagnostic pop")
#else
#define PERFLAB_LONG_TEXTS_
#define PERFLAB_LONG_TEXTS_END_
#endif

/* The flags are those of perflab_abi::Site. */
#define PERFLAB_ALL_(e, flags, ...)                                                        \
    PERFLAB_NUMBERED_(e, flags, PERFLAB_NUMBER_(e, e##__VA_ARGS__), __LINE__, __COUNTER__, e##__VA_ARGS__, , )
#define PERFLAB_NUMBERED_(e, flags, number, line, counter, ...) \
    PERFLAB_NAMED_(e, flags, number, line, counter, e##__VA_ARGS__)
#define PERFLAB_NAMED_(e, flags, number, line, counter, provider, name, ...)               \
    do {                                                                                   \
        PERFLAB_LONG_TEXTS_                                                                \
        PERFLAB_CHECK_NAME_(#provider)                                                     \
        PERFLAB_CHECK_NAME_(#name)                                                         \
        PERFLAB_MAP_##number(e, PERFLAB_EACH_CHECK_, PERFLAB_CHECK_, 1, e##__VA_ARGS__)    \
        PERFLAB_BODY_(e, PERFLAB_MAP_##number, PERFLAB_SECOND_(PERFLAB_IS_FEW_##number, PERFLAB_MANY, ), flags, \
                      PERFLAB_POINT_(#provider, #name, #line, #counter, flags,             \
                                     PERFLAB_MAP_##number(e, PERFLAB_EACH_SYMBOL_, PERFLAB_PARTS_, 1, e##__VA_ARGS__)), \
                      PERFLAB_SEMAPHORE_(#provider, #name), perflab_on_##counter,          \
                      perflab_off_##counter, #line, #provider, #name, e##__VA_ARGS__)      \
        PERFLAB_LONG_TEXTS_END_                                                            \
    } while (0)
#define PERFLAB_IS_FEW_0 , PERFLAB_FEW
#define PERFLAB_IS_FEW_1 , PERFLAB_FEW
#define PERFLAB_IS_FEW_2 , PERFLAB_FEW
#define PERFLAB_IS_FEW_3 , PERFLAB_FEW
#define PERFLAB_IS_FEW_4 , PERFLAB_FEW
#define PERFLAB_IS_FEW_5 , PERFLAB_FEW
#define PERFLAB_IS_FEW_6 , PERFLAB_FEW
#define PERFLAB_IS_FEW_7 , PERFLAB_FEW
#define PERFLAB_IS_FEW_8 , PERFLAB_FEW
#define PERFLAB_IS_FEW_9 , PERFLAB_FEW
#define PERFLAB_IS_FEW_10 , PERFLAB_FEW
#define PERFLAB_IS_FEW_11 , PERFLAB_FEW
#define PERFLAB_IS_FEW_12 , PERFLAB_FEW

/*
 * Symbols of the assembler, in quotes, as any file has any name. The compiler knows nothing of them.
 *
 * A point's holds all that is said of the site, so that code that one assembler gets from several files (link-time
 * optimisation) keeps apart what differs. It is local, so no linker sees it; one would take what follows an @ for a
 * version. A semaphore is shared by all of an object. No identifier has a dot, so no two probes have the same.
 */
#define PERFLAB_POINT_(provider, name, line, counter, flags, arguments) \
    "\".Lperflab_point " provider ":" name " " __FILE__ ":" line arguments " #" counter " " flags "\""
#define PERFLAB_SEMAPHORE_(provider, name) "\"perflab_semaphore." provider "." name "\""

#ifdef PERFLAB_PROBE_NONE

#define PERFLAB_BODY_(e, map, way, flags, point, semaphore, on, off, line, provider, name, ...) \
    if (0) {                                                                               \
        const uint64_t perflab_words[] = {0 map(e, PERFLAB_EACH_WORDS_, PERFLAB_PARTS_, 1, e##__VA_ARGS__)}; \
        (void)perflab_words;                                                               \
    }

#else

#define PERFLAB_HANDLER_(...) PERFLAB_FUNCTION_(void (*)(__VA_ARGS__), perflab_handler)
#ifdef __cplusplus
#define PERFLAB_FUNCTION_(type, value) reinterpret_cast<type>(value)
#else
#define PERFLAB_FUNCTION_(type, value) ((type)(value))
#endif

/* Calls a point's handler with its words; the number is a constant, so one call remains. */
PERFLAB_INLINE_ void perflab_hit_(struct perflab_point *perflab_point, const uint64_t *perflab_w, unsigned perflab_number) {
    void (*perflab_handler)(void) = __atomic_load_n(&perflab_point->perflab_handler, __ATOMIC_ACQUIRE);
    if (!perflab_handler)
        return;
    switch (perflab_number) {
    case 0: (PERFLAB_HANDLER_(struct perflab_point *))(perflab_point); return;
    case 1: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t))(perflab_point, perflab_w[0]); return;
    case 2: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1]); return;
    case 3: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2]); return;
    case 4: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3]); return;
    case 5: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4]); return;
    case 6: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5]); return;
    case 7: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6]); return;
    case 8: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7]); return;
    case 9: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8]); return;
    case 10: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9]); return;
    case 11: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9], perflab_w[10]); return;
    case 12: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9], perflab_w[10], perflab_w[11]); return;
    case 13: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9], perflab_w[10], perflab_w[11], perflab_w[12]); return;
    case 14: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9], perflab_w[10], perflab_w[11], perflab_w[12], perflab_w[13]); return;
    case 15: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9], perflab_w[10], perflab_w[11], perflab_w[12], perflab_w[13], perflab_w[14]); return;
    case 16: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9], perflab_w[10], perflab_w[11], perflab_w[12], perflab_w[13], perflab_w[14], perflab_w[15]); return;
    case 17: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9], perflab_w[10], perflab_w[11], perflab_w[12], perflab_w[13], perflab_w[14], perflab_w[15], perflab_w[16]); return;
    case 18: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9], perflab_w[10], perflab_w[11], perflab_w[12], perflab_w[13], perflab_w[14], perflab_w[15], perflab_w[16], perflab_w[17]); return;
    case 19: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9], perflab_w[10], perflab_w[11], perflab_w[12], perflab_w[13], perflab_w[14], perflab_w[15], perflab_w[16], perflab_w[17], perflab_w[18]); return;
    case 20: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9], perflab_w[10], perflab_w[11], perflab_w[12], perflab_w[13], perflab_w[14], perflab_w[15], perflab_w[16], perflab_w[17], perflab_w[18], perflab_w[19]); return;
    case 21: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9], perflab_w[10], perflab_w[11], perflab_w[12], perflab_w[13], perflab_w[14], perflab_w[15], perflab_w[16], perflab_w[17], perflab_w[18], perflab_w[19], perflab_w[20]); return;
    case 22: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9], perflab_w[10], perflab_w[11], perflab_w[12], perflab_w[13], perflab_w[14], perflab_w[15], perflab_w[16], perflab_w[17], perflab_w[18], perflab_w[19], perflab_w[20], perflab_w[21]); return;
    case 23: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9], perflab_w[10], perflab_w[11], perflab_w[12], perflab_w[13], perflab_w[14], perflab_w[15], perflab_w[16], perflab_w[17], perflab_w[18], perflab_w[19], perflab_w[20], perflab_w[21], perflab_w[22]); return;
    case 24: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(perflab_point, perflab_w[0], perflab_w[1], perflab_w[2], perflab_w[3], perflab_w[4], perflab_w[5], perflab_w[6], perflab_w[7], perflab_w[8], perflab_w[9], perflab_w[10], perflab_w[11], perflab_w[12], perflab_w[13], perflab_w[14], perflab_w[15], perflab_w[16], perflab_w[17], perflab_w[18], perflab_w[19], perflab_w[20], perflab_w[21], perflab_w[22], perflab_w[23]); return;
    }
}

/* The same for many arguments: the handler gets the address of their words. */
PERFLAB_INLINE_ void perflab_hit_record_(struct perflab_point *perflab_point, const uint64_t *perflab_w) {
    void (*perflab_handler)(void) = __atomic_load_n(&perflab_point->perflab_handler, __ATOMIC_ACQUIRE);
    if (perflab_handler)
        (PERFLAB_HANDLER_(struct perflab_point *, const uint64_t *))(perflab_point, perflab_w);
}

/* A word that a tracer in the kernel finds in a register, on the stack, or as a number: not by a symbol. */
PERFLAB_INLINE_ uint64_t perflab_kept_(uint64_t perflab_word) {
    if (!__builtin_constant_p(perflab_word))
        __asm__("" : "+rm"(perflab_word));
    return perflab_word;
}

/* What each object needs once: the note, and what tells an agent that the object is there, and goes. */
#define PERFLAB_OBJECT_                                                                    \
    ".ifndef perflab_note_1\n"                                                             \
    ".pushsection .note.perflab,\"aR\",@note\n"                                            \
    ".balign 4\n"                                                                          \
    ".long 8, 32, 1\n"                                                                     \
    ".asciz \"perflab\"\n"                                                                 \
    "perflab_note_1: .short 1, 32\n"                                                       \
    ".long 0\n"                                                                            \
    ".hidden __start_perflab_sites\n"                                                      \
    ".hidden __stop_perflab_sites\n"                                                       \
    ".quad __start_perflab_sites - .\n"                                                    \
    ".quad __stop_perflab_sites - .\n"                                                     \
    ".quad perflab_object_1 - .\n"                                                         \
    ".popsection\n"                                                                        \
    ".pushsection .data.perflab_object_1,\"awG\",@progbits,perflab_object_1,comdat\n"      \
    ".weak perflab_object_1\n"                                                             \
    ".hidden perflab_object_1\n"                                                           \
    ".type perflab_object_1,@object\n"                                                     \
    ".balign 8\n"                                                                          \
    "perflab_object_1: .short 1, 16\n"                                                     \
    ".long 0\n"                                                                            \
    ".quad 0\n"                                                                            \
    ".size perflab_object_1, 16\n"                                                         \
    ".popsection\n"                                                                        \
    ".pushsection .text.perflab_gone_1,\"axG\",@progbits,perflab_gone_1,comdat\n"          \
    ".weak perflab_gone_1\n"                                                               \
    ".hidden perflab_gone_1\n"                                                             \
    ".type perflab_gone_1,@function\n"                                                     \
    "perflab_gone_1: endbr64\n"                                                            \
    "leaq perflab_object_1(%%rip), %%rdi\n"                                                \
    "movl $1, %%eax\n"                                                                     \
    "xchgq %%rax, 8(%%rdi)\n"                                                              \
    "cmpq $1, %%rax\n"                                                                     \
    "jbe 993f\n"                                                                           \
    "jmpq *(%%rax)\n"                                                                      \
    "993: ret\n"                                                                           \
    ".size perflab_gone_1, . - perflab_gone_1\n"                                           \
    ".popsection\n"                                                                        \
    ".pushsection .text.perflab_here_1,\"axG\",@progbits,perflab_here_1,comdat\n"          \
    ".weak perflab_here_1\n"                                                               \
    ".hidden perflab_here_1\n"                                                             \
    ".type perflab_here_1,@function\n"                                                     \
    "perflab_here_1: endbr64\n"                                                            \
    "movl $1, perflab_object_1+4(%%rip)\n"                                                 \
    "ret\n"                                                                                \
    ".size perflab_here_1, . - perflab_here_1\n"                                           \
    ".popsection\n"                                                                        \
    ".pushsection .init_array,\"aw\"\n"                                                    \
    ".balign 8\n"                                                                          \
    ".quad perflab_here_1\n"                                                               \
    ".popsection\n"                                                                        \
    ".pushsection .fini_array,\"aw\"\n"                                                    \
    ".balign 8\n"                                                                          \
    ".quad perflab_gone_1\n"                                                               \
    ".popsection\n"                                                                        \
    ".endif\n"

/*
 * The point, shared by all copies of the code in one file of the assembler's, and the count of tracers, shared by the
 * probe. The counts have pages of the file for themselves and for what follows: of two segments that map the same page,
 * as lld lays them out, the kernel may raise the count in the wrong one.
 */
#define PERFLAB_SHARED_(point, semaphore)                                                  \
    ".ifndef " point "\n"                                                                  \
    ".pushsection .data.perflab_points,\"aw\",@progbits\n"                                 \
    ".balign 8\n"                                                                          \
    point ": .short 1, 32\n"                                                               \
    ".long 0\n"                                                                            \
    ".quad 0, 0, 0\n"                                                                      \
    ".popsection\n"                                                                        \
    ".endif\n"                                                                             \
    ".ifndef perflab_counts_1\n"                                                           \
    ".pushsection .probes,\"awGR\",@progbits,perflab_counts_1,comdat\n"                    \
    ".weak perflab_counts_1\n"                                                             \
    ".hidden perflab_counts_1\n"                                                           \
    ".balign 4096\n"                                                                       \
    "perflab_counts_1:\n"                                                                  \
    ".popsection\n"                                                                        \
    ".endif\n"                                                                             \
    ".ifndef " semaphore "\n"                                                              \
    ".pushsection .probes,\"awG\",@progbits," semaphore ",comdat\n"                        \
    ".weak " semaphore "\n"                                                                \
    ".hidden " semaphore "\n"                                                              \
    ".type " semaphore ",@object\n"                                                        \
    ".balign 2\n"                                                                          \
    semaphore ": .short 0\n"                                                               \
    ".size " semaphore ", 2\n"                                                             \
    ".popsection\n"                                                                        \
    ".endif\n"

/* One copy of a site: what perflab_abi::Site says. */
#define PERFLAB_ENTRY_(backend, flags, address, target, point, semaphore, text)            \
    ".pushsection perflab_text,\"aMS\",@progbits,1\n"                                      \
    "991: .asciz \"" text "\"\n"                                                           \
    ".popsection\n"                                                                        \
    ".pushsection perflab_sites,\"a?R\",@progbits\n"                                       \
    ".balign 8\n"                                                                          \
    ".short 1, 48, " backend ", " flags "\n"                                               \
    ".quad " address "\n"                                                                  \
    ".quad " target "\n"                                                                   \
    ".quad " point " - .\n"                                                                \
    ".quad 991b - .\n"                                                                     \
    ".quad " semaphore " - .\n"                                                            \
    ".popsection\n"                                                                        \
    PERFLAB_SHARED_(point, semaphore)                                                      \
    PERFLAB_OBJECT_

#define PERFLAB_DESCRIPTION_(provider, name, line, arguments)                              \
    provider "\\n" name "\\n" __FILE__ "\\n" line arguments

/*
 * Instructions with an address, each as its bytes and the distance to a symbol: assemblers up to 2.40 take not every
 * letter of a quoted symbol where an instruction has an operand. The distance is from behind the instruction.
 */
#define PERFLAB_LEAQ_RDI_(symbol) ".byte 0x48, 0x8d, 0x3d\n.long " symbol " - . - 4\n"
#define PERFLAB_MOVZWL_EAX_(symbol) ".byte 0x0f, 0xb7, 0x05\n.long " symbol " - . - 4\n"
/* `cmpl $0, symbol+4(%rip)` */
#define PERFLAB_IS_ENABLED_(symbol) ".byte 0x83, 0x3d\n.long " symbol " - . - 1\n.byte 0\n"

#ifdef PERFLAB_PROBE_BRANCH
#define PERFLAB_SITE_(flags, point, semaphore, text, on, off)                              \
    int perflab_is_on;                                                                     \
    PERFLAB_ASM_ volatile(PERFLAB_IS_ENABLED_(point)                                       \
                          PERFLAB_ENTRY_("1", flags, "0", "0", point, semaphore, text)     \
                          : "=@ccne"(perflab_is_on));                                      \
    if (__builtin_expect(!perflab_is_on, 1))                                               \
        goto off;
#else
/* The first two bytes lie within eight aligned ones, so that they can be seen to change at once. Where they
 * would not, a prefix (CS, which means nothing to a no-op or a jump) is put before them. It belongs to the
 * same instruction, so it takes no place of its own in the processor. */
#define PERFLAB_JUMP_(flags, point, semaphore, text, on)                                   \
    PERFLAB_ASM_ goto(                                                                     \
        ".p2align 3, 0x2e, 1\n"                                                            \
        "990: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"                                        \
        PERFLAB_ENTRY_("0", flags, "990b - .", "%l[" #on "] - .", point, semaphore, text)  \
        : : : : on);
#if defined(__clang__) && defined(__cplusplus)
/* clang before 17 takes each of these jumps for one to all labels of the function, lambdas in it included, and refuses
 * those past a destructor. So each has a function of its own, which is always inlined. */
#define PERFLAB_SITE_(flags, point, semaphore, text, on, off)                              \
    struct perflab_site {                                                                  \
        __attribute__((__always_inline__)) static bool perflab_is_on() noexcept {          \
            PERFLAB_JUMP_(flags, point, semaphore, text, on)                               \
            return false;                                                                  \
        on:                                                                                \
            return true;                                                                   \
        }                                                                                  \
    };                                                                                     \
    if (__builtin_expect(!perflab_site::perflab_is_on(), 1))                               \
        goto off;
#else
#define PERFLAB_SITE_(flags, point, semaphore, text, on, off)                              \
    PERFLAB_JUMP_(flags, point, semaphore, text, on)                                       \
    goto off;                                                                              \
    on: PERFLAB_COLD_
#endif
#endif

/* A no-op of their own for tracers in the kernel, so that they never write to ours. */
#define PERFLAB_TRACER_(provider, name, semaphore, places)                                 \
    "992: nop\n"                                                                           \
    ".pushsection .note.stapsdt,\"?\",@note\n"                                             \
    ".balign 4\n"                                                                          \
    ".long 995f - 994f, 997f - 996f, 3\n"                                                  \
    "994: .asciz \"stapsdt\"\n"                                                            \
    "995: .balign 4\n"                                                                     \
    "996: .quad 992b\n"                                                                    \
    ".quad _.stapsdt.base\n"                                                               \
    ".quad " semaphore "\n"                                                                \
    ".asciz \"" provider "\"\n"                                                            \
    ".asciz \"" name "\"\n"                                                                \
    ".asciz \"" places "\"\n"                                                              \
    "997: .balign 4\n"                                                                     \
    ".popsection\n"                                                                        \
    ".ifndef _.stapsdt.base\n"                                                             \
    ".pushsection .stapsdt.base,\"aG\",@progbits,.stapsdt.base,comdat\n"                   \
    ".weak _.stapsdt.base\n"                                                               \
    ".hidden _.stapsdt.base\n"                                                             \
    "_.stapsdt.base: .space 1\n"                                                           \
    ".size _.stapsdt.base, 1\n"                                                            \
    ".popsection\n"                                                                        \
    ".endif\n"

/*
 * The words are made once, for handler and tracers. In C++ they and what is done with them are one full expression: a
 * temporary object in it, as the text that a function returns, is there until the handler has read it.
 */
#ifdef __cplusplus
#define PERFLAB_WORDS_(number, ...)                                                        \
    struct perflab_of_words {                                                              \
        uint64_t perflab_word[number];                                                     \
    } perflab_all;                                                                         \
    static_cast<void>(perflab_all = perflab_of_words{{__VA_ARGS__}}), __extension__({      \
        const uint64_t(&perflab_words)[number] = perflab_all.perflab_word;
#define PERFLAB_WORDS_END_ });
#else
#define PERFLAB_WORDS_(number, ...) const uint64_t perflab_words[number] = {__VA_ARGS__};
#define PERFLAB_WORDS_END_
#endif

/*
 * How words reach the handler and tracers. PERFLAB_FEW: each by itself. PERFLAB_MANY: by the address of all, which the
 * site's flags say. Tracers are told of the first twelve then: libbpf takes no more, and gcc takes 30 operands.
 */
#define PERFLAB_FLAG_(way) way##_FLAG_
#define PERFLAB_FEW_FLAG_
#define PERFLAB_MANY_FLAG_ " + 2"
#define PERFLAB_PLACES_(way, e, map, ...) way##_PLACES_(e, map, e##__VA_ARGS__)
#define PERFLAB_FEW_PLACES_(e, map, ...) "" map(e, PERFLAB_EACH_PLACE_, PERFLAB_PARTS_, 1, e##__VA_ARGS__)
#define PERFLAB_MANY_PLACES_(...)                                                          \
    "8@0(%[perflab_places]) 8@8(%[perflab_places]) 8@16(%[perflab_places]) 8@24(%[perflab_places]) "  \
    "8@32(%[perflab_places]) 8@40(%[perflab_places]) 8@48(%[perflab_places]) 8@56(%[perflab_places]) " \
    "8@64(%[perflab_places]) 8@72(%[perflab_places]) 8@80(%[perflab_places]) 8@88(%[perflab_places]) "
#define PERFLAB_OPERANDS_(way, e, map, ...) way##_OPERANDS_(e, map, e##__VA_ARGS__)
#define PERFLAB_FEW_OPERANDS_(e, map, ...) "i"(0) map(e, PERFLAB_EACH_OPERAND_, PERFLAB_PARTS_, 1, e##__VA_ARGS__)
#define PERFLAB_MANY_OPERANDS_(...) [perflab_places] "r"(perflab_words + 1) : "memory"
#define PERFLAB_HIT_(way) way##_HIT_
#define PERFLAB_FEW_HIT_ perflab_hit_(perflab_point, perflab_words + 1, sizeof perflab_words / 8 - 1)
#define PERFLAB_MANY_HIT_ perflab_hit_record_(perflab_point, perflab_words + 1)

#define PERFLAB_BODY_(e, map, way, flags, point, semaphore, on, off, line, provider, name, ...) \
    PERFLAB_SITE_(flags PERFLAB_FLAG_(way), point, semaphore,                              \
                  PERFLAB_DESCRIPTION_(provider, name, line,                               \
                                       map(e, PERFLAB_EACH_TEXT_, PERFLAB_PARTS_, 1, e##__VA_ARGS__)),     \
                  on, off)                                                                 \
    {                                                                                      \
        PERFLAB_WORDS_(1 map(e, PERFLAB_EACH_NUMBER_, PERFLAB_PARTS_, 1, e##__VA_ARGS__),                  \
                       0 map(e, PERFLAB_EACH_WORDS_, PERFLAB_PARTS_, 1, e##__VA_ARGS__))                   \
        struct perflab_point *perflab_point;                                               \
        uint32_t perflab_tracers;                                                          \
        PERFLAB_ASM_ volatile(PERFLAB_MOVZWL_EAX_(semaphore) : "=a"(perflab_tracers));     \
        if (__builtin_expect(perflab_tracers != 0, 0)) {                                   \
            PERFLAB_ASM_ volatile(                                                         \
                PERFLAB_TRACER_(provider, name, semaphore, PERFLAB_PLACES_(way, e, map, e##__VA_ARGS__)) \
                :                                                                          \
                : PERFLAB_OPERANDS_(way, e, map, e##__VA_ARGS__));                         \
        }                                                                                  \
        PERFLAB_ASM_ volatile(PERFLAB_LEAQ_RDI_(point) : "=D"(perflab_point));             \
        PERFLAB_HIT_(way);                                                                 \
        PERFLAB_WORDS_END_                                                                 \
    }                                                                                      \
    off:;

#endif /* PERFLAB_PROBE_NONE */

#endif /* C99 or C++11 */

#endif /* PERFLAB_PROBE_H */
