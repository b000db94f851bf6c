/* Judges events by the crate rbpf, which executes the eBPF that perflab makes of an expression. */
#include <stdlib.h>

#include "command.h"
#include "handlers.h"

/* In rust/src/lib.rs. */
int rbpf_load(const char *expression, int probe, int is_interpreted);
int rbpf_accepts(const uint64_t *words);

static void judges(const void *point, const uint64_t *words) {
    if (rbpf_accepts(words))
        accepted(point, words);
}

handler *handler_of(const struct chain *chain) {
    if (!rbpf_load(expression_of(chain), (int)chain->probe, getenv("FILTERS_INTERPRETED") != NULL))
        abort();
    return judges;
}
