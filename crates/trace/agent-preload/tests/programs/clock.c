/*
 * Reads the clocks of the machine around each hit, so that the time of its event can be checked.
 *
 *     clock SECONDS
 *
 * Two threads, each on a processor of its own as far as there are two. An event has what the clocks said just before
 * it, and what they said just after the event before. It begins when a line comes, says `done` when it has ended, and
 * ends with the next line.
 */
#define _GNU_SOURCE
#include <perflab/probe.h>

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t seconds;

static uint64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void *reads(void *place) {
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    CPU_SET((uintptr_t)place, &cpu);
    /* Without a second processor, or without leave to use it, both run where they may. */
    (void)sched_setaffinity(0, sizeof cpu, &cpu);
    uint64_t end = now(CLOCK_MONOTONIC) + seconds * 1000000000, after = 0, real_after = 0, before;
    do {
        uint64_t real_before = now(CLOCK_REALTIME);
        before = now(CLOCK_MONOTONIC);
        PERFLAB_PROBE(clock, read, (u64, before, before), (u64, real_before, real_before), (u64, after, after),
                      (u64, real_after, real_after));
        after = now(CLOCK_MONOTONIC);
        real_after = now(CLOCK_REALTIME);
        usleep(100);
    } while (before < end);
    return NULL;
}

int main(int argc, char **argv) {
    char line[8];
    pthread_t threads[2];
    if (argc != 2)
        return 2;
    seconds = strtoull(argv[1], NULL, 10);
    puts("ready");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return 0;
    for (uintptr_t i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, reads, (void *)i))
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    fflush(stdout);
    return !fgets(line, sizeof line, stdin);
}
