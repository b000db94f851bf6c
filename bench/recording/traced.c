/* Two threads, each with an event of two integers of 32 bits at a given rate, for two seconds.
 *
 *     traced RATE      events per second of both together
 *
 * Prints the number of events, and how many seconds they took. Rates are kept by the time stamp counter: a
 * thread that was held up makes up for it, and one that is too slow goes on as fast as it can. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef LTTNG
#define TRACEPOINT_DEFINE
#define TRACEPOINT_CREATE_PROBES
#include "lttng.h"
#define EVENT(x, y) tracepoint(cost, small, x, y)
#else
#include <perflab/probe.h>
#define EVENT(x, y) PERFLAB_PROBE(cost, small, (u32, a, x), (u32, b, y))
#endif

enum { THREADS = 2, SECONDS = 2 };

static double ticks_per_second, rate;
static pthread_barrier_t all_there;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double measured_ticks_per_second(void) {
    double start = now();
    uint64_t first = __builtin_ia32_rdtsc();
    while (now() - start < 0.1) {
    }
    return (double)(__builtin_ia32_rdtsc() - first) / (now() - start);
}

static void *run(void *number) {
    /* In 1024ths of a tick. */
    uint64_t each = (uint64_t)(ticks_per_second * 1024 / (rate / THREADS));
    pthread_barrier_wait(&all_there);
    uint64_t start = __builtin_ia32_rdtsc(), end = start + (uint64_t)(ticks_per_second * SECONDS);
    uint64_t next = 0, events = 0, at = start;
    while (at < end) {
        if ((at - start) << 10 >= next) {
            EVENT((uint32_t)events, (uint32_t)events & 7);
            events++;
            next += each;
        }
        at = __builtin_ia32_rdtsc();
    }
    *(uint64_t *)number = events;
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    uint64_t events[THREADS], sum = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: %s RATE\n", argv[0]);
        return 2;
    }
    rate = strtod(argv[1], NULL);
    ticks_per_second = measured_ticks_per_second();
    /* What records has time to get ready, and no thread has an event before. */
    sleep(1);
    pthread_barrier_init(&all_there, NULL, THREADS);
    double start = now();
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run, &events[i]))
            return 1;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += events[i];
    }
    printf("%llu events in %.3f s\n", (unsigned long long)sum, now() - start);
    return 0;
}
