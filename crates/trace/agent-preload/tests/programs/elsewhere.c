/* A site in another unit of the program, or in a shared object. */
#include <perflab/probe.h>

int elsewhere(int x);

int elsewhere(int x) {
    PERFLAB_PROBE(sites, elsewhere, (u64, x, (uint64_t)x));
    return x + 1;
}
