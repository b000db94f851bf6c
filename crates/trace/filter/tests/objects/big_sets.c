#include <perflab/filter.h>

PERFLAB_FILTER(big_sets, (text, name), (integer, bytes)) {
    return perflab_text_is(ctx, name, "SET") > 0 && ctx->bytes > 512;
}
