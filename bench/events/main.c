/* Prints what an event costs, at one place in the code: what an iteration of a loop with nothing else takes.
 *
 *     NAME [LAYOUT] */
#include "../stretch.h"

/* The loops in Rust have names of their own. */
#ifndef EVENTS
#define EVENTS events
#endif

extern loop EVENTS;

#ifdef BEGIN
extern void BEGIN(void);
#else
#define BEGIN() (void)0
#endif

int main(int argc, char **argv) {
    int layout = chosen_layout(argc, argv);
    BEGIN();
    uint64_t times = enough(EVENTS, 0, layout);
    double least = 1e99;
    for (int i = 0; i < STRETCHES; i++) {
        double each = stretch(EVENTS, 0, layout, times) / (double)times;
        if (each < least)
            least = each;
    }
    printf("VALUE %.5f ns event\n", least);
    return 0;
}
