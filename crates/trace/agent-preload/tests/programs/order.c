/*
 * Two threads on processors of their own hand a lock to each other; the numbers of their events tell the true order.
 *
 *     order ROUNDS [ordered]
 *
 * With `ordered`, the probes ask for that. It begins when a line comes, says `done` when it has ended, and ends with the next line.
 */
#define _GNU_SOURCE
#include <perflab/probe.h>

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static int lock;
static int is_ordered;
static uint64_t next, rounds;

static void *run(void *cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((uintptr_t)cpu, &set);
    /* Without a second processor, or without leave to use it, both run where they may. */
    (void)sched_setaffinity(0, sizeof set, &set);
    for (uint64_t i = 0; i < rounds; i++) {
        while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
            __builtin_ia32_pause();
        if (is_ordered)
            PERFLAB_PROBE_ORDERED(order, held, (u64, number, next));
        else
            PERFLAB_PROBE(order, held, (u64, number, next));
        next++;
        for (volatile int k = 0; k < 20; k++)
            ;
        if (is_ordered)
            PERFLAB_PROBE_ORDERED(order, free, (u64, number, next));
        else
            PERFLAB_PROBE(order, free, (u64, number, next));
        next++;
        __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
        for (volatile int k = 0; k < 100; k++)
            ;
    }
    return cpu;
}

int main(int argc, char **argv) {
    char line[8];
    pthread_t threads[2];
    if (argc < 2)
        return 2;
    is_ordered = argc > 2;
    rounds = strtoull(argv[1], NULL, 10);
    puts("ready");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return 0;
    for (uintptr_t i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run, (void *)i))
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    fflush(stdout);
    return !fgets(line, sizeof line, stdin);
}
