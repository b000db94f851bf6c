/* Reads the clock many times, and prints what one reading takes.
 *   clock TIMES */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    long times = argc > 1 ? atol(argv[1]) : 0;
    if (times < 1) {
        fprintf(stderr, "usage: clock TIMES\n");
        return 2;
    }
    double before = now();
    for (long i = 0; i < times; i++) now();
    printf("VALUE %.3f ns reading\n", (now() - before) / times * 1e9);
    return 0;
}
