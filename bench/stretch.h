/* Times loops by stretches, at the place in the code that is asked for. The time of an iteration is the
 * shortest of many short stretches: what else happens on the machine only ever makes a stretch longer. */
#ifndef STRETCH_H
#define STRETCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void loop(int work, int layout, uint64_t times, uint64_t a);

enum { STRETCHES = 30, LAYOUTS = 64 };
static const double STRETCH_NS = 5e5;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double stretch(loop *of, int work, int layout, uint64_t times) {
    double start = now();
    of(work, layout, times, 1);
    return now() - start;
}

/* How many iterations make a stretch. */
static uint64_t enough(loop *of, int work, int layout) {
    uint64_t times = 1000;
    while (stretch(of, work, layout, times) < STRETCH_NS)
        times *= 2;
    return times;
}

/* The first argument; without one it is drawn by perflab, with each run: the length of PERFLAB_PADDING. */
static int chosen_layout(int argc, char **argv) {
    const char *padding = getenv("PERFLAB_PADDING");
    if (argc < 2 && !padding) {
        fprintf(stderr, "a layout is needed: give a number, or run this with perflab\n");
        exit(2);
    }
    int layout = (int)((argc > 1 ? strtoul(argv[1], NULL, 10) : strlen(padding)) % LAYOUTS);
    printf("layout %d\n", layout);
    return layout;
}

#endif
