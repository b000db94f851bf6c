/*
 * Threads that execute a thousand sites, and how long each was held up:  switching THREADS
 *
 * Between two sites a thread reads its processor time and the clock. `reset` on standard input forgets what
 * was seen; `report` prints the longest step of any thread since, in nanoseconds: processor time, clock. The
 * end of the input ends it.
 */
#define _GNU_SOURCE
#include <perflab/probe.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define TEN_(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define TEN__(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define SITE(n) PERFLAB_PROBE(many, s##n, (i32, x, x)); look(seen);
#define TEN_SITES(n) TEN(SITE, n)
#define HUNDRED_SITES(n) TEN_(TEN_SITES, n)

struct seen {
    uint64_t processor, clock;
    _Atomic uint64_t longest_processor, longest_clock;
};

static struct seen all[64];
static atomic_int stop;

static uint64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void look(struct seen *seen) {
    uint64_t processor = now(CLOCK_THREAD_CPUTIME_ID), clock = now(CLOCK_MONOTONIC);
    if (processor - seen->processor > seen->longest_processor)
        seen->longest_processor = processor - seen->processor;
    if (clock - seen->clock > seen->longest_clock)
        seen->longest_clock = clock - seen->clock;
    seen->processor = processor;
    seen->clock = clock;
}

static __attribute__((noinline)) void execute_all(int x, struct seen *seen) {
    PERFLAB_PROBE(one, only, (i32, x, x));
    look(seen);
    TEN__(HUNDRED_SITES, )
}

static void *execute(void *of) {
    struct seen *seen = of;
    seen->processor = now(CLOCK_THREAD_CPUTIME_ID);
    seen->clock = now(CLOCK_MONOTONIC);
    for (int x = 0; !stop; x++)
        execute_all(x, seen);
    return NULL;
}

int main(int count, char **words) {
    int threads = count > 1 ? atoi(words[1]) : 1;
    if (threads < 1 || threads > 64)
        return 2;
    pthread_t thread[64];
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, execute, &all[i]);
    printf("ready\n");
    fflush(stdout);
    char line[80];
    while (fgets(line, sizeof line, stdin)) {
        uint64_t processor = 0, clock = 0;
        for (int i = 0; i < threads; i++) {
            if (!strcmp(line, "reset\n"))
                all[i].longest_processor = all[i].longest_clock = 0;
            if (all[i].longest_processor > processor)
                processor = all[i].longest_processor;
            if (all[i].longest_clock > clock)
                clock = all[i].longest_clock;
        }
        printf("%lu %lu\n", processor, clock);
        fflush(stdout);
    }
    stop = 1;
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
