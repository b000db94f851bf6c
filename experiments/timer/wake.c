/* Sleeps many times for the same time, and prints by how much each sleep was too long.
 *   wake SLACK_NS SLEEP_US TIMES
 * SLACK_NS is how late the kernel may wake this program up so as to wake several at once. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: wake SLACK_NS SLEEP_US TIMES\n");
        return 2;
    }
    long slack = atol(argv[1]), sleep_us = atol(argv[2]), times = atol(argv[3]);
    if (prctl(PR_SET_TIMERSLACK, slack) != 0) {
        perror("wake: PR_SET_TIMERSLACK");
        return 1;
    }
    struct timespec pause = {.tv_sec = 0, .tv_nsec = sleep_us * 1000};
    for (long i = 0; i < times; i++) {
        long long before = now();
        nanosleep(&pause, NULL);
        printf("VALUE %.3f us overshoot\n", (now() - before) / 1000.0 - sleep_us);
    }
    return 0;
}
