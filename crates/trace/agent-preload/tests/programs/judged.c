/*
 * Hits probes whose events are judged. It says that it is ready, does what it is told, and says when it has done so:
 *
 *     hit N      the probes `few` and `many`, N times; it ends if they change `errno`
 *     thread N   the same in a thread of its own
 *     vfork N    the same in a child that has the memory of the thread
 *     fork N     the same in a child, which says its number then; again with each SIGUSR2, until `reap`
 *     reap       ends the child
 *     stay       a thread hits `huge`, and is interrupted meanwhile by a handler that does not return until `release`
 *     release    lets the handler return
 *     jump N     as `stay`, but the handler leaves by a jump; the thread then does what `hit` does
 */
#define _GNU_SOURCE
#include <perflab/probe.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A filter that looks for a letter takes some tens of milliseconds for it. */
#define BYTES (64 << 20)

static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
static const char *const names[] = {"GET", "SET", "", NULL};

#define VALUES(i)                                                                                           \
    (i32, n, i - 50), (u64, big, ~(uint64_t)0 - (uint64_t)i), (f64, half, i / 2.0), (f32, quarter, i / 4.0f), \
        (cstr, name, names[i % 4]), (str, word, letters + i % 20, (size_t)(i % 5)),                         \
        (bytes, raw, letters, (size_t)(i % 7)), (bool, odd, i & 1), (ptr, where, (void *)(uintptr_t)i),     \
        (enum(A = 0, B = 1), kind, i & 1), (cstr_nofault, lack, i & 1 ? "SET" : (const char *)8),            \
        (str_nofault, lacking, i & 1 ? letters : (const char *)8, (size_t)3)

/* Arguments are taken as they are written, so that macros must be replaced before. */
#define PROBE(...) PERFLAB_PROBE(__VA_ARGS__)

static __attribute__((noinline)) void hit(int i) {
    errno = 1000 + i;
    PROBE(judged, few, VALUES(i));
    PROBE(judged, many, VALUES(i), (u64, last, (uint64_t)i));
    if (errno != 1000 + i)
        _exit(4);
}

static void hits(int count) {
    for (int i = 0; i < count; i++)
        hit(i);
}

static void *in_thread(void *count) {
    hits((int)(intptr_t)count);
    return NULL;
}

static __attribute__((noinline)) void in_vforked(int count) {
    pid_t made = vfork();
    if (made == 0) {
        hits(count);
        _exit(0);
    }
    waitpid(made, NULL, 0);
}

static char *huge;
static sigjmp_buf out;
static atomic_int begins, is_inside, jumps;
static int gate[2];

static void handle(int signal) {
    char byte;
    (void)signal;
    is_inside = 1;
    if (jumps)
        siglongjmp(out, 1);
    if (read(gate[0], &byte, 1) != 1)
        _exit(3);
}

static void *stays(void *count) {
    if (sigsetjmp(out, 1) == 0) {
        begins = 1;
        PERFLAB_PROBE(judged, huge, (cstr, text, huge));
    }
    hits((int)(intptr_t)count);
    return NULL;
}

/* Returns when the handler has interrupted the thread, which is within the filter then. */
static pthread_t interrupted(int count) {
    pthread_t thread;
    begins = is_inside = 0;
    pthread_create(&thread, NULL, stays, (void *)(intptr_t)count);
    while (!begins)
        usleep(100);
    usleep(10000);
    pthread_kill(thread, SIGUSR1);
    while (!is_inside)
        usleep(100);
    return thread;
}

static void says(const char *what) {
    puts(what);
    fflush(stdout);
}

/* A child, which hits its probes with each signal. */
static void child(int count, const sigset_t *signals) {
    int signal;
    for (;;) {
        hits(count);
        printf("child %d\n", (int)getpid());
        fflush(stdout);
        if (sigwait(signals, &signal))
            _exit(3);
    }
}

int main(void) {
    char line[64], what[16];
    pthread_t thread = 0;
    pid_t made = 0;
    sigset_t signals;
    huge = malloc(BYTES + 1);
    memset(huge, 'a', BYTES);
    huge[BYTES] = 0;
    signal(SIGUSR1, handle);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR2);
    if (pipe(gate))
        return 2;
    says("ready");
    while (fgets(line, sizeof line, stdin)) {
        int count = 0;
        if (sscanf(line, "%15s %d", what, &count) < 1)
            return 2;
        if (!strcmp(what, "hit"))
            hits(count);
        else if (!strcmp(what, "thread")) {
            pthread_create(&thread, NULL, in_thread, (void *)(intptr_t)count);
            pthread_join(thread, NULL);
        } else if (!strcmp(what, "vfork"))
            in_vforked(count);
        else if (!strcmp(what, "fork")) {
            sigprocmask(SIG_BLOCK, &signals, NULL);
            made = fork();
            if (made == 0)
                child(count, &signals);
            continue;
        } else if (!strcmp(what, "reap")) {
            kill(made, SIGKILL);
            waitpid(made, NULL, 0);
        } else if (!strcmp(what, "stay")) {
            jumps = 0;
            thread = interrupted(0);
            says("inside");
            continue;
        } else if (!strcmp(what, "release")) {
            if (write(gate[1], "x", 1) != 1)
                return 2;
            pthread_join(thread, NULL);
        } else if (!strcmp(what, "jump")) {
            jumps = 1;
            pthread_join(interrupted(count), NULL);
        } else
            return 2;
        says("done");
    }
    return 0;
}
