/* A shared object with a site that cannot be loaded: a symbol is missing. */
#include <perflab/probe.h>

int nowhere(void);
int broken(int x);

int broken(int x) {
    PERFLAB_PROBE(sites, broken, (i32, x, x));
    return x + nowhere();
}
