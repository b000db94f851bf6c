/*
 * burst EVENTS              one event at once, a moment later so many as fast as they can be made
 * forks CHILDREN WIDTH MS   children, so many at a time: each makes ten events, waits, makes ten more, and is gone
 * workers COUNT             children that root makes and that become nobody: each makes ten events, has a thread
 *                           make ten, says that it is ready, and makes ten when standard input ends
 * cost COUNT                one event, then children that end at once, one after the other; says how long one takes
 * crowd THREADS             ten events, and ten of each thread; says that it is ready, and ends when standard input ends
 * passing THREADS MS        threads one after the other, with so long between them: each makes ten events
 * nobody THREADS            a child that root makes and that becomes nobody: two seconds later, threads one after the
 *                           other, each of which makes ten events
 * leaves GENERATIONS        its child has a child, and so on, each of which ends at once; the last makes ten events
 * waits                     ten events; says that it is ready, and makes ten more when standard input ends
 */
#define _GNU_SOURCE
#include <perflab/probe.h>

#include <grp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void work(long count) {
    for (long i = 0; i < count; i++)
        PERFLAB_PROBE(family, work, (i64, i, i), (i32, pid, getpid()));
}

static void *thread(void *argument) {
    work(10);
    return argument;
}

static int burst(long events) {
    work(1);
    usleep(100 * 1000);
    work(events);
    return 0;
}

static int forks(int children, int width, int milliseconds) {
    int failed = 0, status;
    for (int i = 0, alive = 0; i < children || alive; ) {
        if (i < children && alive < width) {
            pid_t child = fork();
            if (child < 0)
                return 1;
            if (child == 0) {
                work(10);
                usleep(milliseconds * 1000);
                work(10);
                _exit(0);
            }
            i++, alive++;
            continue;
        }
        wait(&status);
        failed |= status;
        alive--;
    }
    return failed != 0;
}

static int worker(int ready, int end) {
    pthread_t other;
    char byte = 0;
    if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
        return 1;
    work(10);
    /* The agent may have to find room for it. */
    usleep(100 * 1000);
    if (pthread_create(&other, NULL, thread, NULL) || pthread_join(other, NULL))
        return 1;
    if (write(ready, &byte, 1) != 1 || read(end, &byte, 1) != 0)
        return 1;
    work(10);
    return 0;
}

static int workers(int count) {
    int ready[2], end[2], failed = 0, status;
    char byte;
    if (pipe(ready) || pipe(end))
        return 1;
    for (int i = 0; i < count; i++)
        if (fork() == 0) {
            close(end[1]);
            _exit(worker(ready[1], end[0]));
        }
    for (int i = 0; i < count; i++)
        if (read(ready[0], &byte, 1) != 1)
            return 1;
    puts("ready");
    fflush(stdout);
    while (read(0, &byte, 1) == 1)
        ;
    close(end[1]);
    while (wait(&status) > 0)
        failed |= status;
    return failed != 0;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int cost(int count) {
    double begin;
    int status;
    work(1);
    begin = now();
    for (int i = 0; i < count; i++) {
        pid_t child = fork();
        if (child < 0)
            return 1;
        if (child == 0)
            _exit(0);
        waitpid(child, &status, 0);
    }
    fprintf(stderr, "%.0f us\n", (now() - begin) / count);
    return 0;
}

static void *member(void *ready) {
    work(10);
    pthread_barrier_wait(ready);
    pause();
    return NULL;
}

static int crowd(unsigned threads) {
    static pthread_barrier_t ready;
    char byte;
    work(10);
    pthread_barrier_init(&ready, NULL, threads + 1);
    for (unsigned i = 0; i < threads; i++) {
        pthread_t other;
        if (pthread_create(&other, NULL, member, &ready))
            return 1;
    }
    pthread_barrier_wait(&ready);
    puts("ready");
    fflush(stdout);
    while (read(0, &byte, 1) == 1)
        ;
    return 0;
}

static int passing(int threads, int milliseconds) {
    for (int i = 0; i < threads; i++) {
        pthread_t other;
        if (pthread_create(&other, NULL, thread, NULL) || pthread_join(other, NULL))
            return 1;
        usleep(milliseconds * 1000);
    }
    return 0;
}

static int nobody(int threads) {
    int status;
    pid_t child = fork();
    if (child < 0)
        return 1;
    if (child == 0) {
        if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
            _exit(1);
        sleep(2);
        _exit(passing(threads, 50));
    }
    return waitpid(child, &status, 0) != child || status != 0;
}

static int leaves(int generations) {
    for (int i = 0; i < generations; i++) {
        pid_t child = fork();
        if (child < 0)
            return 1;
        if (child > 0)
            _exit(0);
        setsid();
    }
    usleep(50 * 1000);
    work(10);
    return 0;
}

static int waits(void) {
    char byte;
    work(10);
    puts("ready");
    fflush(stdout);
    while (read(0, &byte, 1) == 1)
        ;
    work(10);
    return 0;
}

int main(int count, char **words) {
    if (count == 3 && !strcmp(words[1], "burst"))
        return burst(atol(words[2]));
    if (count == 5 && !strcmp(words[1], "forks"))
        return forks(atoi(words[2]), atoi(words[3]), atoi(words[4]));
    if (count == 3 && !strcmp(words[1], "workers"))
        return workers(atoi(words[2]));
    if (count == 3 && !strcmp(words[1], "cost"))
        return cost(atoi(words[2]));
    if (count == 3 && !strcmp(words[1], "crowd"))
        return crowd(atoi(words[2]));
    if (count == 4 && !strcmp(words[1], "passing"))
        return passing(atoi(words[2]), atoi(words[3]));
    if (count == 3 && !strcmp(words[1], "nobody"))
        return nobody(atoi(words[2]));
    if (count == 3 && !strcmp(words[1], "leaves"))
        return leaves(atoi(words[2]));
    if (count == 2 && !strcmp(words[1], "waits"))
        return waits();
    return 2;
}
