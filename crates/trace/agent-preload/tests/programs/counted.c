/* Executes its sites as often as it is told, `N`, and says so; the last is in an object of its own. */
#include <perflab/probe.h>

#include <stdio.h>
#include <stdlib.h>

/* More than one page of code: docs/probes.md says what a tracer may miss in less. */
__asm__(".pushsection .text\n.skip 4096, 0x90\n.popsection");

int elsewhere(int x);

static __attribute__((noinline)) void step(unsigned long number) {
    static const char *const texts[] = {"even", "odd"};
    PERFLAB_PROBE(sites, step, (u64, number, number), (cstr, text, texts[number % 2]));
    PERFLAB_PROBE(sites, always, (i32, number, -(int)number));
    PERFLAB_PROBE(sites, other);
    static unsigned long evaluated;
    PERFLAB_PROBE(sites, once, (u64, evaluated, evaluated++));
    PERFLAB_PROBE(sites, wide, (u64, first, number), (u8, b, 2), (u8, c, 3), (u8, d, 4), (u8, e, 5),
                  (u64, last, 2 * number), (u8, g, 7), (u8, h, 8), (u8, i, 9), (u8, j, 10), (u8, k, 11),
                  (u8, l, 12), (u8, m, 13));
    PERFLAB_PROBE(sites, elsewhere, (u64, x, 7));
    elsewhere(5);
}

int main(void) {
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        unsigned long times = strtoul(line, NULL, 10);
        for (unsigned long i = 0; i < times; i++)
            step(i);
        puts("done");
        fflush(stdout);
    }
    return 0;
}
