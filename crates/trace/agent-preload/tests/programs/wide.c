/*
 * Probes with more arguments than are passed one by one, in C and C++; `rust/wide` has the same. Says how often it
 * executed each, then waits. With an argument it says when it is ready, hits them after the next line, and says when it
 * is done.
 */
#include <perflab/probe.h>

#include <stdio.h>

enum { ROUNDS = 20 };

/* Arguments are taken as they are written, so that macros must be replaced before. */
#define PROBE(...) PERFLAB_PROBE(__VA_ARGS__)
#define PROBE_ORDERED(...) PERFLAB_PROBE_ORDERED(__VA_ARGS__)

#define TEN(F, n) F(n##0), F(n##1), F(n##2), F(n##3), F(n##4), F(n##5), F(n##6), F(n##7), F(n##8), F(n##9)
#define THIRTEEN(F) TEN(F, 1), F(20), F(21), F(22)
#define FIFTY(F) TEN(F, 1), TEN(F, 2), TEN(F, 3), TEN(F, 4), TEN(F, 5)
#define SIXTY_FOUR(F) FIFTY(F), TEN(F, 6), F(70), F(71), F(72), F(73)
#define INTEGER(n) (u64, v##n, x + n)
#define TEXT(n) (cstr, t##n, ends - n % 20)
#define LONG(n) (cstr, l##n, ends - 100 - n)
#define PAIR(n) (str, p##n, ends - 20, n % 20)
#define LACKING(n) (cstr_nofault, c##n, n % 2 ? ends - n : nowhere)
#define ALL_TYPES(n)                                                                              \
    (i8, a##n, -1), (u8, b##n, 2), (i16, c##n, -3), (u16, d##n, 4), (i32, e##n, i), (u32, f##n, 6), \
    (i64, g##n, -7), (u64, h##n, x + n), (f32, j##n, 1.5f), (f64, k##n, 2.5), (bool, l##n, i & 1),   \
    (ptr, m##n, nowhere), (cstr, o##n, ends - n), (str, p##n, ends - 20, n), (bytes, q##n, ends - 20, n + 1), \
    (enum(A = 0, B = 1), r##n, i & 1)

static void hit(int i) {
    static char letters[201];
    for (int at = 0; at < 200; at++)
        letters[at] = (char)('a' + at % 26);
    const char *ends = letters + 200, *nowhere = (const char *)8;
    uint64_t x = (uint64_t)i;
    PROBE_ORDERED(sites, thirteen, THIRTEEN(INTEGER));
    PROBE(sites, integers, FIFTY(INTEGER));
    PROBE(sites, texts, FIFTY(TEXT));
    PROBE(sites, most, ALL_TYPES(1), ALL_TYPES(2), ALL_TYPES(3), ALL_TYPES(4));
    PROBE(sites, room, SIXTY_FOUR(LONG));
    PROBE(sites, pairs, THIRTEEN(PAIR));
    PROBE(sites, lacking, THIRTEEN(LACKING));
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1) {
        puts("ready");
        fflush(stdout);
        getchar();
        getchar();
        getchar();
    }
    for (int i = 0; i < ROUNDS; i++)
        hit(i);
    if (argc > 1)
        puts("done");
    else
        printf("thirteen %d\nintegers %d\ntexts %d\nmost %d\nroom %d\npairs %d\nlacking %d\n", ROUNDS, ROUNDS, ROUNDS,
               ROUNDS, ROUNDS, ROUNDS, ROUNDS);
    fflush(stdout);
    return getchar() == 'x';
}
