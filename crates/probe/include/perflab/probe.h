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
 * expression; `str` and `bytes` take an address and a length. There may be twelve. Expressions are
 * evaluated only while the site is on, so they must not have effects that the program needs.
 *
 *     i8 i16 i32 i64 u8 u16 u32 u64    integers
 *     f32 f64                          floating-point numbers
 *     bool                             a truth value
 *     ptr                              an address
 *     cstr                             text that ends with a zero byte, or a null pointer
 *     str bytes                        (str, name, address, length): text in UTF-8, or any bytes
 *     enum(A=0,B=1)                    an integer whose values have names; the values are digits
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
 * `bytes` are two of them, address and length.
 *
 * Needs x86-64 Linux, gcc 9 with binutils 2.36 or clang 13, C11 or C++11; elsewhere a site is a branch.
 * Works inlined, in templates, with link-time optimisation, static or shared, position-independent or not.
 */
#ifndef PERFLAB_PROBE_H
#define PERFLAB_PROBE_H

#include <stdint.h>

#if !defined(PERFLAB_PROBE_NONE) && !defined(PERFLAB_PROBE_BRANCH) && \
    !(defined(__x86_64__) && defined(__linux__) && defined(__LP64__))
#define PERFLAB_PROBE_BRANCH
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
#define PERFLAB_COLD_ __attribute__((cold));
#endif

#define PERFLAB_INLINE_ static inline __attribute__((always_inline, unused))

/* One place in the source with a site; see `Point` of the crate perflab-probe-abi. */
struct perflab_point {
    uint16_t version;
    uint16_t size;
    uint32_t enabled;
    void (*handler)(void);
    uint64_t hits;
    uint64_t agent;
};

