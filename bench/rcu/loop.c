/* Reads and writes under one flavour of liburcu, with the inline functions of its headers. `perflab-kv rcu run` is
 * compared with it.
 *
 *     NAME [--readers N] [--writers N] [--milliseconds N] [--affinity CPU,CPU...] [--quiescent-every N] [--layout K]
 *
 * The loops are those of liburcu's own test_urcu, but for one comparison. A reader opens a section, loads what the
 * pointer leads to, ends the section, compares what it found, counts in a word of memory, and looks whether it is time
 * to end. test_urcu compares within the section. A writer allocates, exchanges the pointer, waits for a grace period,
 * overwrites and frees; a write counts if it has ended before the flag.
 *
 * Compile with -DFLAVOUR=memb -DHEADER='<urcu/urcu-memb.h>', see `build`. */
#define _GNU_SOURCE
#define _LGPL_SOURCE
#include HEADER

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define JOINED(flavour, what) urcu_##flavour##_##what
#define CALLED(flavour, what) JOINED(flavour, what)
#define RCU(what) CALLED(FLAVOUR, what)
#define TEXT(what) #what
#define TEXT_OF(what) TEXT(what)

/* Rust restates this of the headers. */
#ifdef _URCU_BP_STATIC_H
_Static_assert(offsetof(struct urcu_bp_gp, ctr) == 0 && offsetof(struct urcu_bp_reader, ctr) == 0, "words");
_Static_assert(URCU_BP_GP_COUNT == 1 && URCU_BP_GP_CTR_PHASE == 1ul << 32, "counts");
#else
_Static_assert(offsetof(struct urcu_gp, ctr) == 0 && offsetof(struct urcu_gp, futex) == 8, "words");
_Static_assert(URCU_GP_COUNT == 1 && URCU_GP_CTR_PHASE == 1ul << 32, "counts");
#ifdef _URCU_QSBR_STATIC_H
#define HAS_QUIESCENT_STATES 1
_Static_assert(offsetof(struct urcu_qsbr_reader, ctr) == 0, "words");
_Static_assert(URCU_QSBR_GP_ONLINE == 1 && URCU_QSBR_GP_CTR == 2, "counts");
#else
_Static_assert(offsetof(struct urcu_reader, ctr) == 0, "words");
#endif
#endif

#ifndef HAS_QUIESCENT_STATES
#define HAS_QUIESCENT_STATES 0
#endif

/* The value of an object in use. A freed object has 0. */
enum { VALUE = 8 };

enum { MOST_THREADS = 2000 };

/* A word that has its lines to itself. Processors fetch lines in pairs. */
struct apart {
    unsigned long word;
} __attribute__((aligned(128)));

static int *pointer __attribute__((aligned(128)));
static char ends __attribute__((aligned(128)));
static int begun __attribute__((aligned(128)));
static char goes;
static struct apart counts[MOST_THREADS];

static int readers = 6, writers = 2, layout;
static long milliseconds = 1000;
static unsigned long quiescent_every = 1024;
static int cpus[CPU_SETSIZE], cpu_count;

static __attribute__((cold, noinline, noreturn)) void fail(const char *what) {
    perror(what);
    exit(5);
}

static __attribute__((cold, noinline, noreturn)) void wrong(int value) {
    fprintf(stderr, "a reader found %d where %d belongs: the object was freed\n", value, VALUE);
    exit(1);
}

static inline __attribute__((always_inline)) void read_until_end(int *const *from, const char *end,
                                                                 unsigned long *count, unsigned long mask) {
    do {
        RCU(read_lock)();
        int *object = rcu_dereference(*(int **)from);
        int value = object ? *object : VALUE;
        RCU(read_unlock)();
        if (__builtin_expect(value != VALUE, 0))
            wrong(value);
        unsigned long reads = __atomic_load_n(count, __ATOMIC_RELAXED) + 1;
        __atomic_store_n(count, reads, __ATOMIC_RELAXED);
        if (HAS_QUIESCENT_STATES && __builtin_expect((reads & mask) == 0, 0))
            RCU(quiescent_state)();
    } while (!__atomic_load_n(end, __ATOMIC_RELAXED));
}

/* The loop at each place: moved by 16 bytes for each layout from a multiple of 128, as compilers align loops to that. */
#define READ(layout)                                                                                         \
    static __attribute__((noinline)) void read_##layout(int *const *from, const char *end,                   \
                                                        unsigned long *count, unsigned long mask) {          \
        __asm__ volatile(".p2align 7, 0x90\n.skip %c0, 0x90" ::"i"(16 * layout));                            \
        read_until_end(from, end, count, mask);                                                              \
    }
READ(0) READ(1) READ(2) READ(3) READ(4) READ(5) READ(6) READ(7)

static void (*const reads_at[])(int *const *, const char *, unsigned long *, unsigned long) = {
    read_0, read_1, read_2, read_3, read_4, read_5, read_6, read_7,
};

