/* Chains as expressions. */
#include <inttypes.h>
#include <stdio.h>

#include "command.h"

const char *expression_of(const struct chain *chain) {
    static char text[64 * FIELDS];
    char *end = text;
    if (chain->count <= 0) {
        snprintf(text, sizeof text, "%d", chain->count == ACCEPTS_ALL);
        return text;
    }
    if (chain->probe == PAIR) {
        /* The argument is 1. */
        snprintf(text, sizeof text, "a == 2");
        return text;
    }
    for (int i = 0; i < chain->count; i++) {
        int is_integer = chain->probe == INTEGERS || (chain->probe == MIXED && i % 2 == 1);
        const char *between = i == 0 ? "" : chain->operator == AND ? " && " : " || ";
        size_t room = (size_t)(text + sizeof text - end);
        if (is_integer)
            end += snprintf(end, room, "%sn%d == %" PRId64, between, i, INTEGER(i));
        else
            end += snprintf(end, room, "%st%d == \"argument-num-%02d\"", between, i, i);
    }
    return text;
}
