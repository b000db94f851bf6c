/*
 * A thousand sites that threads execute all the time, while their process does what processes do:
 *
 *     stress THREADS [churn] [fork] [signals] [block] [block-trap] [block-often] [block-wait] [mask] [own] [load=LIBRARY]
 *
 *     churn      threads end and others start
 *     fork       children execute the sites and end
 *     signals    a handler executes the sites, about 10 000 times a second
 *     block      one thread blocks all signals
 *     block-trap one thread blocks SIGTRAP
 *     block-often one thread blocks all signals most of the time
 *     block-wait one thread blocks all signals but while it waits
 *     mask       the handler of the signals blocks all others
 *     own        the program has its own handlers of SIGILL and SIGTRAP
 *     load=FILE  a shared object with a site is loaded, executed and unloaded
 *
 * It reads commands. `go N`: execute each site of `exact` N times; nothing else does. The end of the input
 * ends it; then it prints how often each thing happened.
 */
#define _GNU_SOURCE
#include <perflab/probe.h>

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define TEN_(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define TEN__(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)

/* The arguments show in a core file, should there ever be one, what a site was doing. */
#define FREE(n) PERFLAB_PROBE(free, s##n, (i32, x, x), (i32, number, 1##n - 1000)); x += 3;
#define FREE_TEN(n) TEN(FREE, n)
#define FREE_HUNDRED(n) TEN_(FREE_TEN, n)
#define SIGNAL(n) PERFLAB_PROBE(signal, s##n, (i32, x, x)); x += 3;
#define SIGNAL_TEN(n) TEN(SIGNAL, n)
#define EXACT(n) PERFLAB_PROBE(exact, s##n, (i32, x, x)); x += 3;
#define EXACT_TEN(n) TEN(EXACT, n)

static __attribute__((noinline)) int all_free(int x) {
    TEN__(FREE_HUNDRED, )
    return x;
}

static __attribute__((noinline)) int all_exact(int x) {
    TEN_(EXACT_TEN, )
    return x;
}

/* Fewer, as a signal comes every 100 us. */
static __attribute__((noinline)) int some_free(int x) {
    TEN_(SIGNAL_TEN, )
    return x;
}

static atomic_int stop, go, arrived;
static atomic_ulong rounds, forks, loads, signals_seen, stops_seen, threads_made;
static int churn;

static void wrong(int expected, int found) {
    fprintf(stderr, "the sum is %d where %d was expected\n", found, expected);
    abort();
}

/* What a thread does before each round. */
static __thread void (*before)(void);

static void *execute(void *unused) {
    (void)unused;
    threads_made++;
    int seen = 0;
    for (int i = 0; !stop && !(churn && i == 200); i++) {
        if (before)
            before();
        int x = all_free(i);
        if (x != i + 3000)
            wrong(i + 3000, x);
        rounds++;
        int wanted = go;
        if (wanted > seen && !churn) {
            for (int j = 0; j < wanted - seen; j++)
                if (all_exact(j) != j + 300)
                    wrong(j + 300, all_exact(j));
            seen = wanted;
            arrived++;
        }
    }
    return NULL;
}

static void on_signal(int number) {
    (void)number;
    if (some_free(5) != 305)
        abort();
    signals_seen++;
}

static void on_stop(int number) {
    (void)number;
    stops_seen++;
}

static void *churn_threads(void *unused) {
    (void)unused;
    while (!stop) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, execute, NULL) == 0)
            pthread_join(thread, NULL);
    }
    return NULL;
}

static void *fork_children(void *unused) {
    (void)unused;
    while (!stop) {
        pid_t child = fork();
        if (child == 0)
            _exit(all_free(1) == 3001 ? 0 : 1);
        int status = 0;
        if (child > 0 && (waitpid(child, &status, 0) != child || status != 0)) {
            fprintf(stderr, "a child ended with %#x\n", status);
            abort();
        }
        forks++;
    }
    return NULL;
}

static const char *library;

