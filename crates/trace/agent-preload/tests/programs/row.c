/* Sites with nothing between them. */
#include <perflab/probe.h>

int main(int argc, char **argv) {
    (void)argv;
    PERFLAB_PROBE(sites, row, (i32, argc, argc));
    PERFLAB_PROBE(sites, row, (i32, argc, argc));
    PERFLAB_PROBE(sites, row, (i32, argc, argc));
    PERFLAB_PROBE(sites, row, (i32, argc, argc));
    PERFLAB_PROBE(sites, row, (i32, argc, argc));
    PERFLAB_PROBE(sites, row, (i32, argc, argc));
    PERFLAB_PROBE(sites, row, (i32, argc, argc));
    PERFLAB_PROBE(sites, row, (i32, argc, argc));
    PERFLAB_PROBE(sites, row, (i32, argc, argc));
    return 0;
}