/* Each type becomes one word. A conversion that loses something is the compiler's to warn of. */
PERFLAB_INLINE_ uint64_t perflab_i64_(int64_t value) { return PERFLAB_CAST_(uint64_t, value); }
PERFLAB_INLINE_ uint64_t perflab_i32_(int32_t value) { return perflab_i64_(value); }
PERFLAB_INLINE_ uint64_t perflab_i16_(int16_t value) { return perflab_i64_(value); }
PERFLAB_INLINE_ uint64_t perflab_i8_(int8_t value) { return perflab_i64_(value); }
PERFLAB_INLINE_ uint64_t perflab_u64_(uint64_t value) { return value; }
PERFLAB_INLINE_ uint64_t perflab_u32_(uint32_t value) { return value; }
PERFLAB_INLINE_ uint64_t perflab_u16_(uint16_t value) { return value; }
PERFLAB_INLINE_ uint64_t perflab_u8_(uint8_t value) { return value; }
#ifdef __cplusplus
PERFLAB_INLINE_ uint64_t perflab_bool_(bool value) { return value; }
#else
PERFLAB_INLINE_ uint64_t perflab_bool_(_Bool value) { return value; }
#endif
PERFLAB_INLINE_ uint64_t perflab_ptr_(const volatile void *value) { return PERFLAB_ADDRESS_(value); }
PERFLAB_INLINE_ uint64_t perflab_cstr_(const char *value) { return PERFLAB_ADDRESS_(value); }
PERFLAB_INLINE_ uint64_t perflab_f64_(double value) {
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}
PERFLAB_INLINE_ uint64_t perflab_f32_(float value) {
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A type's words, name and number of words. stdbool.h makes _Bool of bool before we see it. */
#define PERFLAB_WORDS_i8(value) perflab_i8_(value)
#define PERFLAB_WORDS_i16(value) perflab_i16_(value)
#define PERFLAB_WORDS_i32(value) perflab_i32_(value)
#define PERFLAB_WORDS_i64(value) perflab_i64_(value)
#define PERFLAB_WORDS_u8(value) perflab_u8_(value)
#define PERFLAB_WORDS_u16(value) perflab_u16_(value)
#define PERFLAB_WORDS_u32(value) perflab_u32_(value)
#define PERFLAB_WORDS_u64(value) perflab_u64_(value)
#define PERFLAB_WORDS_f32(value) perflab_f32_(value)
#define PERFLAB_WORDS_f64(value) perflab_f64_(value)
#define PERFLAB_WORDS_bool(value) perflab_bool_(value)
#define PERFLAB_WORDS_ptr(value) perflab_ptr_(value)
#define PERFLAB_WORDS_cstr(value) perflab_cstr_(value)
#define PERFLAB_WORDS__Bool(value) perflab_bool_(value)
#define PERFLAB_WORDS_str(address, length) perflab_cstr_(address), perflab_u64_(length)
#define PERFLAB_WORDS_bytes(address, length) perflab_ptr_(address), perflab_u64_(length)
#define PERFLAB_WORDS_enum(...) perflab_i64_

#define PERFLAB_NAME_i8 "i8"
#define PERFLAB_NAME_i16 "i16"
#define PERFLAB_NAME_i32 "i32"
#define PERFLAB_NAME_i64 "i64"
#define PERFLAB_NAME_u8 "u8"
#define PERFLAB_NAME_u16 "u16"
#define PERFLAB_NAME_u32 "u32"
#define PERFLAB_NAME_u64 "u64"
#define PERFLAB_NAME_f32 "f32"
#define PERFLAB_NAME_f64 "f64"
#define PERFLAB_NAME_bool "bool"
#define PERFLAB_NAME_ptr "ptr"
#define PERFLAB_NAME_cstr "cstr"
#define PERFLAB_NAME_str "str"
#define PERFLAB_NAME_bytes "bytes"
#define PERFLAB_NAME__Bool "bool"
#define PERFLAB_NAME_enum(...) "enum(" #__VA_ARGS__ ")"

#define PERFLAB_COUNT_i8 1
#define PERFLAB_COUNT_i16 1
#define PERFLAB_COUNT_i32 1
#define PERFLAB_COUNT_i64 1
#define PERFLAB_COUNT_u8 1
#define PERFLAB_COUNT_u16 1
#define PERFLAB_COUNT_u32 1
#define PERFLAB_COUNT_u64 1
#define PERFLAB_COUNT_f32 1
#define PERFLAB_COUNT_f64 1
#define PERFLAB_COUNT_bool 1
#define PERFLAB_COUNT_ptr 1
#define PERFLAB_COUNT_cstr 1
#define PERFLAB_COUNT__Bool 1
#define PERFLAB_COUNT_str 2
#define PERFLAB_COUNT_bytes 2
#define PERFLAB_COUNT_enum(...) 1

/* What is made of each argument; `left` counts down to 1, the last. */
#define PERFLAB_EACH_TEXT_(left, type, name, ...) "\\n" PERFLAB_NAME_##type " " #name
#define PERFLAB_EACH_WORDS_(left, type, name, ...) , PERFLAB_WORDS_##type(__VA_ARGS__)
#define PERFLAB_EACH_PLACE_(left, type, name, ...) PERFLAB_PLACE_(PERFLAB_COUNT_##type, left)
#define PERFLAB_PLACE_(count, left) PERFLAB_PLACE__(count, left)
#define PERFLAB_PLACE__(count, left) PERFLAB_PLACE_##count(left)
#define PERFLAB_PLACE_1(left) "8@%[perflab_" #left "_1] "
#define PERFLAB_PLACE_2(left) "8@%[perflab_" #left "_1] 8@%[perflab_" #left "_2] "
#define PERFLAB_EACH_OPERAND_(left, type, name, ...) \
    PERFLAB_OPERAND_(PERFLAB_COUNT_##type, left, PERFLAB_WORDS_##type(__VA_ARGS__))
#define PERFLAB_OPERAND_(count, left, ...) PERFLAB_OPERAND__(count, left, __VA_ARGS__)
#define PERFLAB_OPERAND__(count, left, ...) PERFLAB_OPERAND_##count(left, __VA_ARGS__)
#define PERFLAB_OPERAND_1(left, word) , [perflab_##left##_1] "nor"(perflab_kept_(word))
#define PERFLAB_OPERAND_2(left, word, second) \
    PERFLAB_OPERAND_1(left, word), [perflab_##left##_2] "nor"(perflab_kept_(second))

#define PERFLAB_STRIP_(...) __VA_ARGS__
#define PERFLAB_CALL_(macro, ...) macro(__VA_ARGS__)
#define PERFLAB_MAP_0(macro, none)
#define PERFLAB_MAP_1(macro, none, a) PERFLAB_CALL_(macro, 1, PERFLAB_STRIP_ a)
#define PERFLAB_MAP_2(macro, none, a, ...) PERFLAB_CALL_(macro, 2, PERFLAB_STRIP_ a) PERFLAB_MAP_1(macro, none, __VA_ARGS__)
#define PERFLAB_MAP_3(macro, none, a, ...) PERFLAB_CALL_(macro, 3, PERFLAB_STRIP_ a) PERFLAB_MAP_2(macro, none, __VA_ARGS__)
#define PERFLAB_MAP_4(macro, none, a, ...) PERFLAB_CALL_(macro, 4, PERFLAB_STRIP_ a) PERFLAB_MAP_3(macro, none, __VA_ARGS__)
#define PERFLAB_MAP_5(macro, none, a, ...) PERFLAB_CALL_(macro, 5, PERFLAB_STRIP_ a) PERFLAB_MAP_4(macro, none, __VA_ARGS__)
#define PERFLAB_MAP_6(macro, none, a, ...) PERFLAB_CALL_(macro, 6, PERFLAB_STRIP_ a) PERFLAB_MAP_5(macro, none, __VA_ARGS__)
#define PERFLAB_MAP_7(macro, none, a, ...) PERFLAB_CALL_(macro, 7, PERFLAB_STRIP_ a) PERFLAB_MAP_6(macro, none, __VA_ARGS__)
#define PERFLAB_MAP_8(macro, none, a, ...) PERFLAB_CALL_(macro, 8, PERFLAB_STRIP_ a) PERFLAB_MAP_7(macro, none, __VA_ARGS__)
#define PERFLAB_MAP_9(macro, none, a, ...) PERFLAB_CALL_(macro, 9, PERFLAB_STRIP_ a) PERFLAB_MAP_8(macro, none, __VA_ARGS__)
#define PERFLAB_MAP_10(macro, none, a, ...) PERFLAB_CALL_(macro, 10, PERFLAB_STRIP_ a) PERFLAB_MAP_9(macro, none, __VA_ARGS__)
#define PERFLAB_MAP_11(macro, none, a, ...) PERFLAB_CALL_(macro, 11, PERFLAB_STRIP_ a) PERFLAB_MAP_10(macro, none, __VA_ARGS__)
#define PERFLAB_MAP_12(macro, none, a, ...) PERFLAB_CALL_(macro, 12, PERFLAB_STRIP_ a) PERFLAB_MAP_11(macro, none, __VA_ARGS__)

/* The number of arguments behind the name. */
#define PERFLAB_NUMBER_(...) PERFLAB_PICK_(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, none)
#define PERFLAB_PICK_(z, a, b, c, d, e, f, g, h, i, j, k, l, m, ...) m

#define PERFLAB_JOIN_(a, b) PERFLAB_JOIN__(a, b)
#define PERFLAB_JOIN__(a, b) a##b
#define PERFLAB_STRING_(a) PERFLAB_STRING__(a)
#define PERFLAB_STRING__(a) #a

#ifdef PERFLAB_PROBE_NONE

#define PERFLAB_PROBE(provider, ...) \
    PERFLAB_NOTHING_(PERFLAB_NUMBER_(__VA_ARGS__), __VA_ARGS__)
#define PERFLAB_NOTHING_(number, ...)                                                      \
    do {                                                                                   \
        if (0) {                                                                           \
            const uint64_t perflab_words[] = {                                             \
                0 PERFLAB_JOIN_(PERFLAB_MAP_, number)(PERFLAB_EACH_WORDS_, __VA_ARGS__)};  \
            (void)perflab_words;                                                           \
        }                                                                                  \
    } while (0)

#else

#define PERFLAB_HANDLER_(...) PERFLAB_FUNCTION_(void (*)(__VA_ARGS__), handler)
#ifdef __cplusplus
#define PERFLAB_FUNCTION_(type, value) reinterpret_cast<type>(value)
#else
#define PERFLAB_FUNCTION_(type, value) ((type)(value))
#endif

/* Calls a point's handler with its words; the number is a constant, so one call remains. */
PERFLAB_INLINE_ void perflab_hit_(struct perflab_point *point, const uint64_t *w, unsigned number) {
    void (*handler)(void) = __atomic_load_n(&point->handler, __ATOMIC_ACQUIRE);
    if (!handler)
        return;
    switch (number) {
    case 0: (PERFLAB_HANDLER_(struct perflab_point *))(point); return;
    case 1: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t))(point, w[0]); return;
    case 2: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t))(point, w[0], w[1]); return;
    case 3: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2]); return;
    case 4: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3]); return;
    case 5: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4]); return;
    case 6: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5]); return;
    case 7: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6]); return;
    case 8: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]); return;
    case 9: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8]); return;
    case 10: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9]); return;
    case 11: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10]); return;
    case 12: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11]); return;
    case 13: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12]); return;
    case 14: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13]); return;
    case 15: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14]); return;
    case 16: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]); return;
    case 17: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15], w[16]); return;
    case 18: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15], w[16], w[17]); return;
    case 19: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15], w[16], w[17], w[18]); return;
    case 20: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15], w[16], w[17], w[18], w[19]); return;
    case 21: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15], w[16], w[17], w[18], w[19], w[20]); return;
    case 22: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15], w[16], w[17], w[18], w[19], w[20], w[21]); return;
    case 23: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15], w[16], w[17], w[18], w[19], w[20], w[21], w[22]); return;
    case 24: (PERFLAB_HANDLER_(struct perflab_point *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(point, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15], w[16], w[17], w[18], w[19], w[20], w[21], w[22], w[23]); return;
    }
}

