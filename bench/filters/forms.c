/* Prints what it costs to compare texts with literals, in the forms that the code of a filter may have and as gcc
 * compiles them: ns per event that passes all compares, less what a function takes that does nothing.
 *
 *     forms
 *
 * -DPAD=N moves all functions by so many bytes. */
#include <emmintrin.h>
#include <stdint.h>
#include <string.h>

#include "../stretch.h"

#ifndef PAD
#define PAD 0
#endif
#define AS_TEXT_(x) #x
#define AS_TEXT(x) AS_TEXT_(x)
#if PAD
__asm__(".text\n\t.skip " AS_TEXT(PAD) ", 0xcc");
#endif

/* Texts of fifteen characters, of which the last two differ. */
#define TEXT(n) "argument-num-" #n
#define LIST_1(P) P(0, 00)
#define LIST_5(P) LIST_1(P) P(1, 01) P(2, 02) P(3, 03) P(4, 04)
#define LIST_10(P) LIST_5(P) P(5, 05) P(6, 06) P(7, 07) P(8, 08) P(9, 09)
#define LIST_20(P)                                                                         \
    LIST_10(P) P(10, 10) P(11, 11) P(12, 12) P(13, 13) P(14, 14) P(15, 15) P(16, 16)       \
    P(17, 17) P(18, 18) P(19, 19)
#define LIST_50(P)                                                                         \
    LIST_20(P) P(20, 20) P(21, 21) P(22, 22) P(23, 23) P(24, 24) P(25, 25) P(26, 26)       \
    P(27, 27) P(28, 28) P(29, 29) P(30, 30) P(31, 31) P(32, 32) P(33, 33) P(34, 34)        \
    P(35, 35) P(36, 36) P(37, 37) P(38, 38) P(39, 39) P(40, 40) P(41, 41) P(42, 42)        \
    P(43, 43) P(44, 44) P(45, 45) P(46, 46) P(47, 47) P(48, 48) P(49, 49)

#define LITERAL(i, n) static const char literal_##i[16] __attribute__((aligned(16))) = TEXT(n);
LIST_50(LITERAL)

/* Eight bytes of a text as a number. */
#define BYTE(text, at) ((uint64_t)(unsigned char)(text)[at] << 8 * ((at) % 8))
#define WORD(text, at)                                                                     \
    (BYTE(text, at) | BYTE(text, (at) + 1) | BYTE(text, (at) + 2) | BYTE(text, (at) + 3) | \
     BYTE(text, (at) + 4) | BYTE(text, (at) + 5) | BYTE(text, (at) + 6) | BYTE(text, (at) + 7))

/* Texts that are null or may lie on two pages, as the code of a filter has it: a call that is hardly ever made. */
static __attribute__((noinline, cold)) int slow(const char *text, const char *literal) {
    return text && strcmp(text, literal) == 0;
}

/* Whether sixteen bytes lie on one page that is not the one at null, in C. */
static inline __attribute__((always_inline)) int is_on_one_page(const char *text) {
    return (((uintptr_t)text + 15) & 0xff0) != 0;
}

static inline __attribute__((always_inline)) uint64_t word(const char *text) {
    uint64_t value;
    memcpy(&value, text, sizeof value);
    return value;
}

/* What gcc makes of some forms in C. `text` is where the address of the text is. */
#define STRCMP(text, i, n)                                                                 \
    if (strcmp((const char *)(text), TEXT(n)) != 0)                                        \
        return 0;
