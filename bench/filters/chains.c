/* Chains as a person would write them in C: handlers of a site, in the form that a definition chooses.
 *
 *     STRCMP                    strcmp
 *     MEMCMP16, MEMCMP16_LOCAL  memcmp of sixteen bytes
 *     WIDE, WIDE_LOCAL          two numbers of 64 bits
 *     SSE2                      one of 128 bits
 *
 * Those with LOCAL copy all words to variables first. All but strcmp have the test for the end of a page by hand: they
 * read nothing that strcmp might not. The assembler's symbol PAD says how many bytes all handlers are moved by. */
#include <emmintrin.h>
#include <stdlib.h>
#include <string.h>

#include "handlers.h"

__asm__(".text\n\t.balign 64\n\t.skip PAD, 0xcc");

#define LIST_1(P) P(0, 00, text)
#define LIST_5(P)                                                                          \
    LIST_1(P) P(1, 01, integer) P(2, 02, text) P(3, 03, integer) P(4, 04, text)
#define LIST_9(P)                                                                          \
    LIST_5(P) P(5, 05, integer) P(6, 06, text) P(7, 07, integer) P(8, 08, text)
#define LIST_10(P) LIST_9(P) P(9, 09, integer)
#define LIST_20(P)                                                                         \
    LIST_10(P) P(10, 10, text) P(11, 11, integer) P(12, 12, text) P(13, 13, integer)       \
    P(14, 14, text) P(15, 15, integer) P(16, 16, text) P(17, 17, integer)                  \
    P(18, 18, text) P(19, 19, integer)
#define LIST_40(P)                                                                         \
    LIST_20(P) P(20, 20, text) P(21, 21, integer) P(22, 22, text) P(23, 23, integer)       \
    P(24, 24, text) P(25, 25, integer) P(26, 26, text) P(27, 27, integer)                  \
    P(28, 28, text) P(29, 29, integer) P(30, 30, text) P(31, 31, integer)                  \
    P(32, 32, text) P(33, 33, integer) P(34, 34, text) P(35, 35, integer)                  \
    P(36, 36, text) P(37, 37, integer) P(38, 38, text) P(39, 39, integer)
#define LIST_50(P)                                                                         \
    LIST_40(P) P(40, 40, text) P(41, 41, integer) P(42, 42, text) P(43, 43, integer)       \
    P(44, 44, text) P(45, 45, integer) P(46, 46, text) P(47, 47, integer)                  \
    P(48, 48, text) P(49, 49, integer)

/* Texts that are null or may lie on two pages: hardly ever called. */
static __attribute__((noinline, cold, unused)) int slow(const char *text, const char *literal) {
    return text && strcmp(text, literal) == 0;
}

/* Whether sixteen bytes lie on one page that is not the one at null. */
static inline __attribute__((always_inline, unused)) int is_on_one_page(const char *text) {
    return (((uintptr_t)text + 15) & 0xff0) != 0;
}
#define EQUAL16(text, n, equal)                                                            \
    (__builtin_expect(is_on_one_page(text), 1) ? (equal) : slow(text, TEXT(n)))

/* Eight bytes of a text as a number. */
#define BYTE(text, at) ((uint64_t)(unsigned char)(text)[at] << 8 * ((at) % 8))
#define WORD(text, at)                                                                     \
    (BYTE(text, at) | BYTE(text, (at) + 1) | BYTE(text, (at) + 2) | BYTE(text, (at) + 3) | \
     BYTE(text, (at) + 4) | BYTE(text, (at) + 5) | BYTE(text, (at) + 6) | BYTE(text, (at) + 7))
static inline __attribute__((always_inline, unused)) uint64_t word(const char *text) {
    uint64_t value;
    memcpy(&value, text, sizeof value);
    return value;
}

