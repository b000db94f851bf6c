/* Prints what a site costs in each loop, at one place in the code: what an iteration with 16 sites takes
 * longer than one without, divided by 16.
 *
 *     NAME [LAYOUT]
 *
 * Without an argument the layout is drawn by perflab, with each run: it is the length of
 * PERFLAB_PADDING. The time of an iteration is the shortest of many short stretches, with sites and
 * without in turn: what else happens on the machine only ever makes a stretch longer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The loops in Rust have names of their own. */
#ifndef SITES
#define SITES sites
#define NOTHING nothing
#endif

typedef void loop(int work, int layout, uint64_t times, uint64_t a);
extern loop SITES, NOTHING;

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

int main(int argc, char **argv) {
    static const char *const names[] = {"tight", "work"};
    loop *const loops[] = {NOTHING, SITES};
    const char *padding = getenv("PERFLAB_PADDING");
    if (argc < 2 && !padding) {
        fprintf(stderr, "a layout is needed: give a number, or run this with perflab\n");
        return 2;
    }
    int layout = (int)((argc > 1 ? strtoul(argv[1], NULL, 10) : strlen(padding)) % LAYOUTS);
    printf("layout %d\n", layout);
    for (int work = 0; work < 2; work++) {
        uint64_t times[2];
        double least[2] = {1e99, 1e99};
        for (int with = 0; with < 2; with++)
            times[with] = enough(loops[with], work, layout);
        for (int i = 0; i < 2 * STRETCHES; i++) {
            int with = i % 2;
            double each = stretch(loops[with], work, layout, times[with]) / (double)times[with];
            if (each < least[with])
                least[with] = each;
        }
        printf("VALUE %.5f ns %s\n", (least[1] - least[0]) / 16, names[work]);
    }
    return 0;
}
