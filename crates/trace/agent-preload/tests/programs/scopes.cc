// Sites where variables have destructors, in lambdas and where exceptions are caught. Says how often it executed each, then
// waits.
#include <perflab/probe.h>

#include <cstdio>

static int alive;

struct Counted {
    Counted() { alive++; }
    ~Counted() { alive--; }
};

template <class F> int twice(F f) {
    Counted counted;
    PERFLAB_PROBE(sites, generic, (i32, alive, alive));
    return f(1) + f(2);
}

static int work(int round) {
    {
        Counted counted;
        PERFLAB_PROBE(sites, one, (i32, alive, alive));
    }
    PERFLAB_PROBE(sites, between, (i32, alive, alive));
    Counted counted;
    int sum = twice([&](int i) {
        Counted inner;
        PERFLAB_PROBE(sites, lambda, (i32, sum, i + round));
        return i;
    });
    try {
        PERFLAB_PROBE(sites, attempt);
        if (round % 2)
            throw round;
    } catch (int thrown) {
        PERFLAB_PROBE(sites, caught, (i32, thrown, thrown));
    }
    PERFLAB_PROBE(sites, last, (i32, sum, sum));
    return sum;
}

int main() {
    for (int round = 0; round < 1000; round++)
        work(round);
    std::printf("generic 1000\none 1000\nbetween 1000\nlambda 2000\nattempt 1000\ncaught 500\nlast 1000\n");
    std::fflush(stdout);
    return alive ? 3 : std::getchar() == 'x';
}
