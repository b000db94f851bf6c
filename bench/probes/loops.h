/* The loops whose time is measured, with 16 sites or without, each at 64 places in the code.
 *
 * A file that includes this defines SITE(a, b), a probe with two integers, and gets two functions:
 *     sites(work, layout, times, a)     the loop with 16 sites
 *     nothing(work, layout, times, a)   the same without
 * `layout` is how many bytes the loop is moved by, 0 to 63. */
#ifndef LOOPS_H
#define LOOPS_H

#include <stdint.h>

#include "../places.h"

#define INLINE static inline __attribute__((always_inline))

/* What lies before each site in the loop `work`: two additions, a load, and a copy. The compiler sees no
 * values in it, only registers that are not its own, so that the loop is the same whatever the sites are. */
#define WORK(x, y)                                                                         \
    if (work)                                                                              \
        __asm__ volatile("addq %%rcx, %%" x "\n\t"                                         \
                         "addq %%rcx, %%" y "\n\t"                                         \
                         "movq (%%rsp), %%rax\n\t"                                         \
                         "movl %%eax, %%edx" ::: "rax", "rcx", "rdx", x, y, "cc")

#define TWO_SITES                                                                          \
    WORK("r8", "r9");                                                                      \
    if (with)                                                                              \
        SITE(a, times);                                                                    \
    WORK("r10", "r11");                                                                    \
    if (with)                                                                              \
        SITE(a, times)

INLINE void loop(int with, int work, int layout, uint64_t times, uint64_t a) {
    (void)a;
    MOVED(layout);
    for (; times; times--) {
        __asm__ volatile("");
        TWO_SITES;
        TWO_SITES;
        TWO_SITES;
        TWO_SITES;
        TWO_SITES;
        TWO_SITES;
        TWO_SITES;
        TWO_SITES;
    }
}

#define PLACE(layout, name, with, work)                                                    \
    static __attribute__((noinline)) void name##_##work##_##layout(uint64_t times, uint64_t a) { \
        loop(with, work, layout, times, a);                                                \
    }
#define ENTRY(layout, name, work) name##_##work##_##layout,

EACH(PLACE, sites, 1, 0)
EACH(PLACE, sites, 1, 1)
EACH(PLACE, nothing, 0, 0)
EACH(PLACE, nothing, 0, 1)

static void (*const all[2][2][64])(uint64_t, uint64_t) = {
    {{EACH(ENTRY, nothing, 0)}, {EACH(ENTRY, nothing, 1)}},
    {{EACH(ENTRY, sites, 0)}, {EACH(ENTRY, sites, 1)}},
};

void nothing(int work, int layout, uint64_t times, uint64_t a) {
    all[0][work][layout](times, a);
}
void sites(int work, int layout, uint64_t times, uint64_t a) {
    all[1][work][layout](times, a);
}

#endif
