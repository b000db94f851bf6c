// The same templates and members in another unit: the linker keeps one copy.
#include <perflab/probe.h>

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

int other_unit(int x) {
    Counter counter;
    counter.add();
    return generic(x) - 1;
}
