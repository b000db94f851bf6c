/* The loop with one kind of event, chosen by a definition, as -DRECORDED. */
#include <stdint.h>

#if defined(MINIMAL)

/* The least that can be done: the time and 32 bytes, into memory as large as a ring of ours. */
struct record {
    uint64_t number, time, a, b;
};
enum { RECORDS = (256 << 10) / sizeof(struct record) };
extern struct record records[RECORDS];
struct record records[RECORDS];
#define EVENT(a, b)                                                                        \
    (records[at] = (struct record){7, __builtin_ia32_rdtsc(), a, b}, at = (at + 1) % RECORDS)

#elif defined(RECORDED) || defined(RECORDED_BRANCH)

#ifdef RECORDED_BRANCH
#define PERFLAB_PROBE_BRANCH
#endif
#include <perflab/probe.h>
#define EVENT(a, b) PERFLAB_PROBE(cost, pair, (u64, a, a), (u64, b, b))

#elif defined(RECORDED_TEXTS)

#include "texts.h"
#include <perflab/probe.h>
#define EVENT(a, b)                                                                        \
    PERFLAB_PROBE(cost, texts, (cstr, a, texts[0]), (cstr, b, texts[1]), (cstr, c, texts[2]), \
                  (cstr, d, texts[3]), (cstr, e, texts[4]), (cstr, f, texts[5]),           \
                  (cstr, g, texts[6]), (cstr, h, texts[7]), (cstr, i, texts[8]))

#elif defined(RECORDED_STRS)

#include "texts.h"
#include <perflab/probe.h>
#define EVENT(a, b)                                                                        \
    PERFLAB_PROBE(cost, strs, (str, a, texts[0], 15), (str, b, texts[1], 15),              \
                  (str, c, texts[2], 15), (str, d, texts[3], 15), (str, e, texts[4], 15),  \
                  (str, f, texts[5], 15), (str, g, texts[6], 15), (str, h, texts[7], 15),  \
                  (str, i, texts[8], 15))

#elif defined(USDT)

#include <sys/sdt.h>
#define EVENT(a, b) DTRACE_PROBE2(cost, pair, a, b)

#elif defined(LTTNG) || defined(LTTNG_TEXTS)

#define TRACEPOINT_DEFINE
#define TRACEPOINT_CREATE_PROBES
#include "lttng.h"
#ifdef LTTNG
#define EVENT(a, b) tracepoint(cost, pair, a, b)
#else
#include "texts.h"
#define EVENT(a, b)                                                                        \
    tracepoint(cost, texts, texts[0], texts[1], texts[2], texts[3], texts[4], texts[5],    \
               texts[6], texts[7], texts[8])
#endif

#else
#error "which kind of event?"
#endif

#include "../places.h"

/* Where the next record of `minimal` goes, from one stretch to the next. */
static uint64_t place;

#define LOOP(layout, name)                                                                 \
    static __attribute__((noinline)) void name##layout(uint64_t times, uint64_t a) {       \
        uint64_t at = place;                                                               \
        MOVED(layout);                                                                     \
        for (; times; times--)                                                             \
            EVENT(a, times);                                                               \
        place = at;                                                                        \
        (void)a;                                                                           \
    }
#define ENTRY(layout, name) name##layout,

/* To attach to a place and detach from it takes bpftrace a tenth of a second, so it has fewer of them. */
#ifdef USDT
#define PLACES(macro, ...) EIGHT(macro, 0, __VA_ARGS__)
#else
#define PLACES EACH
#endif

PLACES(LOOP, loop_)

static void (*const all[])(uint64_t, uint64_t) = {PLACES(ENTRY, loop_)};

void events(int work, int layout, uint64_t times, uint64_t a) {
    (void)work;
    all[(unsigned long)layout % (sizeof all / sizeof *all)](times, a);
}
