/* Sites of all kinds in C; see the test that builds it. Says how often it executed each, then waits. */
#include <perflab/probe.h>

#include <stdbool.h>
#include <stdio.h>

enum { ROUNDS = 1000 };

static inline int inlined(int x) {
    PERFLAB_PROBE(sites, inlined, (i32, x, x));
    return x + 1;
}

__attribute__((noinline)) static int called(int x) {
    PERFLAB_PROBE_ORDERED(sites, called);
    return x + 1;
}

int elsewhere(int x);

int main(void) {
    int x = 0;
    const char *text = "text";
    for (int i = 0; i < ROUNDS; i++) {
        x = inlined(x);
        x = inlined(x);
        x = called(x);
        x = elsewhere(x);
        PERFLAB_PROBE(sites, many, (i8, a, 1), (u8, b, 2), (i16, c, 3), (u16, d, 4), (u32, e, 5), (i64, f, 6),
                      (f32, g, 1.5f), (f64, h, 2.5), (bool, i, x & 1), (ptr, j, text), (bytes, k, text, 4),
                      (enum(A = 0, B = 1), l, i & 1));
        PERFLAB_PROBE_ORDERED(sites, text, (cstr, whole, text), (str, part, text, 2));
    }
    printf("inlined %d\ncalled %d\nelsewhere %d\nmany %d\ntext %d\n", 2 * ROUNDS, ROUNDS, ROUNDS, ROUNDS, ROUNDS);
    fflush(stdout);
    return getchar() == 'x';
}
