/* Handlers that this program gives its probes itself, without an agent. */
#ifndef HANDLERS_H
#define HANDLERS_H

#include <stdint.h>

#include "chains.h"

/* As sites with more than twelve arguments call it: the point, and the address of all words. */
typedef void handler(const void *point, const uint64_t *words);

/* What handlers do with an event that they accept. */
extern handler *accepted;

/* The handler of a chain. */
handler *handler_of(const struct chain *chain);

#endif
