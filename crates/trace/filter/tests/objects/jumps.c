/* clang puts the common end into the middle, and jumps back to it. */
#include <perflab/filter.h>

PERFLAB_FILTER(jumps, (text, name), (integer, a), (integer, b), (integer, c)) {
    if (ctx->a > 5) {
        if (perflab_text_is(ctx, name, "abc") > 0)
            goto yes;
        if (ctx->b == 3)
            goto no;
        if (ctx->c == 9)
            goto yes;
        return 2;
    }
    if (ctx->b > 7 && ctx->c < 3)
        goto yes;
no:
    return ctx->c == 77 ? 5 : 0;
yes:
    if (ctx->a == 1234567)
        goto no;
    return 1;
}
