/* The loops with one kind of site, chosen by a definition, as -DPATCHED. */
#if defined(PATCHED) || defined(BRANCH) || defined(NONE)

#ifdef BRANCH
#define PERFLAB_PROBE_BRANCH
#endif
#ifdef NONE
#define PERFLAB_PROBE_NONE
#endif
#include <perflab/probe.h>
#define SITE(a, b) PERFLAB_PROBE(cost, site, (i64, a, (int64_t)(a)), (i64, b, (int64_t)(b)))

#elif defined(NOP5)

#define SITE(a, b) __asm__ volatile(".byte 0x0f, 0x1f, 0x44, 0x00, 0x00")

#elif defined(STATIC_KEY)

/* As Linux does it: a no-op, an entry in a table, and out of line what it could be patched to lead to. */
#include <stdint.h>
extern volatile uint64_t seen;
volatile uint64_t seen;
#define SITE(a, b)                                                                         \
    do {                                                                                   \
        __label__ on, off;                                                                 \
        __asm__ goto("1: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n\t"                           \
                     ".pushsection jump_table, \"a\"\n\t"                                  \
                     ".balign 8\n\t"                                                       \
                     ".quad 1b - ., %l[on] - .\n\t"                                        \
                     ".popsection" ::::on);                                                \
        goto off;                                                                          \
    on:                                                                                    \
        seen = (a) + (b);                                                                  \
    off:;                                                                                  \
    } while (0)

#elif defined(USDT)

#include <sys/sdt.h>
#define SITE(a, b) DTRACE_PROBE2(cost, site, a, b)

#elif defined(LTTNG)

#define TRACEPOINT_DEFINE
#define TRACEPOINT_CREATE_PROBES
#include "lttng.h"
#define SITE(a, b) tracepoint(cost, site, a, b)

#else
#error "which kind of site?"
#endif

#include "loops.h"
