// Sites in templates, inline functions, members and lambdas; see the test that builds it.
#include <perflab/probe.h>

#include <cstdio>

constexpr int rounds = 1000;

template <class T> T generic(T x) {
    PERFLAB_PROBE_ORDERED(sites, generic, (f64, x, static_cast<double>(x)));
    return x + 1;
}

struct Counter {
    int value = 0;
    void add() {
        PERFLAB_PROBE(sites, member, (ptr, self, this));
        value++;
    }
};

int other_unit(int x);

int main() {
    Counter counter;
    auto lambda = [](int x) {
        PERFLAB_PROBE_ORDERED(sites, lambda, (i32, x, x));
        return x + 1;
    };
    int x = 0;
    for (int i = 0; i < rounds; i++) {
        x = generic(x);
        x = static_cast<int>(generic(static_cast<double>(x)));
        x = static_cast<int>(generic(static_cast<long>(x)));
        counter.add();
        x = lambda(x);
        x = other_unit(x);
    }
    std::printf("generic %d\nmember %d\nlambda %d\n", 4 * rounds, 2 * rounds, rounds);
    std::fflush(stdout);
    return std::getchar() == 'x';
}
