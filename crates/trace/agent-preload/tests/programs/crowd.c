/*
 * Has more probes than can have filters, a thousand of `one`, a thousand of `two` and a hundred of `three`. It says
 * that it is ready; with each line it hits all of them, with the number of the line from 0, and says that it is done.
 */
#include <perflab/probe.h>

#include <stdio.h>

#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define TEN_(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define TEN__(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)

#define ONE(n) PERFLAB_PROBE(one, s##n, (i32, x, x));
#define ONE_TEN(n) TEN(ONE, n)
#define ONE_HUNDRED(n) TEN_(ONE_TEN, n)
#define TWO(n) PERFLAB_PROBE(two, s##n, (i32, x, x));
#define TWO_TEN(n) TEN(TWO, n)
#define TWO_HUNDRED(n) TEN_(TWO_TEN, n)
#define THREE(n) PERFLAB_PROBE(three, s##n, (i32, x, x));
#define THREE_TEN(n) TEN(THREE, n)

static __attribute__((noinline)) void hits(int x) {
    TEN__(ONE_HUNDRED, )
    TEN__(TWO_HUNDRED, )
    TEN_(THREE_TEN, )
}

static void says(const char *what) {
    puts(what);
    fflush(stdout);
}

int main(void) {
    char line[16];
    says("ready");
    for (int i = 0; fgets(line, sizeof line, stdin); i++) {
        hits(i);
        says("done");
    }
    return 0;
}
