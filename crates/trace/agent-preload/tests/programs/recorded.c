/*
 * Hits probes whose events can be checked one by one, and counts in a file how many there were.
 *
 *     recorded FILE NAME=NUMBER...
 *
 * threads   that hit probes at the same time
 * events    of each; 0: until told
 * signals   1: each thread also gets signals whose handlers hit probes and interrupt each other
 * churn     1: a thread that has hit its probes is followed by another one, which goes on numbering, until told
 * forks     1: children are made, which hit probes and end
 * jumps     1: handlers leave by a jump now and then
 * files     1: no more files can be opened once it has begun
 * vforks    1: the first event of each thread is made by a child that has its memory
 * stack     1: handlers have a stack of their own, above what they interrupt
 *
 * The file has a word for each source of events, a thread or the handlers of one: how many it has hit. A source's
 * events are numbered from 0. It begins when a line comes, says `done` when all threads have ended, and ends with
 * the next line.
 */
#define _GNU_SOURCE
#include <perflab/probe.h>

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOURCES 65536
#define MOST_THREADS 64

static _Atomic uint64_t *counters;
/* 0 is nobody. */
static _Atomic uint64_t sources = 1, told;
static uint64_t threads = 1, events = 0, signals = 0, churn = 0, forks = 0, jumps = 0, stack = 0, files = 0, vforks = 0;
static char letters[26 + 140];

static __thread uint64_t source, handlers, toggled;
static __thread sigjmp_buf out;
static __thread volatile sig_atomic_t may_jump;

static uint64_t mixed(uint64_t a, uint64_t b) {
    uint64_t x = (a + 1) * 0x9e3779b97f4a7c15ull ^ b * 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 29;
}

static void hit(uint64_t from) {
    uint64_t number = atomic_load_explicit(&counters[from], memory_order_relaxed);
    /* It is switched on and off meanwhile. Its argument is evaluated, and so counts, while it is on. */
    if (toggled)
        PERFLAB_PROBE(toggled, now, (u64, source, toggled),
                      (u64, number, atomic_fetch_add(&counters[toggled], 1)));
    if (number % 4 == 3)
        PERFLAB_PROBE(recorded, text, (u64, source, from), (u64, number, number),
                      (str, text, letters + number % 26, number % 140));
    else
        PERFLAB_PROBE(recorded, number, (u64, source, from), (u64, number, number),
                      (u64, check, mixed(from, number)));
    atomic_store_explicit(&counters[from], number + 1, memory_order_release);
}

static void handle(int signal) {
    (void)signal;
    if (!handlers)
        return;
    /* Each depth is a source of its own, as one interrupts the other within `hit`. */
    static __thread int depth;
    int mine = depth++;
    if (mine < 4)
        hit(handlers + mine);
    depth = mine;
    if (jumps && may_jump && mine == 0) {
        may_jump = 0;
        siglongjmp(out, 1);
    }
}

static uint64_t new_sources(uint64_t count) {
    uint64_t first = atomic_fetch_add(&sources, count);
    if (first + count >= SOURCES) {
        fputs("too many sources\n", stderr);
        _exit(3);
    }
    return first;
}

/* The sources of each place, which a thread takes over from the one before: a thread, its toggled probe, and its
 * handlers by depth. */
static uint64_t places[MOST_THREADS];

static void *hits(void *place) {
    char memory[65536];
    if (stack)
        sigaltstack(&(stack_t){.ss_sp = memory, .ss_size = sizeof memory}, NULL);
    source = places[(uintptr_t)place];
    toggled = source + 1;
    if (signals)
        handlers = source + 2;
    if (vforks) {
        pid_t made = vfork();
        if (made == 0) {
            hit(source);
            _exit(0);
        }
        waitpid(made, NULL, 0);
    }
    for (volatile uint64_t i = 0; events ? i < events : !atomic_load(&told); i++) {
        if (jumps) {
            /* What a jump leaves is in a source of its own each time. */
            if (sigsetjmp(out, 1) == 0)
                may_jump = 1;
            else
                source = new_sources(1);
        }
        hit(source);
        may_jump = 0;
    }
    handlers = 0;
    if (stack)
        sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    return NULL;
}

static void child(void) {
    uint64_t from = SOURCES - 1;
    toggled = 0;
    for (int i = 0; i < 1000; i++)
        hit(from);
    /* Nobody records it. */
    atomic_store(&counters[from], 0);
    _exit(0);
}

static pthread_t running[MOST_THREADS];
static _Atomic int over;

static void *annoys(void *unused) {
    (void)unused;
    while (!atomic_load(&over)) {
        for (uint64_t i = 0; i < threads; i++)
            pthread_kill(running[i], i % 2 ? SIGUSR1 : SIGUSR2);
        usleep(100);
    }
    return NULL;
}

int main(int argc, char **argv) {
    for (int i = 2; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (!value)
            return 2;
        *value++ = 0;
        uint64_t number = strtoull(value, NULL, 10);
        if (!strcmp(argv[i], "threads")) threads = number;
        else if (!strcmp(argv[i], "events")) events = number;
        else if (!strcmp(argv[i], "signals")) signals = number;
        else if (!strcmp(argv[i], "churn")) churn = number;
        else if (!strcmp(argv[i], "forks")) forks = number;
        else if (!strcmp(argv[i], "jumps")) jumps = number;
        else if (!strcmp(argv[i], "stack")) stack = number;
        else if (!strcmp(argv[i], "files")) files = number;
        else if (!strcmp(argv[i], "vforks")) vforks = number;
        else return 2;
    }
    int file = open(argv[1], O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, SOURCES * 8) || threads > MOST_THREADS)
        return 2;
    counters = mmap(NULL, SOURCES * 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    for (size_t i = 0; i < sizeof letters; i++)
        letters[i] = (char)('a' + i % 26);
    struct sigaction action = {.sa_handler = handle, .sa_flags = stack ? SA_ONSTACK : 0};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    char line[16];
    puts("ready");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return 2;
    if (files)
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){.rlim_cur = 0, .rlim_max = 0});
    pthread_t annoying;
    for (uint64_t i = 0; i < threads; i++)
        places[i] = new_sources(6);
    for (uint64_t i = 0; i < threads; i++)
        pthread_create(&running[i], NULL, hits, (void *)(uintptr_t)i);
    int is_annoyed = signals && !churn;
    if (is_annoyed)
        pthread_create(&annoying, NULL, annoys, NULL);
    if (!events || churn) {
        /* Until told: a thread waits for the line, so that this one can do the rest. */
        fcntl(0, F_SETFL, O_NONBLOCK);
        while (read(0, line, sizeof line) < 0) {
            if (forks) {
                pid_t made = fork();
                if (made == 0)
                    child();
                waitpid(made, NULL, 0);
            }
            if (churn) {
                for (uint64_t i = 0; i < threads; i++) {
                    pthread_join(running[i], NULL);
                    pthread_create(&running[i], NULL, hits, (void *)(uintptr_t)i);
                }
            }
            usleep(1000);
        }
        fcntl(0, F_SETFL, 0);
        atomic_store(&told, 1);
    }
    if (is_annoyed) {
        /* Threads that have ended cannot be sent signals. */
        if (events)
            usleep(200000);
        atomic_store(&over, 1);
        pthread_join(annoying, NULL);
    }
    for (uint64_t i = 0; i < threads; i++)
        pthread_join(running[i], NULL);
    puts("done");
    fflush(stdout);
    return fgets(line, sizeof line, stdin) == NULL;
}
