/* Sites as older headers made them: two probes with one point, and a type that no agent knows. Waits at once. */
#include <perflab/probe.h>

#include <stdio.h>

int main(int argc, char **argv) {
    PERFLAB_PROBE(sites, good, (i32, argc, argc));
#undef PERFLAB_CHECK_TYPE_enum
    PERFLAB_PROBE(sites, unknown, (enum(FOO(1)), argc, argc));
#undef PERFLAB_POINT_
#define PERFLAB_POINT_(...) "perflab_point"
    PERFLAB_PROBE(sites, shared, (i32, argc, argc));
    PERFLAB_PROBE(sites, shared, (cstr, name, argv[0]));
    printf("good 1\n");
    fflush(stdout);
    return getchar() == 'x';
}
