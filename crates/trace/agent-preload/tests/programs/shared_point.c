/*
 * Sites that no agent can use. As older headers made them: two probes with one point, and a type that no agent knows.
 * And one that has many arguments and does not say so. Waits at once.
 */
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
#undef PERFLAB_MANY_FLAG_
#define PERFLAB_MANY_FLAG_
    PERFLAB_PROBE(sites, flagless, (i8, a, 1), (i8, b, 1), (i8, c, 1), (i8, d, 1), (i8, e, 1), (i8, f, 1), (i8, g, 1),
                  (i8, h, 1), (i8, i, 1), (i8, j, 1), (i8, k, 1), (i8, l, 1), (i8, m, 1));
    printf("good 1\n");
    fflush(stdout);
    return getchar() == 'x';
}
