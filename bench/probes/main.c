/* Prints what a site costs in each loop, at one place in the code: what an iteration with 16 sites takes
 * longer than one without, divided by 16. Stretches with sites and without are timed in turn.
 *
 *     NAME [LAYOUT] */
#include "../stretch.h"

/* The loops in Rust have names of their own. */
#ifndef SITES
#define SITES sites
#define NOTHING nothing
#endif

extern loop SITES, NOTHING;

int main(int argc, char **argv) {
    static const char *const names[] = {"tight", "work"};
    loop *const loops[] = {NOTHING, SITES};
    int layout = chosen_layout(argc, argv);
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