#if defined(STRCMP)
#define IS_TEXT(text, n) (strcmp(text, TEXT(n)) == 0)
#elif defined(MEMCMP16) || defined(MEMCMP16_LOCAL)
#define IS_TEXT(text, n) EQUAL16(text, n, memcmp(text, TEXT(n), 16) == 0)
#elif defined(WIDE) || defined(WIDE_LOCAL)
#define IS_TEXT(text, n)                                                                   \
    EQUAL16(text, n, word(text) == WORD(TEXT(n), 0) && word((text) + 8) == WORD(TEXT(n), 8))
#elif defined(SSE2)
static const struct {
    char bytes[16];
} __attribute__((aligned(16))) literals[FIELDS] = {
#define LITERAL(i, n, kind) {TEXT(n)},
    LIST_50(LITERAL)};
#define IS_TEXT(text, n)                                                                   \
    EQUAL16(text, n,                                                                       \
            _mm_movemask_epi8(_mm_cmpeq_epi8(                                              \
                _mm_loadu_si128((const __m128i *)(text)),                                  \
                *(const __m128i *)literals[1##n - 100].bytes)) == 0xffff)
#else
#error "which form?"
#endif

#define IS_text(word, i, n) IS_TEXT((const char *)(word), n)
#define IS_integer(word, i, n) ((int64_t)(word) == INTEGER(i))

#if defined(MEMCMP16_LOCAL) || defined(WIDE_LOCAL)
#define WORD_OF(i) local_##i
#define LOCAL(i, n, kind)                                                                  \
    uint64_t local_##i = words[i];                                                         \
    __asm__ volatile("" : "+rm"(local_##i));
#else
#define WORD_OF(i) words[i]
#define LOCAL(i, n, kind)
#endif

#define AND_TEXTS(i, n, kind) && IS_text(WORD_OF(i), i, n)
#define OR_TEXTS(i, n, kind) || IS_text(WORD_OF(i), i, n)
#define AND_INTEGERS(i, n, kind) && IS_integer(WORD_OF(i), i, n)
#define OR_INTEGERS(i, n, kind) || IS_integer(WORD_OF(i), i, n)
#define AND_MIXED(i, n, kind) && IS_##kind(WORD_OF(i), i, n)
#define OR_MIXED(i, n, kind) || IS_##kind(WORD_OF(i), i, n)

#define HANDLER(operator, first, probe, count)                                             \
    static void operator##_##probe##_##count(const void *point, const uint64_t *words) {   \
        LIST_##count(LOCAL)                                                                \
        if (first LIST_##count(operator##_##probe))                                        \
            accepted(point, words);                                                        \
    }
#define OF_PROBE(count, probe) HANDLER(AND, 1, probe, count) HANDLER(OR, 0, probe, count)
#define COUNTS(macro, ...)                                                                 \
    macro(1, __VA_ARGS__) macro(5, __VA_ARGS__) macro(9, __VA_ARGS__) macro(10, __VA_ARGS__) \
    macro(20, __VA_ARGS__) macro(40, __VA_ARGS__) macro(50, __VA_ARGS__)
COUNTS(OF_PROBE, TEXTS)
COUNTS(OF_PROBE, INTEGERS)
COUNTS(OF_PROBE, MIXED)

static void accepts_all(const void *point, const uint64_t *words) { accepted(point, words); }
static void rejects_all(const void *point, const uint64_t *words) { (void)point, (void)words; }

static const struct {
    int count;
    handler *handlers[2];
} known[3][7] = {
#define ENTRY(count, probe) {count, {AND_##probe##_##count, OR_##probe##_##count}},
    {COUNTS(ENTRY, TEXTS)},
    {COUNTS(ENTRY, INTEGERS)},
    {COUNTS(ENTRY, MIXED)},
};

handler *handler_of(const struct chain *chain) {
    if (chain->count == ACCEPTS_ALL)
        return accepts_all;
    if (chain->count == REJECTS_ALL)
        return rejects_all;
    for (int i = 0; i < 7; i++)
        if (known[chain->probe][i].count == chain->count)
            return known[chain->probe][i].handlers[chain->operator];
    abort();
}