/* A word that a tracer in the kernel finds in a register, on the stack, or as a number: not by a symbol. */
PERFLAB_INLINE_ uint64_t perflab_kept_(uint64_t word) {
    if (!__builtin_constant_p(word))
        __asm__("" : "+rm"(word));
    return word;
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
 * The point, shared by all copies of the code, and the count of tracers, shared by the probe. The counts have
 * pages of the file for themselves and for what follows: of two segments that map the same page, as lld lays
 * them out, the kernel may raise the count in the wrong one.
 */
#define PERFLAB_SHARED_(point, semaphore)                                                  \
    ".ifndef " point "\n"                                                                  \
    ".pushsection .data." point ",\"awG\",@progbits," point ",comdat\n"                    \
    ".weak " point "\n"                                                                    \
    ".hidden " point "\n"                                                                  \
    ".type " point ",@object\n"                                                            \
    ".balign 8\n"                                                                          \
    point ": .short 1, 32\n"                                                               \
    ".long 0\n"                                                                            \
    ".quad 0, 0, 0\n"                                                                      \
    ".size " point ", 32\n"                                                                \
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

/* One copy of a site: what perflab_probe_abi::Site says. */
#define PERFLAB_ENTRY_(backend, address, target, point, semaphore, text)                   \
    ".pushsection perflab_text,\"aMS\",@progbits,1\n"                                      \
    "991: .asciz \"" text "\"\n"                                                           \
    ".popsection\n"                                                                        \
    ".pushsection perflab_sites,\"a?R\",@progbits\n"                                       \
    ".balign 8\n"                                                                          \
    ".short 1, 48, " backend ", 0\n"                                                       \
    ".quad " address "\n"                                                                  \
    ".quad " target "\n"                                                                   \
    ".quad " point " - .\n"                                                                \
    ".quad 991b - .\n"                                                                     \
    ".quad " semaphore " - .\n"                                                            \
    ".popsection\n"                                                                        \
    PERFLAB_SHARED_(point, semaphore)                                                      \
    PERFLAB_OBJECT_

#define PERFLAB_TEXT_(provider, name, arguments)                                           \
    provider "\\n" name "\\n" __FILE__ "\\n" PERFLAB_STRING_(__LINE__) arguments

#ifdef PERFLAB_PROBE_BRANCH
#define PERFLAB_SITE_(point, point_text, semaphore, text, on, off)                         \
    if (__builtin_expect(!__atomic_load_n(&point.enabled, __ATOMIC_RELAXED), 1))           \
        goto off;                                                                          \
    PERFLAB_ASM_ volatile(PERFLAB_ENTRY_("1", "0", "0", point_text, semaphore, text)::)
#else
/* The first two bytes lie within eight aligned ones, so that they can be seen to change at once. Where they
 * would not, a prefix (CS, which means nothing to a no-op or a jump) is put before them. It belongs to the
 * same instruction, so it takes no place of its own in the processor. */
#define PERFLAB_SITE_(point, point_text, semaphore, text, on, off)                         \
    PERFLAB_ASM_ goto(                                                                     \
        ".p2align 3, 0x2e, 1\n"                                                            \
        "990: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"                                        \
        PERFLAB_ENTRY_("0", "990b - .", "%l[" #on "] - .", point_text, semaphore, text)    \
        : : : : on);                                                                       \
    goto off;                                                                              \
    on: PERFLAB_COLD_
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

#define PERFLAB_PROBE(provider, ...)                                                       \
    PERFLAB_START_(PERFLAB_PROBE_, PERFLAB_NUMBER_(__VA_ARGS__), __LINE__, __COUNTER__,    \
                  provider, PERFLAB_HEAD_(__VA_ARGS__, ), __VA_ARGS__)
#define PERFLAB_START_(macro, ...) macro(__VA_ARGS__)
#define PERFLAB_HEAD_(name, ...) name
#define PERFLAB_PROBE_(number, line, counter, provider, name, ...)                         \
    PERFLAB_PROBE__(number, perflab_point__##provider##__##name##__##line##_##counter,     \
                    perflab_semaphore__##provider##__##name, perflab_on_##counter,         \
                    perflab_off_##counter, provider, __VA_ARGS__)
#define PERFLAB_PROBE__(number, point, semaphore, on, off, provider, ...)                  \
    PERFLAB_BODY_(number, point, #point, semaphore, #semaphore, on, off, #provider,        \
                  PERFLAB_STRING_(PERFLAB_HEAD_(__VA_ARGS__, )), __VA_ARGS__)
#define PERFLAB_BODY_(number, point, point_text, semaphore, semaphore_text, on, off,       \
                      provider, name, ...)                                                 \
    do {                                                                                   \
        extern struct perflab_point point __asm__(point_text)                              \
            __attribute__((visibility("hidden")));                                         \
        extern uint16_t semaphore __asm__(semaphore_text)                                  \
            __attribute__((visibility("hidden")));                                         \
        PERFLAB_SITE_(                                                                     \
            point, point_text, semaphore_text,                                             \
            PERFLAB_TEXT_(provider, name,                                                  \
                          PERFLAB_MAP_##number(PERFLAB_EACH_TEXT_, __VA_ARGS__)),          \
            on, off);                                                                      \
        {                                                                                  \
            const uint64_t perflab_words[] = {                                             \
                0 PERFLAB_MAP_##number(PERFLAB_EACH_WORDS_, __VA_ARGS__)};                 \
            perflab_hit_(&point, perflab_words + 1, sizeof perflab_words / 8 - 1);         \
            if (__builtin_expect(__atomic_load_n(&semaphore, __ATOMIC_RELAXED), 0)) {      \
                PERFLAB_ASM_ volatile(                                                     \
                    PERFLAB_TRACER_(provider, name, semaphore_text,                        \
                                    "" PERFLAB_MAP_##number(                               \
                                        PERFLAB_EACH_PLACE_, __VA_ARGS__))                 \
                    :                                                                      \
                    : "i"(0) PERFLAB_MAP_##number(PERFLAB_EACH_OPERAND_, __VA_ARGS__));    \
            }                                                                              \
        }                                                                                  \
    off:;                                                                                  \
    } while (0)

#endif /* PERFLAB_PROBE_NONE */

#endif /* PERFLAB_PROBE_H */