#define MEMCMP16(text, i, n)                                                               \
    if (__builtin_expect(!is_on_one_page((const char *)(text)), 0)                         \
            ? !slow((const char *)(text), literal_##i)                                     \
            : memcmp((const char *)(text), TEXT(n), 16) != 0)                              \
        return 0;
#define WIDE(text, i, n)                                                                   \
    if (__builtin_expect(!is_on_one_page((const char *)(text)), 0)                         \
            ? !slow((const char *)(text), literal_##i)                                     \
            : word((const char *)(text)) != WORD(TEXT(n), 0) ||                            \
                  word((const char *)(text) + 8) != WORD(TEXT(n), 8))                      \
        return 0;

#define SSE2(text, i, n)                                                                   \
    if (__builtin_expect(!is_on_one_page((const char *)(text)), 0)                         \
            ? !slow((const char *)(text), literal_##i)                                     \
            : _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(text)),   \
                                               *(const __m128i *)literal_##i)) != 0xffff)  \
        return 0;

/* The forms of a filter's own code. Each begins with the rule on pages, and goes on at `no`. */
#define RULE                                                                               \
    "movq %c[at](%[words]), %%r10\n\t"                                                     \
    "leal 15(%%r10), %%eax\n\t"                                                            \
    "testl $0xff0, %%eax\n\t"                                                              \
    "jz %l[slowly]\n\t"
#define EACH_JUMPS                                                                         \
    "movabsq %[low], %%rax\n\t"                                                            \
    "cmpq (%%r10), %%rax\n\t"                                                              \
    "jne %l[no]\n\t"                                                                       \
    "movabsq %[high], %%rax\n\t"                                                           \
    "cmpq 8(%%r10), %%rax\n\t"                                                             \
    "jne %l[no]"
#define FROM_MEMORY                                                                        \
    "movq (%%r10), %%rax\n\t"                                                              \
    "cmpq %[literal], %%rax\n\t"                                                           \
    "jne %l[no]\n\t"                                                                       \
    "movq 8(%%r10), %%rax\n\t"                                                             \
    "cmpq %[behind], %%rax\n\t"                                                            \
    "jne %l[no]"
#define ONE_JUMPS                                                                          \
    "movabsq %[low], %%rax\n\t"                                                            \
    "xorq (%%r10), %%rax\n\t"                                                              \
    "movabsq %[high], %%r11\n\t"                                                           \
    "xorq 8(%%r10), %%r11\n\t"                                                             \
    "orq %%r11, %%rax\n\t"                                                                 \
    "jne %l[no]"
#define VECTOR                                                                             \
    "movdqu (%%r10), %%xmm0\n\t"                                                           \
    "pcmpeqb %[literal], %%xmm0\n\t"                                                       \
    "pmovmskb %%xmm0, %%eax\n\t"                                                           \
    "cmpl $0xffff, %%eax\n\t"                                                              \
    "jne %l[no]"
#define HALVES                                                                             \
    "movq (%%r10), %%xmm0\n\t"                                                             \
    "movhps 8(%%r10), %%xmm0\n\t"                                                          \
    "pcmpeqb %[literal], %%xmm0\n\t"                                                       \
    "pmovmskb %%xmm0, %%eax\n\t"                                                           \
    "cmpl $0xffff, %%eax\n\t"                                                              \
    "jne %l[no]"
#define FORM(instructions, i, n)                                                           \
    {                                                                                      \
        __label__ slowly, next;                                                            \
        __asm__ goto(RULE instructions                                                     \
                     :                                                                     \
                     : [words] "r"(words), [at] "i"(8 * (i)), [low] "i"(WORD(TEXT(n), 0)), \
                       [high] "i"(WORD(TEXT(n), 8)), [literal] "m"(literal_##i[0]),        \
                       [behind] "m"(literal_##i[8])                                        \
                     : "rax", "r10", "r11", "xmm0", "cc", "memory"                         \
                     : slowly, no);                                                        \
        goto next;                                                                         \
    slowly:                                                                                \
        __attribute__((cold));                                                             \
        if (!slow((const char *)words[i], literal_##i))                                    \
            goto no;                                                                       \
    next:;                                                                                 \
    }

/* An event: the point is not looked at. */
typedef int handler(const void *point, const uint64_t *words);

static __attribute__((noinline)) int nothing(const void *point, const uint64_t *words) {
    (void)point, (void)words;
    return 1;
}

#define BY_RECORD(compare, i, n) compare(words[i], i, n)
#define FROM_LOCAL(compare, i, n) compare(local_##i, i, n)
#define LOCAL(i, n)                                                                        \
    uint64_t local_##i = words[i];                                                         \
    __asm__ volatile("" : "+rm"(local_##i));

#define IN_C(name, count, compares, locals)                                                \
    static __attribute__((noinline)) int name##_##count(const void *point, const uint64_t *words) { \
        (void)point;                                                                       \
        locals compares;                                                                   \
        return 1;                                                                          \
    }
#define OWN(name, count, compares)                                                         \
    static __attribute__((noinline)) int name##_##count(const void *point, const uint64_t *words) { \
        (void)point;                                                                       \
        compares;                                                                          \
        return 1;                                                                          \
    no:                                                                                    \
        return 0;                                                                          \
    }

#define P_STRCMP(i, n) BY_RECORD(STRCMP, i, n)
#define P_MEMCMP16(i, n) BY_RECORD(MEMCMP16, i, n)
#define P_WIDE(i, n) BY_RECORD(WIDE, i, n)
#define P_SSE2(i, n) BY_RECORD(SSE2, i, n)
#define P_WIDE_LOCAL(i, n) FROM_LOCAL(WIDE, i, n)
#define P_EACH_JUMPS(i, n) FORM(EACH_JUMPS, i, n)
#define P_FROM_MEMORY(i, n) FORM(FROM_MEMORY, i, n)
#define P_ONE_JUMPS(i, n) FORM(ONE_JUMPS, i, n)
#define P_HALVES(i, n) FORM(HALVES, i, n)
#define P_VECTOR(i, n) FORM(VECTOR, i, n)

#define ALL(count)                                                                         \
    IN_C(strcmp, count, LIST_##count(P_STRCMP), )                                          \
    IN_C(memcmp16, count, LIST_##count(P_MEMCMP16), )                                      \
    IN_C(wide, count, LIST_##count(P_WIDE), )                                              \
    IN_C(wide_local, count, LIST_##count(P_WIDE_LOCAL), LIST_##count(LOCAL))               \
    IN_C(sse2, count, LIST_##count(P_SSE2), )                                              \
    OWN(each_jumps, count, LIST_##count(P_EACH_JUMPS))                                     \
    OWN(from_memory, count, LIST_##count(P_FROM_MEMORY))                                   \
    OWN(one_jumps, count, LIST_##count(P_ONE_JUMPS))                                       \
    OWN(halves, count, LIST_##count(P_HALVES))                                             \
    OWN(vector, count, LIST_##count(P_VECTOR))
ALL(1)
ALL(5)
ALL(10)
ALL(20)
ALL(50)

/* The gate of a filter that rejects: marks the thread, jumps to the filter, and that to where the mark is cleared. */
static __thread uint64_t mark __attribute__((used)) = 1;
handler gate;
__asm__(".text\n"
        "gate:\n\t"
        "cmpq $1, %fs:mark@tpoff\n\t"
        "jne 1f\n\t"
        "movq %rsp, %fs:mark@tpoff\n\t"
        "1: jmp *cell(%rip)\n"
        "filter:\n\t"
        "jmp *reject_address(%rip)\n"
        "reject:\n\t"
        "cmpq %rsp, %fs:mark@tpoff\n\t"
        "jne 1f\n\t"
        "movq $1, %fs:mark@tpoff\n\t"
        "1: ret\n"
        ".data\n"
        ".balign 8\n"
        "cell: .quad filter\n"
        "reject_address: .quad reject\n"
        ".text");

/* Fifty words by the address of all, and each by itself: most of them on the stack. */
#define PARAMETER(i, n) , uint64_t word_##i
#define ARGUMENT(i, n) , words[i]
static __attribute__((noipa)) void takes_fifty(const void *point LIST_50(PARAMETER)) {
    (void)point;
#define UNUSED(i, n) (void)word_##i;
    LIST_50(UNUSED)
    __asm__ volatile("");
}
static __attribute__((noipa)) int each_by_itself(const void *point, const uint64_t *words) {
    takes_fifty(point LIST_50(ARGUMENT));
    return 1;
}

#define FORMS(name) {name##_1, name##_5, name##_10, name##_20, name##_50}
enum { LENGTHS = 5 };
static const int lengths[LENGTHS] = {1, 5, 10, 20, 50};
static const char *const names[] = {"strcmp",     "memcmp16",    "wide",      "wide-local", "sse2",
                                    "each-jumps", "from-memory", "one-jumps", "halves",     "vector"};
enum { ARMS = sizeof names / sizeof *names };
static handler *const handlers[ARMS + 1][LENGTHS] = {
    FORMS(strcmp),     FORMS(memcmp16),    FORMS(wide),      FORMS(wide_local), FORMS(sse2),
    FORMS(each_jumps), FORMS(from_memory), FORMS(one_jumps), FORMS(halves),     FORMS(vector),
    {nothing, gate, each_by_itself, nothing, nothing},
};
static const struct {
    const char *name;
    int column;
} others[] = {{"gate", 1}, {"fifty-words", 2}};

static uint64_t words[50];

/* Of a row and a column of the table above. */
static void events(int row, int column, uint64_t times, uint64_t a) {
    handler *of = handlers[row][column];
    const uint64_t *volatile passed = words;
    (void)a;
    for (; times; times--)
        of(&words, passed);
}

/* The shortest time of an event, in turns with one for which nothing is done. */
static double cost(int row, int column) {
    double least[2] = {1e99, 1e99};
    uint64_t times[2] = {enough(events, ARMS, 0), enough(events, row, column)};
    for (int i = 0; i < 2 * STRETCHES; i++) {
        int with = i % 2;
        double took = with ? stretch(events, row, column, times[1]) : stretch(events, ARMS, 0, times[0]);
        double each = took / (double)times[with];
        if (each < least[with])
            least[with] = each;
    }
    return least[1] - least[0];
}

int main(void) {
    /* The layout is that of the binary. */
    (void)chosen_layout;
    /* Each text where the allocator puts it, as those of a program. */
#define FILL(i, n) words[i] = (uint64_t)(uintptr_t)strdup(TEXT(n));
    LIST_50(FILL)
    for (int row = 0; row < (int)ARMS; row++)
        for (int column = 0; column < LENGTHS; column++) {
            if (!handlers[row][column](NULL, words)) {
                fprintf(stderr, "%s does not pass the event\n", names[row]);
                return 1;
            }
            printf("VALUE %.4f ns %s/%d\n", cost(row, column), names[row], lengths[column]);
        }
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        printf("VALUE %.4f ns %s\n", cost(ARMS, others[i].column), others[i].name);
    return 0;
}