static void *load_library(void *unused) {
    (void)unused;
    while (!stop) {
        void *handle = dlopen(library, RTLD_NOW);
        if (!handle) {
            fprintf(stderr, "%s\n", dlerror());
            abort();
        }
        int (*elsewhere)(int) = (int (*)(int))dlsym(handle, "elsewhere");
        for (int i = 0; i < 2000; i++)
            if (elsewhere(i) != i + 1)
                abort();
        dlclose(handle);
        loads++;
        usleep(100);
    }
    return NULL;
}

static void *block_trap(void *unused) {
    sigset_t trap;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    pthread_sigmask(SIG_BLOCK, &trap, NULL);
    return execute(unused);
}

static void *block_all(void *unused) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    return execute(unused);
}

static void let_signals_in(void) {
    static __thread int rounds_since;
    sigset_t all;
    if (++rounds_since % 100)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_UNBLOCK, &all, NULL);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static void wait_for_signals(void) {
    struct timespec moment = {0, 2000000};
    sigset_t none;
    sigemptyset(&none);
    ppoll(NULL, 0, &moment, &none);
}

static void *block_often(void *unused) {
    before = let_signals_in;
    return block_all(unused);
}

static void *block_wait(void *unused) {
    before = wait_for_signals;
    return block_all(unused);
}

/* Whether a signal that is sent reaches the program's own handler. */
static int reaches(int number) {
    unsigned long before = stops_seen;
    raise(number);
    return stops_seen == before + 1;
}

int main(int count, char **words) {
    int threads = atoi(words[1]), started = 0, exact = 0, mask = 0, send = 0;
    pthread_t thread[64];
    for (int i = 2; i < count; i++) {
        mask |= !strcmp(words[i], "mask");
        if (!strcmp(words[i], "churn"))
            churn = 1;
        else if (!strcmp(words[i], "own")) {
            signal(SIGILL, on_stop);
            signal(SIGTRAP, on_stop);
        } else if (!strcmp(words[i], "signals") || !strcmp(words[i], "mask"))
            send = 1;
    }
    if (send) {
        struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        if (mask)
            sigfillset(&action.sa_mask);
        sigaction(SIGALRM, &action, NULL);
        struct itimerval timer = {{0, 100}, {0, 100}};
        setitimer(ITIMER_REAL, &timer, NULL);
    }
    for (; started < threads; started++)
        pthread_create(&thread[started], NULL, churn ? churn_threads : execute, NULL);
    exact = threads;
    for (int i = 2; i < count; i++) {
        if (!strcmp(words[i], "fork"))
            pthread_create(&thread[started++], NULL, fork_children, NULL);
        if (!strncmp(words[i], "block", 5)) {
            void *(*of)(void *) = block_all;
            if (!strcmp(words[i], "block-trap"))
                of = block_trap;
            if (!strcmp(words[i], "block-often"))
                of = block_often;
            if (!strcmp(words[i], "block-wait"))
                of = block_wait;
            pthread_create(&thread[started++], NULL, of, NULL);
            exact++;
        }
        if (!strncmp(words[i], "load=", 5)) {
            library = words[i] + 5;
            pthread_create(&thread[started++], NULL, load_library, NULL);
        }
    }
    /* A thread that is just being made blocks all signals. */
    while (!churn && rounds < (unsigned long)started)
        usleep(100);
    printf("ready\n");
    fflush(stdout);
    char line[80];
    while (fgets(line, sizeof line, stdin)) {
        arrived = 0;
        go += atoi(line + 3);
        while (arrived < exact)
            usleep(100);
        printf("done %d\n", exact);
        fflush(stdout);
    }
    stop = 1;
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    for (int i = 2; i < count; i++)
        if (!strcmp(words[i], "own") && !(reaches(SIGILL) && reaches(SIGTRAP))) {
            fprintf(stderr, "a signal did not reach the program's own handler\n");
            return 1;
        }
    printf("rounds %lu\nforks %lu\nloads %lu\nsignals %lu\nthreads %lu\n", rounds, forks, loads, signals_seen,
           threads_made);
    return 0;
}