enum { LAYOUTS = sizeof(reads_at) / sizeof(*reads_at) };

static __attribute__((noinline)) void write_until_end(int **to, const char *end, unsigned long *count) {
    for (;;) {
        int *object = malloc(sizeof(*object));
        if (!object)
            fail("malloc");
        *object = VALUE;
        int *old = rcu_xchg_pointer(to, object);
        RCU(synchronize_rcu)();
        *(volatile int *)old = 0;
        free(old);
        if (__atomic_load_n(end, __ATOMIC_RELAXED))
            return;
        __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    }
}

static void *work(void *number_of) {
    int number = (int)(long)number_of;
    if (cpu_count) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(cpus[number % cpu_count], &set);
        if (sched_setaffinity(0, sizeof(set), &set))
            fail("sched_setaffinity");
    }
    unsigned long *count = &counts[number].word;
    if (number < readers) {
        RCU(register_thread)();
        __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
        reads_at[layout](&pointer, &ends, count, quiescent_every - 1);
        RCU(unregister_thread)();
    } else {
        __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
        while (!__atomic_load_n(&goes, __ATOMIC_ACQUIRE))
            sched_yield();
        write_until_end(&pointer, &ends, count);
    }
    return NULL;
}

static void sleep_for(long ns) {
    struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &time))
        ;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static unsigned long total(int from, int to) {
    unsigned long sum = 0;
    for (int number = from; number < to; number++)
        sum += __atomic_load_n(&counts[number].word, __ATOMIC_RELAXED);
    return sum;
}

static void begin(pthread_t *threads, int from, int to) {
    for (long number = from; number < to; number++)
        if (pthread_create(&threads[number], NULL, work, (void *)number))
            fail("pthread_create");
    while (__atomic_load_n(&begun, __ATOMIC_RELAXED) < to)
        sleep_for(200000);
}

static __attribute__((noreturn)) void usage(const char *what) {
    fprintf(stderr,
            "%s\n"
            "usage: --readers N --writers N --milliseconds N --affinity CPU,CPU... --quiescent-every N --layout K\n",
            what);
    exit(2);
}

static void read_arguments(int argc, char **argv) {
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            usage("an option without its value");
        const char *name = argv[i], *value = argv[i + 1];
        if (!strcmp(name, "--readers"))
            readers = atoi(value);
        else if (!strcmp(name, "--writers"))
            writers = atoi(value);
        else if (!strcmp(name, "--milliseconds"))
            milliseconds = atol(value);
        else if (!strcmp(name, "--quiescent-every"))
            quiescent_every = strtoul(value, NULL, 10);
        else if (!strcmp(name, "--layout"))
            layout = atoi(value);
        else if (!strcmp(name, "--affinity"))
            for (const char *at = value; at; at = strchr(at, ','), at += !!at) {
                int cpu = atoi(at);
                if (cpu < 0 || cpu >= CPU_SETSIZE || cpu_count == CPU_SETSIZE)
                    usage("no such CPU");
                cpus[cpu_count++] = cpu;
            }
        else
            usage("an unknown option");
    }
    if (readers < 1 || writers < 0 || readers > 1000 || writers > 1000)
        usage("a number of threads out of its range");
    if (milliseconds < 1 || layout < 0 || layout >= LAYOUTS)
        usage("a number out of its range");
    if (quiescent_every == 0 || (quiescent_every & (quiescent_every - 1)) != 0)
        usage("--quiescent-every takes a power of two");
}

int main(int argc, char **argv) {
    static pthread_t threads[MOST_THREADS];
    read_arguments(argc, argv);
    pointer = malloc(sizeof(*pointer));
    if (!pointer)
        fail("malloc");
    *pointer = VALUE;
    begin(threads, 0, readers);
    /* `perflab-kv` proves its flavour by such a grace period. */
    RCU(synchronize_rcu)();
    begin(threads, readers, readers + writers);
    unsigned long reads = total(0, readers);
    double start = now();
    __atomic_store_n(&goes, 1, __ATOMIC_RELEASE);
    sleep_for(milliseconds * 1000000);
    reads = total(0, readers) - reads;
    double seconds = now() - start;
    __atomic_store_n(&ends, 1, __ATOMIC_RELAXED);
    for (int number = 0; number < readers + writers; number++)
        pthread_join(threads[number], NULL);
    unsigned long writes = total(readers, readers + writers);
    /* Each writer has ended one more grace period than it counts. */
    printf("{\"flavour\":\"%s\",\"readers\":%d,\"writers\":%d,\"seconds\":%.9f,\"reads\":%lu,\"writes\":%lu,"
           "\"reads_per_s\":%.3f,\"writes_per_s\":%.3f,\"evidence\":{\"waits\":%lu}}\n",
           TEXT_OF(FLAVOUR), readers, writers, seconds, reads, writes, (double)reads / seconds,
           (double)writes / seconds, writes + (unsigned long)writers);
    return 0;
}
